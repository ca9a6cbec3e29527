/// An option of a command, as the parser, the help and the completions see it.
protocol OptionDeclaration: Sendable {
  /// Long name with its dashes, such as `--seed`.
  var name: String { get }
  /// One letter with its dash, such as `-o`.
  var short: String? { get }
  var help: String { get }
  /// Nil for a flag, which takes no value.
  var placeholder: String? { get }
  var completion: Completion { get }
  var repeats: Bool { get }
  /// What `text` should have been, when it cannot be read.
  func expectation(failedBy text: String) -> String?
}

/// An option without a value.
struct Flag: OptionDeclaration {
  let name: String
  let short: String?
  let help: String

  init(_ name: String, short: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    self.help = help
  }

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
  let help: String

  init(
    _ name: String, short: String? = nil, _ type: ValueType<Value>, repeats: Bool = false,
    _ help: String
  ) {
    self.name = name
    self.short = short
    self.type = type
    self.repeats = repeats
    self.help = help
  }

  var placeholder: String? { type.placeholder }
  var completion: Completion { type.completion }
  func expectation(failedBy text: String) -> String? {
    type.read(text) == nil ? type.expectation : nil
  }
}

/// A word of the command line that belongs to no option.
struct Argument: Sendable {
  /// How many words it takes: one, one or none, one or more, any number.
  enum Arity: Sendable { case required, optional, several, any }

  let name: String
  let arity: Arity
  let completion: Completion
  let help: String

  init(
    _ name: String, _ help: String, arity: Arity = .required, completion: Completion = .none
  ) {
    self.name = name
    self.arity = arity
    self.completion = completion
    self.help = help
  }

  /// As it stands in a usage line.
  var usage: String {
    switch arity {
    case .required: "<\(name)>"
    case .optional: "[<\(name)>]"
    case .several: "<\(name)> ..."
    case .any: "[<\(name)> ...]"
    }
  }
}

/// A line to type and what it does.
struct Example: Sendable {
  let line: String
  let note: String

  init(_ line: String, _ note: String) {
    self.line = line
    self.note = note
  }
}
