import SystemFiles

/// A command: its declaration, from which parsing, help and completions follow, and what it does.
struct Command: Sendable {
  typealias Action = @Sendable (Invocation) async throws -> ExitCode

  let name: String
  /// One line, as listed by the command above.
  let summary: String
  /// Paragraphs below the summary in the full help.
  var details: [String] = []
  var examples: [Example] = []
  var arguments: [Argument] = []
  var options: [any OptionDeclaration] = []
  var subcommands: [CommandGroup] = []
  /// Names that other tools use for the same thing; they are suggested, never accepted.
  var knownElsewhereAs: [String] = []
  /// Names of its options, by what other tools call them, in small letters with hyphens; suggested, never accepted.
  ///
  /// What it has no option for has a sentence that says what to do instead.
  var optionsKnownElsewhere: [String: String] = [:]
  /// What to do with words that it does not take; nil where they are to be left out, or stand in a text.
  var remedyForWords: String?
  /// Nil for a command that only has subcommands.
  var action: Action?

  /// All options, with those that every command has.
  var allOptions: [any OptionDeclaration] { options + CommonOptions.all }

  var children: [Command] { subcommands.flatMap(\.commands) }
}

/// Subcommands under one heading of the help.
struct CommandGroup: Sendable {
  let title: String
  let commands: [Command]
}

/// Options of every command.
enum CommonOptions {
  static let help = Flag("--help", short: "-h", "Show this help")
  static let quiet = Flag("--quiet", short: "-q", "Print nothing but results and errors")
  static let noColor = Flag("--no-color", "Print without colour, as NO_COLOR does")
  /// For commands that have it; errors and warnings are JSON then too.
  static let json = Flag("--json", "Print the result as JSON")
  /// Of the program alone.
  static let version = Flag("--version", "Show the version, and the commit that was built")
  static let all: [any OptionDeclaration] = [quiet, noColor, help]
}

/// One use of a command: its arguments, and the terminal that it talks to.
struct Invocation: Sendable {
  /// Names of the command and of those above it, as the user typed them.
  let commandName: String
  let arguments: ParsedArguments
  let terminal: Terminal
}

extension Invocation {
  /// The error for options that exclude or need each other.
  func conflict(_ text: ErrorText) -> UsageError {
    UsageError(command: commandName, problem: .conflict(text))
  }

  /// - Throws: `UsageError` where both are given.
  func exclude(_ first: any OptionDeclaration, _ second: any OptionDeclaration) throws {
    guard arguments.has(first), arguments.has(second) else { return }
    throw conflict("\(first.name) and \(second.name) exclude each other")
  }

  /// The value of an option that is needed, such as `example`.
  ///
  /// - Throws: `UsageError` where it is not given.
  func needed<Value>(_ option: Option<Value>, _ example: String) throws -> Value {
    guard let value = arguments.value(option) else {
      throw conflict("\(option.name) is needed: \(example)")
    }
    return value
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
