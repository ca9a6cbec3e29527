import SystemFiles

/// Reads the words after a command's name, one by one.
struct WordReader {
  let command: Command
  /// As the user typed it, for error messages.
  let name: String
  var words: ArraySlice<String>
  private var parsed = ParsedArguments()
  private var positionals: [String] = []

  init(command: Command, name: String, words: ArraySlice<String>) {
    self.command = command
    self.name = name
    self.words = words
  }

  mutating func read() throws(UsageError) -> ParsedArguments {
    while let word = words.popFirst() {
      if word == "--" {
        positionals += words
        break
      } else if word.hasPrefix("--") {
        try readOption(word)
      } else if word.hasPrefix("-"), word.count > 1 {
        try readShort(word)
      } else {
        positionals.append(word)
      }
    }
    try assignPositionals()
    return parsed
  }

  /// `--name`, `--name value` or `--name=value`.
  private mutating func readOption(_ word: String) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : nil
    guard let option = command.allOptions.first(where: { $0.isCalled(parts[0]) }) else {
      throw unknown(String(parts[0]), in: parts[0])
    }
    try accept(option, value)
  }

  /// `-o value`, `-ovalue`, `-q`, or several flags as in `-qh`.
  private mutating func readShort(_ word: String) throws(UsageError) {
    let name = String(word.prefix(2))
    guard let option = command.allOptions.first(where: { $0.short == name }) else {
      throw unknown(name, in: word)
    }
    let rest = String(word.dropFirst(2))
    // A word such as -ngl is no -n with a value that it cannot have, and -hf is not two flags.
    let isOurs = option.placeholder != nil && option.expectation(failedBy: rest) == nil
    if !rest.isEmpty, !isOurs, let error = elsewhere(word) { throw error }
    if option.placeholder == nil, !rest.isEmpty {
      try accept(option, nil)
      try readShort("-" + rest)
    } else {
      try accept(
        option, rest.isEmpty ? nil : rest, isInText: rest.contains(where: \.isWhitespace))
    }
  }

  private mutating func accept(
    _ option: any OptionDeclaration, _ attached: String?, isInText: Bool = false
  ) throws(UsageError) {
    guard let placeholder = option.placeholder else {
      if let attached { throw error(.unexpectedValue(option: option.name, value: attached)) }
      return parsed.add(option: option.name, "")
    }
    if !option.repeats, parsed.options[option.name] != nil {
      throw error(.repeatedOption(option.name, isInText: isInText))
    }
    guard let text = attached ?? words.first, attached != nil || !isOption(text) else {
      throw error(.missingValue(option: option.name, placeholder: placeholder))
    }
    if attached == nil { words.removeFirst() }
    if let expectation = option.expectation(failedBy: text) {
      throw error(
        .badValue(
          option: option.name, text: text, expectation: expectation, isInText: isInText))
    }
    parsed.add(option: option.name, text)
  }

  /// True for the name of a declared option, so that a forgotten value is noticed while `-1` can be one.
  private func isOption(_ word: String) -> Bool {
    let name = word.prefix { $0 != "=" }
    return command.allOptions.contains { $0.isCalled(name) || $0.short == word }
  }

  private mutating func assignPositionals() throws(UsageError) {
    var rest = positionals[...]
    for argument in command.arguments {
      if let text = rest.popFirst() {
        parsed.add(argument: argument.name, text)
        while [.several, .any].contains(argument.arity), let text = rest.popFirst() {
          parsed.add(argument: argument.name, text)
        }
      } else if ![.optional, .any].contains(argument.arity) {
        throw error(.missingArgument(argument.name))
      }
    }
    if let extra = rest.first {
      throw error(
        .extraArgument(
          extra, takesNone: command.arguments.isEmpty, remedy: command.remedyForWords))
    }
  }

  private func unknown(_ name: String, in word: some StringProtocol) -> UsageError {
    // No option has spaces, so a text is meant.
    if word.contains(where: \.isWhitespace) {
      return error(
        .conflict("there is no option '\(name.trimmed)'\(remedy: UsageError.hyphen)"))
    }
    if let error = elsewhere(String(word)) ?? elsewhere(name) { return error }
    let names = command.allOptions.map(\.name)
    return error(
      .unknownOption(name, suggestion: Suggestion.nearest(to: name, among: names)))
  }

  /// The error for what another program calls an option.
  private func elsewhere(_ name: String) -> UsageError? {
    let key = name.lowercased().replacing("_", with: "-")
    return command.optionsKnownElsewhere[key].map {
      // What is no option is a sentence.
      $0.hasPrefix("--")
        ? error(.unknownOption(name, suggestion: $0))
        : error(.conflict("there is no option '\(name)'\(remedy: $0)"))
    }
  }

  private func error(_ problem: UsageError.Problem) -> UsageError {
    UsageError(command: name, problem: problem)
  }
}
