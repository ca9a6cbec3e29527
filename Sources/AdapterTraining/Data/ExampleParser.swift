import Adapters
import ChatTemplates
import JSON
import SystemFiles

/// Turns lines of a data set into examples and reports all that is wrong with each.
struct ExampleParser {
  private let file: String
  /// What was found since it was last taken.
  private(set) var findings: [Finding] = []
  /// Keys that are not read, each reported once a file.
  private var ignoredKeys: Set<String> = []
  private var hasSeenReturn = false
  private var hasNotedFirstKey = false
  private var place: Finding.Place
  private var labels = FileLabels()
  var schemas = KnownSchemas()
  /// The file that the lines are of; nil where they are made of something else.
  private let reader: FileReader?

  init(file: String, _ reader: FileReader? = nil) {
    (self.file, self.reader) = (file, reader)
    place = Finding.Place(file)
  }

  /// The example on `line` with what was found there; nil when the line has errors, or nothing on it.
  mutating func parse(_ line: LineReader.Line) -> (
    example: TrainingExample?, findings: [Finding]
  ) {
    findings = []
    place = Finding.Place(file, line: line.number, offset: line.offset)
    let example = parseLine(line)
    let isRefused = findings.contains { $0.severity == .error }
    return (isRefused ? nil : example, findings)
  }

  private mutating func parseLine(_ line: LineReader.Line) -> TrainingExample? {
    if line.hasCarriageReturn, !hasSeenReturn {
      hasSeenReturn = true
      report(.carriageReturn, "Lines end with CR and LF.")
    }
    guard !line.isTooLong else {
      report(.tooLong, "The line has \(Figures.exactSize(line.length)), more than the limit.")
      return nil
    }
    var text = line.text
    if line.number == 1, text.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(.byteOrderMark, "The file starts with a byte order mark.")
      text.removeFirst(3)
      place.offset = 3
    }
    guard let value = parseJSON(text) else { return nil }
    place.offset = line.offset
    return parse(PaddedNulls.removed(from: value)).map {
      TrainingExample(
        $0.form, $0.content, rejected: $0.rejected, line: line.number, offset: line.offset)
    }
  }

  /// The one value of a line; nil when there is none.
  private mutating func parseJSON(_ text: [UInt8]) -> JSONValue? {
    guard text.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else {
      report(.blankLine, "The line is empty.")
      return nil
    }
    let start = place.offset ?? 0
    if let index = Self.firstErrorOfUTF8(in: text) {
      place.offset = start + index
      let byte = String(text[index], radix: 16, uppercase: true)
      report(.encoding, "The byte 0x\(byte) is not part of UTF-8 text.")
      return nil
    }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text, limit: .max)
      for duplicate in document.duplicates {
        report(.repeatedKey, "The key '\(duplicate.path)' stands twice in one object.")
      }
      return document.root
    } catch {
      place.offset = start + error.offset
      if error.reason.isLimit {
        report(.bounds, "The line is not read: \(error).")
      } else {
        report(.json, "The line is not JSON: \(error).")
      }
      return nil
    }
  }

  /// Index of the first byte that is not part of UTF-8 text, or nil.
  private static func firstErrorOfUTF8(in bytes: [UInt8]) -> Int? {
    // Nearly always all is well, which the standard library sees much sooner.
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var iterator = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    var index = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar): index += scalar.count
      case .error: return index
      case .emptyInput: return nil
      }
    }
  }

  mutating func report(_ rule: DataRule, _ message: String) {
    findings.append(Finding(rule, at: place, message))
  }

  mutating func report(_ rule: DataRule, at key: String, _ message: String) {
    var place = place
    place.key = key
    findings.append(Finding(rule, at: place, message))
  }

  /// Notes a key that is not read, the first time that it is seen in the file.
  mutating func ignore(_ key: String, _ rule: DataRule, at path: String) {
    guard ignoredKeys.insert(rule.rawValue + key).inserted else { return }
    report(rule, at: path, "The key '\(key)' is not read, here or on later lines.")
  }

  /// Reports what is said once a file, whatever it is the first time.
  mutating func noteOnce(_ rule: DataRule, _ message: String) {
    guard ignoredKeys.insert(rule.rawValue).inserted else { return }
    report(rule, message)
  }
}

extension ExampleParser {
  /// What a line says.
  struct Parsed {
    let form: ExampleForm
    let content: TrainingExample.Content
    var rejected: TrainingMessage?
  }

  /// What the value of a line says, by its form.
  private mutating func parse(_ value: JSONValue) -> Parsed? {
    switch value {
    case .array(let examples) where Self.areExamples(examples):
      report(
        .form, "The line is a list of examples.")
      return nil
    case .array(let messages):
      return parseChat(messages, path: "", tools: nil).map { Parsed(form: .list, content: $0) }
    case .object(let object):
      return parse(object)
    default:
      report(.form, "The line is \(value.kind), not an example.")
      return nil
    }
  }

  /// Whether values are whole examples, where messages could stand.
  private static func areExamples(_ values: [JSONValue]) -> Bool {
    guard let first = values.first?.object, first["role"] == nil else { return false }
    return ["messages", "prompt", "completion", "chosen", "text"].contains { first[$0] != nil }
  }

  private mutating func parse(_ object: JSONObject) -> Parsed? {
    let isPair = object["chosen"] != nil || object["rejected"] != nil
    let isCompletion =
      object["completion"] != nil || (object["prompt"] != nil && !isPair)
    let list = messages(of: object, isOther: isPair || isCompletion || object["text"] != nil)
    let forms = [list != nil, isPair, isCompletion, object["text"] != nil]
    guard forms.count(where: \.self) < 2 else {
      report(
        .ambiguousForm,
        "The line has keys of several forms: \(object.keys.joined(separator: ", ")).")
      return nil
    }
    if let list { return parseMessages(object, list) }
    if isPair { return parsePair(object) }
    if isCompletion { return parseCompletion(object) }
    if let text = object["text"] { return parseText(object, text) }
    report(
      .form,
      object.isEmpty
        ? "The object is empty."
        : "The object has the keys \(Self.list(object.keys)), none of which is an example.")
    return nil
  }

  /// The member with the messages: by its name, or as Apple's toolkit has it, a list that comes first.
  private func messages(of object: JSONObject, isOther: Bool) -> JSONObject.Member? {
    if let value = object["messages"] { return JSONObject.Member(key: "messages", value: value) }
    guard !isOther, let first = object.members.first, first.value.array != nil else { return nil }
    return first
  }

  private mutating func parseMessages(_ object: JSONObject, _ list: JSONObject.Member) -> Parsed? {
    ignoreKeys(of: object, but: [list.key, "tools"], judging: Self.judging)
    if let first = object.keys.first, first != list.key {
      if !hasNotedFirstKey {
        report(.firstKey, at: first, "The key '\(first)' comes before the messages.")
      }
      hasNotedFirstKey = true
    }
    guard let messages = list.value.array else {
      report(.messageShape, at: list.key, "The messages are \(list.value.kind), not a list.")
      return nil
    }
    return parseChat(messages, path: list.key, tools: object["tools"])
      .map { Parsed(form: .messages, content: $0) }
  }

  private mutating func parseCompletion(_ object: JSONObject) -> Parsed? {
    ignoreKeys(of: object, but: ["prompt", "completion", "tools"], judging: Self.judging)
    guard let prompt = text(of: object, "prompt"), let answer = text(of: object, "completion")
    else { return nil }
    let messages = [TrainingMessage(.user, prompt), TrainingMessage(.assistant, answer)]
    checkContents(messages, paths: ["prompt", "completion"])
    let tools = object["tools"].map { parseTools($0, at: "tools") } ?? []
    return Parsed(form: .completion, content: .chat(messages, tools: tools))
  }

  private mutating func parseText(_ object: JSONObject, _ value: JSONValue) -> Parsed? {
    ignoreKeys(of: object, but: ["text"])
    guard let text = text(of: object, "text") else { return nil }
    if text.isBlank { report(.emptyAnswer, at: "text", "The text is empty.") }
    return Parsed(form: .text, content: .text(text))
  }

  private mutating func text(of object: JSONObject, _ key: String) -> String? {
    guard let value = object[key] else {
      report(.form, "The object has the keys \(Self.list(object.keys)), but no '\(key)'.")
      return nil
    }
    guard let text = value.string else {
      report(.content, at: key, "The value is \(value.kind), not a string.")
      return nil
    }
    return text
  }

  /// Keys by which trl, OpenAI and LLaMA-Factory say whether the answer of a line is to be learnt.
  private static let judging: Set = ["label", "weight", "kto_tag"]

  /// Notes the keys that are not `known`; those that are `judging` may say that the answer is not
  /// to be learnt, which is an error.
  mutating func ignoreKeys(
    of object: JSONObject, but known: Set<String>, judging: Set<String> = []
  ) {
    for member in object.members where !known.contains(member.key) {
      guard judging.contains(member.key), let isToLearn = judgement(of: member) else {
        ignore(member.key, .ignoredKey, at: member.key)
        continue
      }
      guard !isToLearn else { continue }
      report(
        .notToLearn, at: member.key,
        "The \(member.key) is \(member.value.line): the answer is not to be learnt.")
    }
  }

  /// Whether an answer is a right one by `member`, a label as unpaired preferences have it, or has weight; nil where it says
  /// neither.
  private mutating func judgement(of member: JSONObject.Member) -> Bool? {
    switch member.key {
    case "label": labels.isRight(member.value) { reader.map(FileLabels.fit) ?? false }
    case "kto_tag": FileLabels.isRight(tag: member.value)
    default: member.value.isOne
    }
  }

  /// A few keys, for messages.
  static func list(_ keys: [String]) -> String {
    guard !keys.isEmpty else { return "(none)" }
    let shown = keys.prefix(6).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
    return keys.count > 6 ? shown + ", …" : shown
  }
}

extension StringProtocol {
  /// Whether there is nothing to see.
  var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace } }
}
