/// A command line that cannot be understood.
struct UsageError: Error, Equatable, CustomStringConvertible {
  /// The command whose help answers the question, such as `base convert`; empty for the program.
  let command: String
  let problem: Problem

  enum Problem: Equatable {
    case missingCommand
    case unknownCommand(String, suggestion: String?)
    case unknownOption(String, suggestion: String?)
    case missingValue(option: String, placeholder: String)
    case unexpectedValue(option: String, value: String)
    case repeatedOption(String)
    case badValue(option: String, text: String, expectation: String)
    case missingArgument(String)
    case extraArgument(String)
    /// Options that exclude each other or need each other, in a sentence of the command's own.
    case conflict(String)
  }

  var description: String {
    switch problem {
    case .missingCommand: "a command is needed"
    case .unknownCommand(let name, let suggestion):
      "there is no command '\(name.printable)'" + Self.question(suggestion)
    case .unknownOption(let name, let suggestion):
      "there is no option '\(name.printable)'" + Self.question(suggestion)
    case .missingValue(let option, let placeholder):
      "\(option) needs a value: \(option) <\(placeholder)>"
    case .unexpectedValue(let option, let value):
      "\(option) takes no value, but was given '\(value.printable)'"
    case .repeatedOption(let option): "\(option) was given twice; give it once"
    case .badValue(let option, let text, let expectation):
      "\(option) takes \(expectation), not '\(text.printable)'"
    case .missingArgument(let name): "<\(name)> is missing"
    case .extraArgument(let text):
      "one word too many: '\(text.printable)'; put quotation marks around a text of several words"
    case .conflict(let sentence): sentence
    }
  }

  /// Where to read on.
  var hint: String { "See 'fmadapter \(command.isEmpty ? "" : command + " ")--help'." }

  private static func question(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean '\($0)'?" } ?? ""
  }
}
