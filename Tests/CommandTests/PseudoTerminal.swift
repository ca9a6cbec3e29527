import Foundation
import TestSupport
import Testing

/// The program, or another one, with a terminal of its own on all three streams.
final class PseudoTerminal {
  private let process = Process()
  private let main: FileHandle
  private(set) var screen = ""
  private var hasEnded = false
  // What came after the last text that was waited for.
  private var unread = ""

  init(
    _ arguments: [String], program: String = Tool.path, columns: UInt16 = 80,
    environment: [String: String] = [:]
  ) throws {
    let side: FileHandle
    (main, side) = try Self.pair(columns: columns)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // Of the tests' own surroundings only the kernels, whose results are held against those of other runs.
    let kernels = ProcessInfo.processInfo.environment.filter { $0.key == "FMADAPTER_CPU" }
    process.environment = ["TERM": "xterm", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
      .merging(kernels.merging(environment) { $1 }) { $1 }
    process.standardInput = side
    process.standardOutput = side
    process.standardError = side
    try Subprocess.start(process)
    try side.close()
  }

  /// The two sides of a terminal: what a person has, and what a program has.
  static func pair(columns: UInt16) throws -> (main: FileHandle, side: FileHandle) {
    // Linux's own calls: unlock the pair (TIOCSPTLCK) and ask for its number (TIOCGPTN).
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (lock, number) = (Int32(0), Int32(0))
    guard ioctl(descriptor, 0x4004_5431, &lock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0
    else { throw POSIXError(.ENXIO) }
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    let side = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    return (
      FileHandle(fileDescriptor: descriptor, closeOnDealloc: true),
      FileHandle(fileDescriptor: side, closeOnDealloc: true)
    )
  }

  func type(_ text: String) throws { try main.write(contentsOf: Data(text.utf8)) }

  /// Types `text` once `prompt` has come.
  func type(
    _ text: String, after prompt: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(wait(for: prompt), "\(screen)", sourceLocation: location)
    try type(text)
  }

  func interrupt(_ signal: Int32 = SIGINT) { kill(process.processIdentifier, signal) }

  /// What Ctrl-Z does, or another signal; false when the program is not stopped by it within half a minute.
  func suspend(by signal: Int32 = SIGTSTP) -> Bool {
    kill(process.processIdentifier, signal)
    for _ in 1...1500 {
      var state = siginfo_t()
      let number = id_t(process.processIdentifier)
      guard waitid(P_PID, number, &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 else { return false }
      if state.si_signo == SIGCHLD { return true }
      poll(nil, 0, 20)
    }
    return false
  }

  /// What a shell does when the program is to go on.
  func resume() { kill(process.processIdentifier, SIGCONT) }

  /// Whether the terminal prints what is typed.
  var echoes: Bool {
    var settings = termios()
    return tcgetattr(main.fileDescriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Lets the terminal print what is typed, as a shell does; false where that fails.
  func echo() -> Bool {
    var settings = termios()
    guard tcgetattr(main.fileDescriptor, &settings) == 0 else { return false }
    settings.c_lflag |= tcflag_t(ECHO | ICANON)
    return tcsetattr(main.fileDescriptor, TCSANOW, &settings) == 0
  }

  /// Whether the program has the terminal print nothing any more, within half a minute.
  func waitForSilence() -> Bool {
    for _ in 1...1500 where echoes { poll(nil, 0, 20) }
    return !echoes
  }

  /// Reads until `text` comes after what was waited for before; false when the program ends without it.
  func wait(for text: String) -> Bool {
    while true {
      if let found = unread.range(of: text) {
        unread.removeSubrange(..<found.upperBound)
        return true
      }
      guard let more = read() else { return false }
      show(more)
    }
  }

  /// Reads until `count` characters have come; false when the program ends before.
  func wait(forMore count: Int) -> Bool {
    while unread.count < count {
      guard let more = read() else { return false }
      show(more)
    }
    return true
  }

  private func show(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    screen += text
    unread += text
  }

  /// Reads to the end and returns the exit status; a program that goes on without a word is killed.
  func finish() -> Int32 {
    while let more = read() { show(more) }
    if !hasEnded { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationStatus
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// Nil when the other side is closed, which Linux reports as an error, or says nothing for half a minute.
  private func read() -> [UInt8]? {
    var request = pollfd(fd: main.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 30_000) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Foundation.read(main.fileDescriptor, &buffer, buffer.count)
    hasEnded = count <= 0
    return hasEnded ? nil : Array(buffer.prefix(count))
  }
}
