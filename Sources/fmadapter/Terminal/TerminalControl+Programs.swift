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

  /// Runs `command` by the shell with `input` on its standard input, until it has closed its standard output.
  ///
  /// It is in a process group of its own, which is ended once `isStopped` is true, or when more than `limit` bytes come. Tokens of
  /// this program are left out of its `environment`.
  static func runShell(
    _ command: String, input: [UInt8], environment: [String: String], limit: Int,
    isStopped: () -> Bool
  ) -> ProgramEnd {
    var ends: [Int32] = [-1, -1]
    guard let file = nameless(input), unsafe pipe(&ends) == 0 else { return .failed(errno) }
    for end in [file] + ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let started = spawn(command, environment, input: file, output: ends[1])
    close(file)
    close(ends[1])
    defer { close(ends[0]) }
    guard started.error == 0 else { return .failed(started.error) }
    let output = output(of: ends[0], limit: limit, isStopped: isStopped)
    if output == nil { kill(-started.process, SIGTERM) }
    var state: Int32 = 0
    while unsafe waitpid(started.process, &state, 0) < 0, errno == EINTR {}
    guard let output else { return isStopped() ? .stopped : .tooMuch }
    return .ended(output, status: state & 0x7F == 0 ? (state >> 8) & 0xFF : 128 + (state & 0x7F))
  }

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

  /// All that comes from `descriptor`; nil when it is more than `limit`, or `isStopped` is true before its end.
  private static func output(
    of descriptor: Int32, limit: Int, isStopped: () -> Bool
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    while !isStopped() {
      guard isReady(descriptor, milliseconds: 50) else { continue }
      guard let piece = readPiece(from: descriptor), !piece.isEmpty else { return bytes }
      bytes += piece
      guard bytes.count <= limit else { return nil }
    }
    return nil
  }

  private static func spawn(
    _ command: String, _ environment: [String: String], input: Int32, output: Int32
  ) -> (process: pid_t, error: Int32) {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    // What this program does with signals is not for others.
    var (none, usual) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&usual)
    for n in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGPIPE] { unsafe sigaddset(&usual, n) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { unsafe strdup(text) }
    var words = unsafe ["sh", "-c", command].map(copy) + [nil]
    let settings = environment.filter { !$0.key.hasPrefix("FMADAPTER_TOKEN") }
    var variables = unsafe settings.map { unsafe copy($0.key + "=" + $0.value) } + [nil]
    var process: pid_t = 0
    let error = unsafe posix_spawn(
      &process, "/bin/sh", &actions, &attributes, &words, &variables)
    unsafe (words + variables).forEach { unsafe free($0) }
    unsafe posix_spawn_file_actions_destroy(&actions)
    unsafe posix_spawnattr_destroy(&attributes)
    return (process, error)
  }
}
