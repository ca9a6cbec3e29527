/// The words of a command line, sorted to the options and arguments that were declared.
struct ParsedArguments: Sendable, Equatable {
  /// Texts by option name; a flag has one empty text per use.
  private(set) var options: [String: [String]] = [:]
  private(set) var arguments: [String: [String]] = [:]

  mutating func add(option name: String, _ text: String) {
    options[name, default: []].append(text)
  }

  mutating func add(argument name: String, _ text: String) {
    arguments[name, default: []].append(text)
  }

  func has(_ flag: Flag) -> Bool { options[flag.name] != nil }

  /// The value of an option, or nil when it was not given.
  func value<Value>(_ option: Option<Value>) -> Value? { values(option).last }

  /// All values of an option, in the order in which they were given.
  func values<Value>(_ option: Option<Value>) -> [Value] {
    (options[option.name] ?? []).compactMap(option.type.read)
  }

  /// The text of an optional argument.
  func text(_ argument: Argument) -> String? { arguments[argument.name]?.first }

  /// All texts of an argument that may be given several times.
  func texts(_ argument: Argument) -> [String] { arguments[argument.name] ?? [] }

  /// The text of a required argument; the parser has made sure that there is one.
  func required(_ argument: Argument) -> String {
    precondition(argument.arity != .optional, "\(argument.name) may be absent")
    return text(argument) ?? ""
  }
}
