import Adapters
import ChatTemplates

/// Turns lines of a data set into examples and reports all that is wrong with each.
struct ExampleParser {
  let file: String
  /// What was found since it was last taken.
  private(set) var findings: [DataFinding] = []
  /// Keys that are not read, each reported once a file.
  private var ignoredKeys: Set<String> = []
  private var hasSeenReturn = false
  var hasNotedFirstKey = false
  var place: DataFinding.Place

  init(file: String) {
    self.file = file
    place = DataFinding.Place(file)
  }

  /// The example on `line` with what was found there; nil when the line has errors, or nothing on it.
  mutating func parse(_ line: LineReader.Line) -> (
    example: TrainingExample?, findings: [DataFinding]
  ) {
    findings = []
    place = DataFinding.Place(file, line: line.number, offset: line.offset)
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
      report(.tooLong, "The line has \(line.length) bytes, more than the limit.")
      return nil
    }
    var text = line.text
    if line.number == 1, text.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(.byteOrderMark, "The file starts with a byte order mark.")
      text.removeFirst(3)
      place.offset = 3
    }
    guard let value = parseJSON(text) else { return nil }
    let start = DataFinding.Place(file, line: line.number, offset: line.offset)
    place = start
    return parse(value).map {
      TrainingExample($0.form, $0.content, line: line.number, offset: line.offset)
    }
  }

  /// The one value of a line; nil when there is none.
  private mutating func parseJSON(_ text: [UInt8]) -> JSONValue? {
    guard text.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else {
      report(.blankLine, "The line is empty.")
      return nil
    }
    let start = place.offset ?? 0
    if let index = UTF8Scan.firstError(in: text) {
      place.offset = start + index
      report(.encoding, "The byte 0x\(UTF8Scan.hex(text[index])) is not part of UTF-8 text.")
      return nil
    }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text, limit: .max, findsPlaces: false)
      for duplicate in document.duplicates {
        report(.repeatedKey, "The key '\(duplicate.path)' stands twice in one object.")
      }
      return document.root
    } catch {
      place.offset = start + error.offset
      report(.json, "The line is not JSON: \(error).")
      return nil
    }
  }

  mutating func report(_ rule: DataRule, _ message: String) {
    findings.append(DataFinding(rule, at: place, message))
  }

  mutating func report(_ rule: DataRule, at key: String, _ message: String) {
    findings.append(DataFinding(rule, at: place.at(key), message))
  }

  /// Notes a key that is not read, the first time that it is seen in the file.
  mutating func ignore(_ key: String, _ rule: DataRule, at path: String) {
    guard ignoredKeys.insert(rule.rawValue + key).inserted else { return }
    report(rule, at: path, "The key '\(key)' is not read, here or on later lines.")
  }
}
