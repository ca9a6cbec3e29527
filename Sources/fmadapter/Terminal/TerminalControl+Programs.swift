import Glibc

// Programs that the shell runs.

extension TerminalControl {
  /// How a program that was started has ended.
  enum ProgramEnd {
    /// With what it printed, and its exit status; 128 and more for a signal.
    case ended([UInt8], status: Int32)
    /// It was stopped, or ended as more came than was allowed.
    case stopped, tooMuch
    /// It was not started, with the system's error number.
    case failed(Int32)
  }

  /// Runs `command` by the shell with `input` on its standard input, until the shell has ended.
  ///
  /// What it left running goes on, and is not read any more; it may still print for a twentieth of a second.
  ///
  /// It is in a process group of its own, which is ended once `isStopped` is true, or when more than `limit` bytes come, see
  /// ``endGroup(of:)``.
  static func runShell(
    _ command: String, input: [UInt8], environment: [String: String], limit: Int,
    isStopped: () -> Bool
  ) -> ProgramEnd {
    var ends: [Int32] = [-1, -1]
    guard let file = nameless(input), unsafe pipe(&ends) == 0 else { return .failed(errno) }
    for end in [file] + ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let shell = ChildProgram(path: "/bin/sh", words: ["sh", "-c", command], environment)
    let started = shell.start(input: file, output: ends[1])
    close(file)
    close(ends[1])
    defer { close(ends[0]) }
    guard started.error == 0 else { return .failed(started.error) }
    var state: Int32?
    let output = output(of: ends[0], limit: limit, isStopped: isStopped) {
      state = ended(started.process)
      return state != nil
    }
    guard let output, let state else {
      if state == nil { endGroup(of: started.process) }
      return output == nil && !isStopped() ? .tooMuch : .stopped
    }
    return .ended(output, status: state & 0x7F == 0 ? (state >> 8) & 0xFF : 128 + (state & 0x7F))
  }

  /// Asks the group of `process` to end, and makes it after a second: nobody is held by a program that will not.
  ///
  /// Meanwhile a signal that ends this program waits, lest the group outlives it.
  private static func endGroup(of process: pid_t) {
    Interruption.shared.keeping({}) {
      for signal in [SIGTERM, SIGKILL] where kill(-process, signal) == 0 {
        for _ in 1...200 {
          _ = ended(process)
          guard kill(-process, 0) == 0 else { return }
          wait(milliseconds: 5)
        }
      }
    }
  }

  private static func wait(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  /// A file without a name that has `bytes`, to be read from its start: unlike a pipe, it is never full or closed.
  private static func nameless(_ bytes: [UInt8]) -> Int32? {
    var path = Array("/tmp/fmadapter-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&path)
    guard file >= 0 else { return nil }
    unsafe unlink(path)
    guard write(bytes, to: file) == 0, lseek(file, 0, SEEK_SET) == 0 else {
      close(file)
      return nil
    }
    return file
  }

  /// How `process` has ended; nil while it runs.
  private static func ended(_ process: pid_t) -> Int32? {
    var state: Int32 = 0
    let number = unsafe waitpid(process, &state, WNOHANG)
    // Who started this program may have it forget how others end.
    return number == 0 ? nil : number < 0 ? 0 : state
  }

  /// All that comes from `descriptor` until `hasEnded` is true of who writes, also where that one has closed it long before; nil
  /// when it is more than `limit`, or `isStopped` is true before.
  private static func output(
    of descriptor: Int32, limit: Int, isStopped: () -> Bool, hasEnded: () -> Bool
  ) -> [UInt8]? {
    var (bytes, isOver, patience): ([UInt8], Bool, Int32) = ([], false, 50)
    while !isStopped() {
      // What was written before the end is there when the end is seen.
      if isReady(descriptor, milliseconds: patience) {
        guard let piece = readPiece(from: descriptor), !piece.isEmpty else { break }
        bytes += piece
        guard bytes.count <= limit else { return nil }
      } else if isOver {
        return bytes
      }
      if isOver { patience = 0 } else { isOver = hasEnded() }
    }
    while !isOver, !isStopped() {
      isOver = hasEnded()
      if !isOver { wait(milliseconds: 5) }
    }
    return isOver ? bytes : nil
  }
}
