import FoundationEssentials
import JSON
import Synchronization

/// A command of the program that was started for the page, and all that it has said.
final class StudioJob: Sendable {
  enum State: String, Sendable {
    case running, paused, ended
  }

  /// A line of what a command says.
  struct Line: Sendable {
    let isOutput: Bool
    let text: String

    var json: JSONValue { .array([.string(isOutput ? "out" : "err"), .string(text)]) }
  }

  private struct Facts {
    var state = State.running
    var code: Int32?
    var lines: [Line] = []
    /// What has come of lines that have not ended: of standard output, and of standard error.
    var (output, messages): ([UInt8], [UInt8]) = ([], [])
    var bytes = 0
    var isCut = false
    var command: (any StudioProcess)?
    var wantsEnd = false
    var ended: Date?
  }

  /// Bytes of what one says, at most; it is stopped then.
  private static let byteLimit = 64 << 20

  let number: Int
  let words: [String]
  let begun = Date()
  private let facts = Mutex(Facts())

  init(_ number: Int, _ words: [String]) { (self.number, self.words) = (number, words) }

  /// Takes over what runs.
  func begin(_ command: any StudioProcess) {
    let wantsEnd = facts.withLock { facts in
      if facts.state != .ended { facts.command = command }
      return facts.wantsEnd
    }
    if wantsEnd { command.stop() }
  }

  /// Notes what comes of the command.
  func note(_ event: StudioEvent) {
    let command = facts.withLock { facts -> (any StudioProcess)? in
      switch event {
      case .output(let bytes): Self.add(bytes, to: \.output, isOutput: true, &facts)
      case .message(let bytes): Self.add(bytes, to: \.messages, isOutput: false, &facts)
      case .ended(let code):
        Self.end(\.output, isOutput: true, &facts)
        Self.end(\.messages, isOutput: false, &facts)
        (facts.state, facts.code, facts.ended) = (.ended, code, Date())
        facts.command = nil
      }
      return facts.isCut ? facts.command : nil
    }
    command?.stop()
  }

  private static func add(
    _ bytes: [UInt8], to place: WritableKeyPath<Facts, [UInt8]>, isOutput: Bool,
    _ facts: inout Facts
  ) {
    facts.bytes += bytes.count
    guard facts.bytes <= byteLimit else {
      facts.isCut = true
      return
    }
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      facts[keyPath: place] += rest[..<end]
      take(place, isOutput: isOutput, &facts)
      rest = rest[(end + 1)...]
    }
    facts[keyPath: place] += rest
  }

  private static func end(
    _ place: WritableKeyPath<Facts, [UInt8]>, isOutput: Bool, _ facts: inout Facts
  ) {
    if !facts[keyPath: place].isEmpty { take(place, isOutput: isOutput, &facts) }
  }

  private static func take(
    _ place: WritableKeyPath<Facts, [UInt8]>, isOutput: Bool, _ facts: inout Facts
  ) {
    let text = String(decoding: facts[keyPath: place], as: UTF8.self)
    facts.lines.append(Line(isOutput: isOutput, text: text))
    facts[keyPath: place] = []
  }

  /// Whether it has ended.
  var hasEnded: Bool { facts.withLock { $0.state == .ended } }

  /// Asks it to end as Ctrl-C does, also where it is held.
  func stop() {
    let command = facts.withLock { facts in
      facts.wantsEnd = true
      if facts.state == .paused { facts.state = .running }
      return facts.command
    }
    command?.stop()
  }

  /// Holds it where it is, or lets it go on.
  func hold(_ isHeld: Bool) {
    let command = facts.withLock { facts -> (any StudioProcess)? in
      guard facts.state != .ended else { return nil }
      facts.state = isHeld ? .paused : .running
      return facts.command
    }
    if isHeld { command?.pause() } else { command?.goOn() }
  }

  /// All that it has written to standard output, and to standard error.
  var said: (code: Int32, output: String, messages: String) {
    facts.withLock { facts in
      func text(_ isOutput: Bool) -> String {
        facts.lines.filter { $0.isOutput == isOutput }.map { $0.text + "\n" }.joined()
      }
      return (facts.code ?? -1, text(true), text(false))
    }
  }

  /// Lines that it has said until now, and what state it is in.
  var progress: (count: Int, state: State) { facts.withLock { ($0.lines.count, $0.state) } }

  /// What it is, with its lines from `first` on, if they are wanted.
  func json(from first: Int? = nil) -> JSONObject {
    facts.withLock { facts in
      var object: JSONObject = [
        "id": .integer(number), "words": .array(words.map(JSONValue.string)),
        "state": .string(facts.state.rawValue),
        "code": facts.code.map { .integer(Int($0)) } ?? .null,
        "begun": .string(begun.formatted(.iso8601)),
        "ended": .text(facts.ended?.formatted(.iso8601)), "isCut": .bool(facts.isCut),
        "count": .integer(facts.lines.count),
      ]
      if let first {
        object["from"] = .integer(first)
        object["lines"] = .array(facts.lines.dropFirst(first).prefix(Self.linesAtOnce).map(\.json))
      }
      return object
    }
  }

  /// Lines of one answer, at most.
  private static let linesAtOnce = 5000
}
