import Testing

@testable import JSON

@Suite struct JSONTests {
  @Test(arguments: [
    #"{"a": 1, "b": [1.0, -0, 1e5, 1E-7, 12345678901234567890, 0.1], "c": {}}"#,
    #"[true, false, null, "\"\\\/\b\f\n\r\té€😀", []]"#,
    " \t\r\n 7 \n", #""é""#, #"{"é": 1, "é": 2}"#,
  ])
  func whatIsWrittenReadsBackEqual(_ text: String) throws {
    let value = try JSONDocument(parsing: Array(text.utf8)).root
    let again = try JSONDocument(parsing: Array(value.text.utf8))
    #expect(again.root.sorted == value.sorted)
    #expect(again.duplicates.isEmpty)
  }

  /// What is left of a text that is cut, and of how many values the end is missing.
  @Test(arguments: [
    ("", "null", 1), (" ", "null", 1), ("nu", "null", 1), ("null", "null", 0), ("12", "12", 0),
    ("-", "null", 1), ("1.", "null", 1), ("[", "[]", 1), ("[1", "[]", 1), ("[1 ", "[1]", 1),
    ("[1,", "[1]", 1), ("[1, tr", "[1]", 1), ("[true", "[true]", 1), ("{", "{}", 1),
    (#"{"a"#, "{}", 1), (#"{"a""#, "{}", 1), (#"{"a":"#, "{}", 1), (#"{"a": "#, "{}", 1),
    (#"{"a": 1"#, "{}", 1), (#"{"a": 1}"#, #"{"a": 1}"#, 0), (#""x"#, #""x""#, 1),
    (#"{"a": [{"b": "x"#, #"{"a": [{"b": "x"}]}"#, 4), (#"[[1], [2"#, "[[1], []]", 2),
    (#"[[1], [2]"#, "[[1], [2]]", 1), (#"{"a": 1, "b": 2, "a": 3}"#, #"{"a": 3, "b": 2}"#, 0),
    (#"{"a": 1, "b": 2, "a": "x"#, #"{"b": 2, "a": "x"}"#, 2),
    (#"["a\"#, #"["a"]"#, 2), (#"["a\u00"#, #"["a"]"#, 2), (#"["a\ud83d"#, #"["a"]"#, 2),
    (#"["a\ud83d\u"#, #"["a"]"#, 2), (#"["a\u00e9"#, #"["aé"]"#, 2),
  ])
  func aTextMayBeCutAnywhere(_ text: String, _ rest: String, _ openLevels: Int) throws {
    let document = try JSONDocument(beginning: Array(text.utf8))
    #expect(document.root.line == rest && document.openLevels == openLevels)
  }

  @Test func aCutCharacterIsLeftOut() throws {
    for count in 1...4 {
      let document = try JSONDocument(beginning: Array(Array("\"😀".utf8).prefix(count)))
      #expect(document.root == .string("") && document.openLevels == 1)
    }
  }

  @Test(arguments: ["[1 2", "{1", #"{"a" 1"#, #"["\x"#, #"["\u12G"#, "[01", "nil", "1]"])
  func whatNoTextBeginsWithIsRefused(_ text: String) {
    #expect(throws: JSONError.self) { try JSONDocument(beginning: Array(text.utf8)) }
  }

  @Test func theTextIsThatOfPythonsExporter() throws {
    let text =
      #"{"b": [1.0, [], {}], "a": {"ü": "\u001f\u007f/\"\\", "Z": 1e22, "a": -1}, "": null}"#
    // Python 3.11: json.dumps(json.loads(text), indent=4, sort_keys=True, ensure_ascii=False)
    let expected = """
      {
          "": null,
          "a": {
              "Z": 1e22,
              "a": -1,
              "ü": "\\u001f\u{7f}/\\"\\\\"
          },
          "b": [
              1.0,
              [],
              {}
          ]
      }
      """
    #expect(try JSONDocument(parsing: Array(text.utf8)).root.text == expected)
  }

  @Test(arguments: [
    ("", 0, 1, JSONError.Reason.unexpectedEnd),
    ("\n\n {\"a\" 1}", 8, 3, .unexpectedByte(0x31, expected: "':'")),
    ("[1 2]", 3, 1, .unexpectedByte(0x32, expected: "',' or ']'")),
    ("{\"a\":1,}", 7, 1, .unexpectedByte(0x7D, expected: "a key in quotes")),
    ("[1,]", 3, 1, .unexpectedByte(0x5D, expected: "a value")),
    ("{\"a\":1", 6, 1, .unexpectedEnd), ("[1,", 3, 1, .unexpectedEnd),
    ("\"abc", 4, 1, .unexpectedEnd), ("\"a\\", 3, 1, .unexpectedEnd),
    ("01", 0, 1, .malformedNumber), ("-", 0, 1, .malformedNumber), ("1.", 0, 1, .malformedNumber),
    ("1e+", 0, 1, .malformedNumber), ("[-x]", 1, 1, .malformedNumber),
    (".5", 0, 1, .unexpectedByte(0x2E, expected: "a value")),
    ("+1", 0, 1, .unexpectedByte(0x2B, expected: "a value")),
    ("NaN", 0, 1, .notANumber("NaN")), ("Infinity", 0, 1, .notANumber("Infinity")),
    ("[-Infinity]", 1, 1, .notANumber("-Infinity")),
    ("\"\u{1}\"", 1, 1, .controlCharacter(1)), ("\"a\n\"", 2, 1, .controlCharacter(10)),
    ("\"\\x\"", 1, 1, .malformedEscape), ("\"\\u12G4\"", 1, 1, .malformedEscape),
    ("\"\\ud800\"", 7, 1, .malformedEscape), ("\"\\udc00\\ud800\"", 13, 1, .malformedEscape),
    ("1 2", 2, 1, .trailingBytes), ("\u{FEFF}1", 0, 1, .byteOrderMark),
    ("tru", 0, 1, .unexpectedByte(0x74, expected: "a value")),
  ])
  func everyDefectIsNamedWithItsPlace(
    _ text: String, _ offset: Int, _ line: Int, _ reason: JSONError.Reason
  ) {
    #expect(throws: JSONError(reason: reason, offset: offset, line: line)) {
      try JSONDocument(parsing: Array(text.utf8))
    }
  }

  /// Files of Python have what is no number; it is no number here either.
  @Test func whatIsNoNumberMayBeRead() throws {
    func parse(_ text: String) throws(JSONError) -> JSONValue {
      try JSONDocument(parsing: Array(text.utf8), limit: 99, values: 9, keepsNonFinite: true).root
    }
    #expect(
      try parse("[NaN, Infinity, -Infinity, -1]").array
        == [
          .string("NaN"), .string("Infinity"), .string("-Infinity"), .number(JSONNumber(-1)),
        ])
    #expect(throws: JSONError(reason: .malformedNumber, offset: 0, line: 1)) {
      try parse("-Inf")
    }
  }

  @Test func stringsHaveToBeUTF8() {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
      #expect(throws: JSONError(reason: .invalidUTF8, offset: 0, line: 1)) {
        try JSONDocument(parsing: [0x22] + bytes + [0x22])
      }
    }
  }

  @Test func depthAndSizeAreBounded() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONDocument(parsing: nested(64))
    for depth in [65, 200_000] {
      #expect(throws: JSONError(reason: .tooDeep(limit: 64), offset: 64, line: 1)) {
        try JSONDocument(parsing: nested(depth))
      }
    }
    #expect(throws: JSONError(reason: .tooLarge(bytes: 9, limit: 8), offset: 8, line: 1)) {
      try JSONDocument(parsing: Array("123456789".utf8), limit: 8)
    }
  }

  @Test(arguments: [
    ("[1,2,[3]]", 5, 6, JSONError.Reason.tooManyValues(limit: 4), "there are more than 4 values"),
    (
      "{\"a\": {\"\(String(repeating: "k", count: 4097))\": 1}}", 5, 7, .keyTooLong(limit: 4096),
      "a key has more than 4,096 bytes"
    ),
    (
      "[-\(String(repeating: "1", count: 4096))]", 5, 1, .numberTooLong(limit: 4096),
      "a number has more than 4,096 bytes"
    ),
  ])
  func whatATextMayAskForIsBounded(
    _ text: String, _ values: Int, _ offset: Int, _ reason: JSONError.Reason, _ message: String
  ) throws {
    let bytes = Array(text.utf8)
    let limit = if case .tooManyValues(let limit) = reason { limit } else { values }
    #expect(throws: JSONError(reason: reason, offset: offset, line: 1)) {
      try JSONDocument(parsing: bytes, values: limit)
    }
    #expect("\(JSONError(reason: reason, offset: 0, line: 1))" == message)
    // One less is no error.
    if case .tooManyValues = reason { _ = try JSONDocument(parsing: bytes, values: limit + 1) }
  }

  /// 1 MB of what once took memory or time that grew with the square of it.
  struct HostileShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let members: String

    init(_ name: String, _ members: String) { (testDescription, self.members) = (name, members) }
  }

  @Test(
    .timeLimit(.minutes(15)),
    arguments: [
      HostileShape(
        "unknown keys", (0..<90_000).map { "\"k\($0)\":\($0 % 10)" }.joined(separator: ",")),
      HostileShape(
        "one key again and again",
        Array(repeating: "\"k\":1", count: 170_000).joined(separator: ",")
      ),
      HostileShape(
        "long keys in long keys",
        (0..<250).map { "\"\(String(repeating: "k", count: 4090))\($0)\":{\"a\":1,\"a\":2" }
          .chunked(60).joined(separator: ",")
      ),
      HostileShape("escapes", "\"k\":\"\(String(repeating: "\\u00e9\\n", count: 130_000))\""),
      HostileShape(
        "long numbers",
        "\"k\":[7\(String(repeating: ",\(String(repeating: "7", count: 4000))", count: 250))]"
      ),
    ])
  func hostileShapesAreReadInTime(_ shape: HostileShape) throws {
    let text = "{" + shape.members + "}"
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(document.duplicates.count <= 100)
    #expect(document.root.object != nil)
  }

  @Test func repeatedKeysAreFoundAndTheFirstCounts() throws {
    let text = "{\n\"a\": 1,\n\"b\": {\"x\": 1,\n\"x\": 2},\n\"\\u0061\": 3}"
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(
      document.duplicates == [
        JSONDocument.Duplicate(path: "b.x", offset: 24, line: 4),
        JSONDocument.Duplicate(path: "a", offset: 33, line: 5),
      ])
    #expect(document.root.object?["a"]?.integer == 1)
    #expect(document.line(of: "b.x") == 3)
  }

  @Test(arguments: [3, 15, 16, 17, 40])
  func aRepeatedKeyIsFoundAmongManyAsAmongFew(_ count: Int) throws {
    let members = (0..<count).map { "\"k\($0)\": \($0)" } + ["\"k1\": 9", "\"k\(count - 1)\": 9"]
    let text = "{" + members.joined(separator: ", ") + "}"
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(document.duplicates.map(\.path) == ["k1", "k\(count - 1)"])
    #expect(document.root.object?.members.count == count)
    #expect(document.root.object?["k1"]?.integer == 1)
  }

  /// Compared one by one, so many keys would take minutes.
  @Test func keysAreFoundAmongManyAtOnce() throws {
    let keys = (0..<100_000).map { "k\($0)" }
    let text = "{" + keys.map { "\n\"\($0)\": null" }.joined(separator: ",") + "}"
    let document = try JSONDocument(parsing: Array(text.utf8))
    let object = try #require(document.root.object)
    let made = JSONObject(object.members)
    #expect(keys.allSatisfy { object[$0] == .null && made[$0] == .null } && object["k"] == nil)
    #expect(document.lines(of: object.members) == (2..<100_002).map(\.self))
    let again = try JSONDocument(
      beginning: Array(text.dropLast().utf8) + Array(",".utf8) + Array(text.dropFirst().utf8))
    #expect(again.root == document.root)
  }

  @Test(arguments: [3, 16, 17, 40])
  func membersComeAndGoAmongManyAsAmongFew(_ count: Int) {
    var object = JSONObject()
    for index in 0..<count { object["k\(index)"] = .number(JSONNumber(index)) }
    for index in 0..<count where index.isMultiple(of: 3) { object["k\(index)"] = nil }
    object["k1"] = .null
    object["k0"] = .bool(true)
    let kept = (1..<count).filter { !$0.isMultiple(of: 3) }
    #expect(object.keys == kept.map { "k\($0)" } + ["k0"])
    for index in kept.dropFirst() { #expect(object["k\(index)"]?.integer == index) }
    #expect(object["k1"] == .null && object["k0"] == .bool(true) && object["k3"] == nil)
  }

  @Test func everyKeyHasItsLine() throws {
    let text = "{\"a.b\": 1,\n\"a\": {\"b\": 2,\n\"l\": [0, {\"x\":\n{\"y\": 1}}]}}"
    let document = try JSONDocument(parsing: Array(text.utf8))
    let lines: [String: Int] = ["a.b": 1, "a": 2, "a.l": 3, "a.l[1].x": 3, "a.l[1].x.y": 4]
    for (path, line) in lines { #expect(document.line(of: path) == line, "\(path)") }
    for path in ["", "b", "a.c", "a.l[0]", "a.l[2].x", "a.l[1]", "a.l[x].x", "a.b.c", "a."] {
      #expect(document.line(of: path) == nil, "\(path)")
    }
  }

  /// Each text is as Python's `json.dumps(…, ensure_ascii=False)` writes it.
  @Test(arguments: [
    "null", "true", "1.50", "[]", "{}", #"["a", 1, {"b": [], "a": null}]"#,
    #""é \" \\ \n \t \u0001 /""#,
  ])
  func linesAreAsPythonWritesThem(_ text: String) throws {
    #expect(try JSONDocument(parsing: Array(text.utf8)).root.line == text)
  }

  @Test func equalityIsByCodePoints() {
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    let object: JSONObject = ["\u{E9}": .null]
    #expect(object["e\u{301}"] == nil)
    #expect(JSONValue.number(JSONNumber(1)) != .number(JSONNumber(1.0)))
  }

  @Test func numbersConvertOrSayNo() {
    #expect(JSONNumber(checked: "12").integer == 12)
    #expect(JSONNumber(checked: "12.0").integer == nil)
    #expect(JSONNumber(checked: "1E2").integer == nil)
    #expect(JSONNumber(checked: "99999999999999999999").integer == nil)
    #expect(JSONNumber(checked: "1e400").double == .infinity)
    #expect(JSONNumber(16.0).text == "16.0")
    #expect(JSONNumber(0.00001).text == "1e-05")
  }
}

extension [String] {
  /// Members that each open an object, `count` inside each other at a time, and closed.
  fileprivate func chunked(_ count: Int) -> [String] {
    stride(from: 0, to: self.count, by: count).map { start in
      let part = self[start..<Swift.min(start + count, self.count)]
      return part.joined(separator: ",") + String(repeating: "}", count: part.count)
    }
  }
}

extension JSONValue {
  /// The value with the keys of every object in order.
  fileprivate var sorted: JSONValue {
    switch self {
    case .array(let values): .array(values.map(\.sorted))
    case .object(let object):
      .object(JSONObject(object.sorted.map { .init(key: $0.key, value: $0.value.sorted) }))
    default: self
    }
  }
}
