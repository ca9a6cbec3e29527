import SystemFiles

/// A command line that cannot be understood.
struct UsageError: ExplainedError, Equatable {
  /// The command whose help answers the question, such as `base convert`; empty for the program.
  let command: String
  let problem: Problem

  enum Problem: Equatable {
    case missingCommand
    case unknownCommand(String, suggestion: String?)
    case unknownOption(String, suggestion: String?)
    case missingValue(option: String, placeholder: String)
    case unexpectedValue(option: String, value: String)
    // `isInText` says that the word it stands in has blanks, and so may be no option at all.
    case repeatedOption(String, isInText: Bool = false)
    case badValue(option: String, text: String, expectation: String, isInText: Bool = false)
    case missingArgument(String)
    /// A word behind all that the command takes, which may be none; `remedy` is the command's own.
    case extraArgument(String, takesNone: Bool = false, remedy: String? = nil)
    /// Bytes that are no text, with those spelled out that are none.
    case notUTF8(place: String, text: String)
    /// Options that exclude each other or need each other, in a sentence of the command's own.
    case conflict(ErrorText)
  }

  var text: ErrorText {
    switch problem {
    case .missingCommand: "a command is needed"
    case .unknownCommand(let name, let suggestion):
      "there is no command '\(name)'\(Self.question(suggestion))"
    case .unknownOption(let name, let suggestion):
      "there is no option '\(name)'\(Self.question(suggestion))"
    case .missingValue(let option, let placeholder):
      "\(option) needs a value: \(option) <\(placeholder)>"
    case .unexpectedValue(let option, let value):
      "\(option) takes no value, but was given '\(value)'"
    case .repeatedOption(let option, let isInText):
      "\(option) was given twice\(remedy: isInText ? Self.hyphen : "give it once")"
    case .badValue(let option, let text, let expectation, let isInText):
      "\(option) takes \(expectation), not '\(text)'"
        + (isInText ? "\(remedy: Self.hyphen)" : "")
    case .missingArgument(let name): "<\(name)> is missing"
    case .extraArgument(let text, let takesNone, let own):
      "one word too many: '\(text)'"
        + "\(remedy: own ?? (takesNone ? "leave it out" : "put quotation marks around a text of several words"))"
    case .notUTF8(let place, let text):
      "\(place) is not UTF-8: '\(text)'"
        + "\(remedy: "write a text in UTF-8, or give the file or folder another name")"
    case .conflict(let text): text
    }
  }

  /// What to do about a text that looks like an option.
  static let hyphen = "put -- before a text that begins with a hyphen"

  /// Where to read on.
  var hint: String { "See 'fmadapter \(command.isEmpty ? "" : command + " ")--help'." }

  private static func question(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean '\($0)'?" } ?? ""
  }
}
