import CFMBuild
import CFMSystem
import Glibc

/// The calls on terminals and descriptors that need pointers; but for what extends it nothing else in this target is unsafe.
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

  /// The commit that the program was built from; nil where whoever built it has not said so.
  static var builtCommit: String? {
    guard let commit = unsafe build_commit() else { return nil }
    return unsafe String(cString: commit)
  }

  /// Where this program lies, also after another one was put in its place.
  static let ownPath = "/proc/self/exe"

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

  /// All that `input` still has, or a little more than `limit`; nil when it cannot be read.
  static func readAll(from input: Int32, limit: Int = InputText.limit) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let piece = readPiece(from: input) {
      if piece.isEmpty || bytes.count > limit { return bytes }
      bytes += piece
    }
    return nil
  }

  /// What `input` has next, nothing at its end; nil when it cannot be read.
  static func readPiece(from input: Int32) -> ArraySlice<UInt8>? {
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe read(input, $0.baseAddress, $0.count)
      }
      if count >= 0 { return piece[..<count] }
      guard errno == EINTR else { return nil }
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

  /// Keeps `signals` from this thread and those that it starts: they stay until ``next(of:)`` has them.
  static func block(_ signals: [Int32]) {
    var set = Self.set(of: signals)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for one of `signals`, which all threads block.
  static func next(of signals: [Int32]) -> Int32 {
    var set = Self.set(of: signals)
    var signal: Int32 = 0
    let code = unsafe sigwait(&set, &signal)
    precondition(code == 0, "These signals cannot be waited for")
    return signal
  }

  static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
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
