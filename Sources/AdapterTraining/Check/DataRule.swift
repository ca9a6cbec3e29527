import Adapters
import JSON

/// The rules that data sets are held against; the raw values are their stable names.
package enum DataRule: String, Sendable, Codable, CaseIterable {
  case emptyFile = "file.empty"
  case byteOrderMark = "file.byte-order-mark"
  case tooLong = "line.too-long"
  case encoding = "line.utf8"
  case json = "line.json"
  case bounds = "line.bounds"
  case repeatedKey = "line.repeated-key"
  case blankLine = "line.blank"
  case carriageReturn = "line.crlf"
  case form = "example.form"
  case ambiguousForm = "example.ambiguous"
  case ignoredKey = "example.ignored-key"
  case firstKey = "example.first-key"
  case notToLearn = "example.not-to-learn"
  case messageShape = "message.shape"
  case role = "message.role"
  case content = "message.content"
  case order = "message.order"
  case ignoredMessageKey = "message.ignored-key"
  case weight = "message.weight"
  case emptyPrompt = "prompt.empty"
  case missingAnswer = "answer.missing"
  case emptyAnswer = "answer.empty"
  case bareAnswer = "answer.bare"
  case marksInAnswer = "answer.marks"
  case toolMarks = "message.tool-marks"
  case answerNotJSON = "answer.not-json"
  case answerOffSchema = "answer.schema"
  case unlearntThoughts = "answer.thoughts"
  case unlearntPart = "answer.left-out"
  case unlearntEnd = "answer.end"
  case missingOfPair = "pair.missing"
  case pairShape = "pair.shape"
  case equalAnswers = "pair.equal"
  case opposedPair = "pair.opposed"
  case tools = "tools.shape"
  case calls = "calls.shape"
  case strayCall = "calls.stray"
  case callOffSchema = "calls.schema"
  case callForm = "calls.form"
  case hugeNumber = "calls.number"
  case uncheckedSchema = "schema.unchecked"
  case responseFormat = "format.shape"
  case duplicate = "example.duplicate"
  case leakedExample = "example.leaked"
  case leakedPrompt = "prompt.leaked"
  case disputedPrompt = "prompt.disputed"
  case leakedTemplate = "template.leaked"
  case mixedForms = "forms.mixed"
  case mixedInstructions = "instructions.mixed"
  case rendering = "tokens.rendering"
  case context = "tokens.context"
  case record = "record.form"
  case limit = "check.limit"
}

extension DataRule {
  /// How much a broken rule matters: errors are lines that no training can use as they are meant.
  var severity: Finding.Severity {
    switch self {
    case .blankLine, .emptyPrompt, .bareAnswer, .marksInAnswer, .toolMarks, .answerNotJSON,
      .answerOffSchema, .duplicate, .strayCall, .callOffSchema, .callForm, .opposedPair,
      .leakedExample, .leakedTemplate, .mixedForms, .mixedInstructions, .disputedPrompt,
      .unlearntThoughts, .unlearntPart, .unlearntEnd, .context:
      .warning
    case .carriageReturn, .ignoredKey, .firstKey, .ignoredMessageKey, .leakedPrompt,
      .uncheckedSchema, .limit:
      .note
    default: .error
    }
  }

  /// One sentence that says what to do.
  package var remedy: String {
    switch self {
    case .emptyFile: "Give a file with one example a line."
    case .byteOrderMark:
      "Save the file as UTF-8 without a byte order mark, as a conversion does."
    case .tooLong: "Shorten the example, or split it into several."
    case .encoding:
      "Save the file as UTF-8, or convert it from its encoding."
    case .json:
      "Write one JSON value a line, with every line end inside a text as \\n; a conversion does so with values over several lines, or several on one."
    case .bounds: "Nest values less deep, give fewer or shorter ones, or leave the line out."
    case .repeatedKey: "Remove one of the two; programs disagree on which one counts."
    case .blankLine: "Remove the line; it is skipped here, but other trainers stop at it."
    case .carriageReturn: "Nothing has to be done; line ends of LF alone are usual."
    case .form:
      "Write a list of messages, or an object with messages, with prompt and completion, with prompt, chosen and rejected, or with text; a conversion makes such lines of other keys."
    case .ambiguousForm: "Keep one form and remove the keys of the other."
    case .ignoredKey, .ignoredMessageKey: "Nothing has to be done, unless it was meant to matter."
    case .firstKey:
      "Put messages first if Apple's toolkit is to read the file; it takes the first value."
    case .notToLearn:
      "Remove the line, as a conversion does; or rename the key, where it says something else."
    case .weight:
      "Write 0 (or false, as loss and train have it) on an answer that is not to be learnt, and 1 or nothing on any other."
    case .messageShape:
      "Write each message as {\"role\": …, \"content\": …}; a conversion makes a data set of a list of other objects."
    case .role:
      "Use system, user, assistant or tool, as a conversion does with human, gpt and developer."
    case .content:
      "Write the content as one string, as a conversion does with parts of text."
    case .order: "Let user and assistant take turns, after at most one system message."
    case .emptyPrompt: "Say what is asked, or remove the example."
    case .missingAnswer: "End the example with a message of the assistant."
    case .emptyAnswer: "Write the answer, or remove the example."
    case .bareAnswer: "Check that the answer is what is to be learnt."
    case .marksInAnswer:
      "Remove the mark; the chat format sets its own, and a model must not learn to spell them."
    case .toolMarks:
      "Write tools, tool_calls and messages of the tool instead, as a conversion makes them of such texts."
    case .answerNotJSON: "Write the answer as the JSON that the schema asks for."
    case .answerOffSchema: "Correct the answer, or the schema that it is asked for by."
    case .unlearntThoughts:
      "Use a base whose template keeps thoughts there, give earlier answers as examples of their own, or leave the thoughts out."
    case .unlearntEnd:
      "Use a base that has what ends an answer as a token, or give the format that it has one for."
    case .callForm:
      "Run the adapter by a program that reads such calls, or use a base whose template writes them as JSON."
    case .unlearntPart:
      "Put it into an answer of its own, or use a base whose template shows it."
    case .missingOfPair:
      "Give prompt, chosen and rejected; a conversion finds the prompt in whole conversations."
    case .pairShape:
      "Write each as a text, or the prompt as messages that end with the user's and each answer as one message of the assistant."
    case .equalAnswers: "Remove the pair; nothing can be learnt from it."
    case .opposedPair: "Decide which answer is better, or remove both pairs."
    case .tools:
      "Put a list of objects with JSON schemas as tools on the first message, or beside messages."
    case .calls: "Write calls as {\"function\": {\"name\": …, \"arguments\": …}} in an answer."
    case .strayCall: "Call what tools has, and let each result name the call before it."
    case .callOffSchema: "Correct the arguments, or the schema of the tool."
    case .hugeNumber: "Write the number as a text, or correct it."
    case .uncheckedSchema: "Correct the schema, if answers and calls are to be held against it."
    case .responseFormat:
      "Write {\"type\": \"json_schema\", \"json_schema\": {\"name\": …, \"schema\": {…}}} on a message of the user."
    case .duplicate: "Remove one of the two, unless it is to count twice."
    case .leakedExample:
      "Remove it from one of the files; a split keeps equal examples together."
    case .leakedPrompt: "Check that what is measured on the held-out file is not what was learnt."
    case .disputedPrompt:
      "Keep the answer that is right: where examples have one of a few, nothing can be learnt from two of them."
    case .leakedTemplate:
      "Hold out other wordings, as a split does where there are any; what is measured on these says little."
    case .mixedForms:
      "Write all examples in one form; other trainers take the first line's for all, and no training takes pairs and single answers together."
    case .mixedInstructions:
      "Give all examples a system message, or none; Apple's toolkit decides by one of them for all."
    case .rendering: "Use a base whose chat format has a place for it, or leave it out."
    case .context: "Shorten the example; what is beyond the context is cut in training."
    case .record: "Correct the record, or leave it out."
    case .limit: "Repair what is named, then check again."
    }
  }
}

extension Finding {
  /// A finding in a data set; the rule says how much it matters and what to do.
  init(_ rule: DataRule, at place: Place, _ message: String) {
    self.init(rule.rawValue, rule.severity, nil, at: place, message, remedy: rule.remedy)
  }

  /// The same in another file, as what was read from one is reported of the other.
  func moved(to place: Place) -> Finding {
    Finding(rule, severity, category, at: place, message, remedy: remedy)
  }
}
