import Adapters
import ChatTemplates

extension ExampleParser {
  /// Reports messages that say nothing, or what no answer should; `paths` are the keys of their texts.
  mutating func checkContents(_ messages: [TrainingMessage], paths: [String]) {
    var format: ResponseFormat?
    for (message, path) in zip(messages, paths) {
      switch message.role {
      case .user:
        format = message.responseFormat
        if message.content.isBlank, format == nil {
          report(.emptyPrompt, at: path, "The message of the user is empty.")
        }
      case .assistant:
        checkAnswer(message, format, at: path)
      case .system, .tool: break
      }
    }
  }

  private mutating func checkAnswer(
    _ message: TrainingMessage, _ format: ResponseFormat?, at path: String
  ) {
    guard message.toolCalls == nil else { return }
    guard !message.content.isBlank else {
      return report(.emptyAnswer, at: path, "The answer is empty.")
    }
    guard format == nil else {
      if !Self.isJSON(message.content) {
        report(.answerNotJSON, at: path, "The answer is not JSON, but a schema is given for it.")
      }
      return
    }
    if !message.content.unicodeScalars.contains(where: \.saysSomething) {
      report(.bareAnswer, at: path, "The answer has no letter, digit or symbol.")
    }
  }

  private static func isJSON(_ text: String) -> Bool {
    (try? JSONDocument(parsing: Array(text.utf8), limit: .max, findsPlaces: false)) != nil
  }
}

extension Unicode.Scalar {
  /// False for white space, punctuation and controls.
  fileprivate var saysSomething: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .mathSymbol, .currencySymbol, .otherSymbol:
      true
    default: false
    }
  }
}
