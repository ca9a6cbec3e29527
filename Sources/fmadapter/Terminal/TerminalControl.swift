import Glibc
import Synchronization

/// The calls on terminals and descriptors that need pointers; nothing else in this target is unsafe.
enum TerminalControl {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Width of the terminal behind `descriptor` in cells, or nil when there is none.
  static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Writes all of `bytes` and returns 0, or the system's error number.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let window = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count = unsafe Glibc.write(descriptor, window.baseAddress, window.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return errno }
        unsafe rest = rest.dropFirst(count)
      }
      return 0
    }
  }

  /// Puts something in the place of standard streams that are closed, lest a file that is opened later becomes one.
  ///
  /// What is put there refuses to be read, or written, as the closed one would.
  static func fillClosedStreams() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest number that is free is this one.
      _ = unsafe open("/dev/null", mode)
    }
  }

  /// The words of the command line, and of the variables `names` those that are set.
  static func rawTexts(variables names: [String]) -> [RawText] {
    let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      unsafe CommandLine.unsafeArgv[index].map { word in
        RawText(place: "argument \(index)", bytes: unsafe bytes(of: word))
      }
    }
    let variables = names.compactMap { name in
      unsafe getenv(name).map { RawText(place: name, bytes: unsafe bytes(of: $0)) }
    }
    return words + variables
  }

  private static func bytes(of text: UnsafeMutablePointer<CChar>) -> [UInt8] {
    unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
  }

  /// The system's words for an error number.
  static func message(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }

  /// The next byte of `input`, or nil at its end or when none came in `milliseconds`.
  static func readByte(from input: Int32, within milliseconds: Int32 = -1) -> UInt8? {
    var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, milliseconds) == 1 else { return nil }
    var byte: UInt8 = 0
    return unsafe read(input, &byte, 1) == 1 ? byte : nil
  }

  /// Whether `input` is a pipe or a file, as opposed to a terminal or nothing at all.
  static func isData(_ input: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(input, &status) == 0
      && [S_IFIFO, S_IFREG].contains(status.st_mode & S_IFMT)
  }

  /// Whether `input` has something, or has ended, within `milliseconds`.
  static func isReady(_ input: Int32, milliseconds: Int32) -> Bool {
    var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, milliseconds) != 0
  }

  /// All that `input` still has; nil when it cannot be read.
  static func readAll(from input: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(input, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }

  /// All that comes through the pipe or device at `path`; nil where something else stands there, or it cannot be read.
  static func readStream(at path: String) -> [UInt8]? {
    guard let stream = openStream(path, O_RDONLY) else { return nil }
    defer { close(stream) }
    return readAll(from: stream)
  }

  /// Opens the pipe or device at `path` for writing; nil where something else stands there, or nothing.
  static func openStream(writing path: String) -> Int32? { openStream(path, O_WRONLY) }

  private static func openStream(_ path: String, _ mode: Int32) -> Int32? {
    // Looked at first: a pipe that is opened and closed again has ended for who writes to it.
    var status = stat()
    guard unsafe stat(path, &status) == 0,
      [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
    else { return nil }
    let descriptor = unsafe open(path, mode | O_CLOEXEC)
    return descriptor < 0 ? nil : descriptor
  }

  /// Whether `count` more files can be open at once.
  static func hasDescriptors(_ count: Int) -> Bool {
    let opened = (0..<count).map { _ in unsafe open("/", O_RDONLY | O_CLOEXEC) }
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    return opened.allSatisfy { $0 >= 0 }
  }

  /// Ends the program when it writes to a pipe that nobody reads, as other tools do.
  ///
  /// Set on purpose: a parent may have left the signal ignored.
  static func dieOnClosedPipe() { _ = signal(SIGPIPE, SIG_DFL) }

  /// Leaves a signal to a dispatch source; to be called on the main thread, before there are others.
  ///
  /// Only a signal that is blocked as well waits for a source that is not active yet.
  static func leaveToSource(_ number: Int32) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    _ = signal(number, SIG_IGN)
  }

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
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while !isStopped() {
      guard isReady(descriptor, milliseconds: 50) else { continue }
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
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

  /// How the program has the keys of a terminal; either way they come one by one and unprinted, and Ctrl-Z suspends.
  enum KeyMode {
    /// They wait for whoever reads them, and Ctrl-C is a signal.
    case held
    /// They edit a line, and Ctrl-C is one of them.
    case editing
  }

  /// What a wait for a key came to.
  enum KeyWait {
    /// There is one, or the input has ended.
    case ready
    case nothing
    /// The terminal was another job's meanwhile, so what was shown has to be shown again.
    case cameBack
  }

  private struct Taken {
    let input: Int32
    let screen: Int32?
    /// Those that the terminal is given back with.
    let settings: termios
    var mode: KeyMode
    var wasAway = false

    var isInFront: Bool {
      let group = tcgetpgrp(input)
      // A terminal that controls no jobs is everybody's.
      return group < 0 || group == getpgrp()
    }

    /// Whether somebody has given the terminal other settings meanwhile.
    var isChanged: Bool {
      var settings = termios()
      return unsafe tcgetattr(input, &settings) == 0
        && settings.c_lflag & tcflag_t(ICANON | ECHO) != 0
    }
  }

  /// The terminal whose keys the program has; kept here so that a signal can give them back.
  private static let taken = Mutex<Taken?>(nil)
  /// Tells a terminal to mark what is pasted, and to leave that: xterm's bracketed paste.
  private static let (marksPastes, leavesPastes) = ("\u{1B}[?2004h", "\u{1B}[?2004l")

  /// Takes the keys of a terminal, or has them in another mode, once this job is in front; false when that is impossible.
  ///
  /// What is pasted comes between marks where there is a `screen`.
  static func takeKeys(_ input: Int32, screen: Int32?, _ mode: KeyMode) -> Bool {
    while true {
      let isDone = taken.withLock { taken -> Bool? in
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else { return false }
        var state = taken ?? Taken(input: input, screen: screen, settings: settings, mode: mode)
        guard state.isInFront else { return nil }
        let isNew = taken == nil || state.wasAway
        (state.mode, state.wasAway) = (mode, false)
        guard apply(state, marks: isNew) else { return false }
        taken = state
        return true
      }
      if let isDone { return isDone }
      wait(milliseconds: 100)
    }
  }

  private static func apply(_ state: Taken, marks: Bool) -> Bool {
    var settings = state.settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    // A signal does not drop what was typed.
    settings.c_lflag |= tcflag_t(NOFLSH)
    settings.c_iflag &= ~tcflag_t(ICRNL | INLCR)
    if state.mode == .editing {
      settings.c_iflag &= ~tcflag_t(IXON)
      // What interrupts and quits; zero is no key.
      (settings.c_cc.0, settings.c_cc.1) = (0, 0)
    }
    guard unsafe tcsetattr(state.input, TCSANOW, &settings) == 0 else { return false }
    if marks, let screen = state.screen { _ = write(Array(marksPastes.utf8), to: screen) }
    return true
  }

  static var hasKeys: Bool { taken.withLock { $0 != nil } }

  /// Waits a moment for a key of the terminal that was taken; takes none while it is another job's.
  static func waitForKey(milliseconds: Int32) -> KeyWait {
    let (input, isBack) = taken.withLock { taken -> (Int32?, Bool) in
      guard let state = taken, state.isInFront else { return (nil, false) }
      guard state.wasAway || state.isChanged else { return (state.input, false) }
      taken?.wasAway = false
      return (state.input, apply(state, marks: true))
    }
    guard let input else {
      wait(milliseconds: milliseconds)
      return .nothing
    }
    if isBack { return .cameBack }
    return isReady(input, milliseconds: milliseconds) ? .ready : .nothing
  }

  private static func wait(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  /// Gives the terminal back as it was; does nothing when it was not taken.
  ///
  /// With `drops`, what was typed for this program and not read does not go to another one.
  static func giveKeysBack(drops: Bool = false) {
    taken.withLock { taken in
      if let state = taken { giveBack(state, drops: drops) }
      taken = nil
    }
  }

  private static func giveBack(_ state: Taken, drops: Bool) {
    guard state.isInFront else { return }
    if drops { tcflush(state.input, TCIFLUSH) }
    if let screen = state.screen { _ = write(Array(leavesPastes.utf8), to: screen) }
    var settings = state.settings
    unsafe _ = tcsetattr(state.input, TCSANOW, &settings)
  }

  /// Suspends the program, as Ctrl-Z does, with its terminal as it was; returns when it goes on, at once where no shell
  /// could make it.
  ///
  /// To be called by the source that the signal was left to.
  static func suspend() {
    taken.withLock { taken in
      if let state = taken { giveBack(state, drops: true) }
      var set = sigset_t()
      unsafe sigemptyset(&set)
      unsafe sigaddset(&set, SIGTSTP)
      let handler = signal(SIGTSTP, SIG_DFL)
      unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
      // To this thread, which therefore does not go on before it has come.
      raise(SIGTSTP)
      unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
      _ = signal(SIGTSTP, handler)
      guard let state = taken else { return }
      taken?.wasAway = true
      // An answer goes on, whether or not a key is waited for.
      if state.isInFront { _ = apply(state, marks: true) }
    }
  }

  /// Has the keys again once the program goes on that was stopped by no key, where a shell has had them meanwhile.
  static func comeBack() {
    taken.withLock { taken in
      guard let state = taken, state.isInFront, state.isChanged else { return }
      taken?.wasAway = true
      _ = apply(state, marks: true)
    }
  }

  /// Appends `bytes` to a file that only its owner may read, which is made where there is none; 0, or the system's error number.
  static func append(_ bytes: [UInt8], toOwn path: String) -> Int32 {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = unsafe open(path, flags, 0o600)
    guard file >= 0 else { return errno }
    defer { close(file) }
    return write(bytes, to: file)
  }
}
