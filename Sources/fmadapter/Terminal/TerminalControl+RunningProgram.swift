import Glibc
import Kernels
import Synchronization

extension TerminalControl {
  /// A program that runs beside this one, and all that comes of it.
  final class RunningProgram: Sendable {
    /// What comes of it.
    enum Event: Sendable {
      case output([UInt8]), error([UInt8]), ended(status: Int32)
    }

    private struct State {
      var process: pid_t
      var hasEnded = false
    }

    private let state: Mutex<State>

    private init(_ process: pid_t) { state = Mutex(State(process: process)) }

    /// Starts `program`, which reads nothing, and tells what comes of it on a thread of its own; nil where it cannot be started.
    static func start(
      _ program: ChildProgram, told: @escaping @Sendable (Event) -> Void
    ) -> RunningProgram? {
      var (output, error): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
      let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      defer { if nothing >= 0 { close(nothing) } }
      guard nothing >= 0, unsafe pipe(&output) == 0 else { return nil }
      guard unsafe pipe(&error) == 0 else {
        output.forEach { close($0) }
        return nil
      }
      for end in output + error { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let started = program.start(input: nothing, output: output[1], error: error[1])
      close(output[1])
      close(error[1])
      let running = RunningProgram(started.process)
      let (results, messages) = (output[0], error[0])
      guard started.error == 0, OwnThread.run({ running.follow(results, messages, told) }) else {
        if started.error == 0 { running.send(SIGKILL) }
        close(results)
        close(messages)
        return nil
      }
      return running
    }

    private func follow(
      _ output: Int32, _ error: Int32, _ told: @Sendable (Event) -> Void
    ) {
      var looks = [output, error].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while looks.contains(where: { $0.fd >= 0 }) {
        guard unsafe poll(&looks, nfds_t(looks.count), -1) > 0 else { continue }
        for index in looks.indices where looks[index].fd >= 0 && looks[index].revents != 0 {
          let piece = TerminalControl.readPiece(from: looks[index].fd) ?? []
          guard !piece.isEmpty else {
            looks[index].fd = -1
            continue
          }
          told(index == 0 ? .output(Array(piece)) : .error(Array(piece)))
        }
      }
      close(output)
      close(error)
      var status: Int32 = 0
      let process = state.withLock { $0.process }
      while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
      state.withLock { $0.hasEnded = true }
      told(.ended(status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)))
    }

    /// Sends a signal to it and what it has started, unless it has ended.
    func send(_ signal: Int32) {
      state.withLock { state in
        if !state.hasEnded { kill(-state.process, signal) }
      }
    }
  }
}
