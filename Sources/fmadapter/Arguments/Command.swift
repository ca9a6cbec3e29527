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
  /// Of the program alone.
  static let version = Flag("--version", "Show the version")
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
  func conflict(_ sentence: String) -> UsageError {
    UsageError(command: commandName, problem: .conflict(sentence))
  }
}
