/// An option of a command, as the parser, the help and the completions see it.
protocol OptionDeclaration: Sendable {
  /// Long name with its dashes, such as `--seed`.
  var name: String { get }
  /// One letter with its dash, such as `-o`.
  var short: String? { get }
  var help: String { get }
  /// The words that its value may be; empty where they cannot be counted.
  var choices: [String] { get }
  /// Nil for a flag, which takes no value.
  var placeholder: String? { get }
  var completion: Completion { get }
  var repeats: Bool { get }
  /// Names that are understood, too: those of Apple's toolkit where ours differ.
  var aliases: [String] { get }
  /// What `text` should have been, when it cannot be read.
  func expectation(failedBy text: String) -> String?
}

extension OptionDeclaration {
  /// The help, with what the value may be where that does not say it.
  var explanation: String {
    let said = Set((help + " " + (placeholder ?? "")).split { !Self.isOfChoice($0) })
    let isComplete = choices.allSatisfy { said.contains($0[...]) }
    guard !isComplete, let expectation = expectation(failedBy: "") else { return help }
    return help + "; " + expectation
  }

  private static func isOfChoice(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "-_=.".contains(character)
  }

  /// Whether `word` is one of its long names.
  func isCalled(_ word: some StringProtocol) -> Bool {
    name == word || aliases.contains { $0 == word }
  }
}

/// An option without a value.
struct Flag: OptionDeclaration {
  let name: String
  let short: String?
  let aliases: [String]
  let help: String

  init(_ name: String, short: String? = nil, aliases: [String] = [], _ help: String) {
    self.name = name
    self.short = short
    self.aliases = aliases
    self.help = help
  }

  var choices: [String] { [] }
  var placeholder: String? { nil }
  var completion: Completion { .none }
  var repeats: Bool { true }
  func expectation(failedBy text: String) -> String? { nil }
}

/// An option with a value.
struct Option<Value: Sendable>: OptionDeclaration {
  let name: String
  let short: String?
  let type: ValueType<Value>
  let repeats: Bool
  let aliases: [String]
  let help: String

  init(
    _ name: String, short: String? = nil, aliases: [String] = [], _ type: ValueType<Value>,
    repeats: Bool = false, _ help: String
  ) {
    self.name = name
    self.short = short
    self.aliases = aliases
    self.type = type
    self.repeats = repeats
    self.help = help
  }

  var choices: [String] { type.choices }
  var placeholder: String? { type.placeholder }
  var completion: Completion { type.completion }
  func expectation(failedBy text: String) -> String? {
    type.read(text) == nil ? type.expectation : nil
  }
}
