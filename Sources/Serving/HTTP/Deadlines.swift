import Kernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends connections that take too long for what they are at, as the library only counts time in which nothing at all comes.
final class Deadlines: Sendable {
  private let times = Mutex<[Int32: ContinuousClock.Instant]>([:])
  private let isStopped = Atomic(false)
  private let clock = ContinuousClock()

  /// Begins to look; nothing is late where there is no thread for it.
  func start() {
    _ = OwnThread.run { [weak self] in
      while self?.look() ?? false { usleep(Self.interval) }
    }
  }

  /// Microseconds between two looks.
  private static let interval: UInt32 = 250_000

  /// Lets the connection go on for so many seconds; as long as it likes if nil.
  func set(_ socket: Int32, _ seconds: Double?) {
    let time = seconds.map { clock.now + .seconds($0) }
    times.withLock { $0[socket] = time }
  }

  /// Ends all connections, or those that are late: the library finds them closed, and the socket's number stays theirs till then.
  func end(all: Bool = false) {
    let now = clock.now
    times.withLock { times in
      for (socket, time) in times where all || time <= now { shutdown(socket, Int32(SHUT_RDWR)) }
      if !all { times = times.filter { $0.value > now } }
    }
  }

  private func look() -> Bool {
    end()
    return !isStopped.load(ordering: .relaxed)
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }
}
