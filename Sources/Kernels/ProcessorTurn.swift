#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long a worker keeps its processor before it offers it to other programs.
///
/// A worker that the system stops in the middle of a chunk holds up all others for as long as it stays stopped, a few
/// milliseconds, so it stops by itself between two chunks first. Where another program took the processor, it rests
/// for a while: then the system leaves the caller, which cannot be replaced, on a processor of its own.
struct ProcessorTurn {
  // Shorter than the slices that Linux gives, which end at a tick: each 1 to 4 milliseconds.
  private static let longest = Duration.milliseconds(1)
  private static let contended = Duration.microseconds(300)
  private static let restInMicroseconds: UInt32 = 3_000

  private var start = ContinuousClock.now

  /// Whether it is time to offer the processor.
  var isOver: Bool { ContinuousClock.now - start > ProcessorTurn.longest }

  /// Lets others run, and begins a new turn.
  mutating func offer() {
    let before = ContinuousClock.now
    sched_yield()
    let wasTaken = ContinuousClock.now - before > ProcessorTurn.contended
    if wasTaken { usleep(ProcessorTurn.restInMicroseconds) }
    start = .now
  }
}
