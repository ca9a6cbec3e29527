import ChatTemplates

extension ExampleParser {
  /// Reports every message that must not stand where it does.
  mutating func checkOrder(_ messages: [TrainingMessage], path: String) {
    guard let last = messages.last else {
      return report(.missingAnswer, "The example has no messages.")
    }
    var before: ChatRole?
    for (index, message) in messages.enumerated() {
      if let problem = Self.problem(with: message.role, at: index, after: before) {
        report(.order, at: "\(path)[\(index)].role", problem)
      }
      before = message.role
    }
    if last.role != .assistant {
      report(
        .missingAnswer, at: "\(path)[\(messages.count - 1)].role",
        "The last message is one of the \(last.role.rawValue), so there is no answer to learn.")
    }
  }

  private static func problem(
    with role: ChatRole, at index: Int, after before: ChatRole?
  ) -> String? {
    switch (role, before) {
    case (.system, nil): nil
    case (.system, _): "Message \(index + 1) is of the system; only the first may be."
    case (.user, .user): "Two messages of the user follow one another."
    case (.assistant, .assistant): "Two messages of the assistant follow one another."
    case (.assistant, nil), (.assistant, .system): "The assistant speaks before the user."
    case (.tool, nil), (.tool, .system), (.tool, .user): "The result of a tool follows no answer."
    default: nil
    }
  }

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
    if let format {
      guard let answer = Self.json(in: message.content) else {
        return report(
          .answerNotJSON, at: path, "The answer is not JSON, but a schema is given for it.")
      }
      return check(answer, fits: format, at: path)
    }
    if !message.content.unicodeScalars.contains(where: \.saysSomething) {
      report(.bareAnswer, at: path, "The answer has no letter, digit or symbol.")
    }
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
