import FoundationEssentials
import FoundationModels
import Testing

@Suite struct GeneratedContentTests {
  @Test(arguments: [
    #"{"b": 1, "a": [true, false, null], "c": {}}"#, "[]", #""a\"b\\\n\u0001é😀""#,
    "12345678901234567890",
    "-0.5", "1e-7", #"{"z": {"y": {"x": [[1], [2.50]]}}}"#,
  ])
  func jsonSurvivesARoundTrip(json: String) throws {
    let content = try GeneratedContent(json: json)
    #expect(content.jsonString == json)
    #expect(content.isComplete)
  }

  @Test(arguments: [
    ("", "null"), ("{", "{}"), (#"{"a"#, "{}"), (#"{"a":"#, "{}"), (#"{"a": 1"#, "{}"),
    (#"{"a": 1,"#, #"{"a": 1}"#), (#"{"a": "x\"#, #"{"a": "x"}"#),
    (#"{"a": "x\u00"#, #"{"a": "x"}"#),
    (#"{"a": "x\ud83d\ude0"#, #"{"a": "x"}"#), (#"{"a": tr"#, "{}"),
    (#"{"a": true"#, #"{"a": true}"#),
    (#"[[1, 2], [3, 4"#, "[[1, 2], [3]]"), (#"{"a": -"#, "{}"), (#"{"a": 1.5e"#, "{}"),
    (#""half"#, #""half""#),
  ])
  func whatIsCutOffIsLeftOut(json: String, rest: String) throws {
    let content = try GeneratedContent(json: json)
    #expect(content.jsonString == rest)
    #expect(!content.isComplete)
  }

  @Test(arguments: [
    ("{a}", "The text is not JSON: found 'a', expected a key in quotes at byte 1."),
    ("[1 2]", "The text is not JSON: found '2', expected ',' or ']' at byte 3."),
    (#"{"a" 1}"#, "The text is not JSON: found '1', expected ':' at byte 5."),
    ("[1]]", "The text is not JSON: something follows the value at byte 3."),
    ("[01]", "The text is not JSON: a number is malformed at byte 1."), ("nul", "no error"),
    ("nil", "The text is not JSON: found 'n', expected a value at byte 0."),
    (
      "[\"\u{1}\"]",
      "The text is not JSON: a string holds the control character byte 0x01 at byte 2."
    ),
    (#"["\x"]"#, "The text is not JSON: a string holds a malformed escape at byte 2."),
    (
      String(repeating: "[", count: 65),
      "The text is not JSON: values are nested more than 64 deep at byte 64."
    ),
  ])
  func malformedTextIsRefused(json: String, message: String) {
    #expect(failure { _ = try GeneratedContent(json: json) } == message)
  }

  @Test func everyPrefixOfATextIsTheBeginningOfItsContent() throws {
    let json =
      #"{"name": "Ünï \"q\" \u00e9\ud83d\ude00", "list": [1.5, -2e3, [], {}], "on": false, "no": null}"#
    let whole = try GeneratedContent(json: json)
    for count in 0..<json.unicodeScalars.count {
      let prefix = String(String.UnicodeScalarView(json.unicodeScalars.prefix(count)))
      let content = try GeneratedContent(json: prefix)
      #expect(!content.isComplete)
      #expect(Beginning.holds(content, of: whole), "\(prefix)")
    }
  }

  @Test func propertiesKeepTheirOrder() {
    let content = GeneratedContent(properties: ["z": 1, "a": "text", "m": [1.5, 2]])
    #expect(content.jsonString == #"{"z": 1, "a": "text", "m": [1.5, 2.0]}"#)
  }

  @Test func equalNamesAreCombined() {
    let pairs: [(String, any ConvertibleToGeneratedContent)] = [("a", 1), ("b", 2), ("a", 3)]
    let content = GeneratedContent(properties: pairs) { GeneratedContent(elements: [$0, $1]) }
    #expect(content.jsonString == #"{"a": [1, 3], "b": 2}"#)
  }

  @Test func valuesOfSeveralTypesStandInOneLiteral() {
    let content = GeneratedContent(
      properties: [("name", "Ada"), ("age", 36), ("name", "Bob")],
      uniquingKeysWith: { first, _ in first })
    #expect(content.jsonString == #"{"name": "Ada", "age": 36}"#)
  }

  @Test func aKeyIsWrittenOnce() {
    let properties = ["a": GeneratedContent(1), "b": GeneratedContent(2)]
    let content = GeneratedContent(
      kind: .structure(properties: properties, orderedKeys: ["b", "c", "b", "a", "a"]))
    #expect(content.jsonString == #"{"b": 2, "a": 1}"#)
    guard case .structure(_, let keys) = content.kind else {
      Issue.record("\(String(describing: content.kind))")
      return
    }
    #expect(keys == ["b", "a"])
  }

  @Test func whatHoldsHalfAValueIsNotWhole() throws {
    let half = try GeneratedContent(json: #"["a", "b"#)
    guard case .array(let elements) = half.kind else {
      Issue.record("\(String(describing: half.kind))")
      return
    }
    for content in [
      GeneratedContent(kind: half.kind), GeneratedContent(elements: elements),
      GeneratedContent(properties: ["x": half]), GeneratedContent(kind: .array([half])),
    ] {
      #expect(!content.isComplete)
    }
    #expect(GeneratedContent(kind: .array(Array(elements.prefix(1)))).isComplete)
  }

  @Test func aValueThatIsNoNumberCanBePartial() throws {
    #expect(Double.infinity.asPartiallyGenerated() == .infinity)
    #expect(Double.nan.asPartiallyGenerated().isNaN)
    #expect((-Float.infinity).asPartiallyGenerated() == -.infinity)
    #expect(Float.nan.asPartiallyGenerated().isNaN)
    #expect(Decimal.nan.asPartiallyGenerated().isNaN)
    #expect([1, Double.infinity].asPartiallyGenerated() == [1, .infinity])
    #expect(Double.nan.generatedContent.jsonString == "null")
    #expect(
      failure { _ = try Float(GeneratedContent(kind: .number(1e300))) }
        == "The value 1e+300 cannot be read as Float.")
    #expect(
      failure { _ = try Decimal(Double.infinity.generatedContent) }
        == "The value null cannot be read as Decimal.")
  }

  @Test func valuesAreReadByType() throws {
    let content = try GeneratedContent(
      json:
        #"{"i": 9007199254740993, "f": 0.1, "d": 0.1, "m": 0.1234567890123456789, "b": true, "s": "x", "l": [1]}"#
    )
    #expect(try content.value(Int.self, forProperty: "i") == 9_007_199_254_740_993)
    #expect(try content.value(Float.self, forProperty: "f") == 0.1)
    #expect(try content.value(Double.self, forProperty: "d") == 0.1)
    #expect(
      try content.value(Decimal.self, forProperty: "m") == Decimal(string: "0.1234567890123456789"))
    #expect(try content.value(Bool.self, forProperty: "b"))
    #expect(try content.value(String.self, forProperty: "s") == "x")
    #expect(try content.value([Int].self, forProperty: "l") == [1])
    #expect(try content.value(Int?.self, forProperty: "none") == nil)
  }

  @Test(arguments: [
    ("missing", "Int", "The content has no property 'missing'."),
    ("s", "Int", "The content is a string, which cannot be read as Int."),
    ("f", "Int", "The value 1.5 cannot be read as Int."),
    ("big", "Int", "The value 9223372036854775808 cannot be read as Int."),
    ("huge", "Double", "The value 1e999 cannot be read as Double."),
    ("l", "Bool", "The content is a list, which cannot be read as Bool."),
  ])
  func wrongValuesAreNamed(property: String, type: String, message: String) throws {
    let content = try GeneratedContent(
      json: #"{"s": "x", "f": 1.5, "big": 9223372036854775808, "huge": 1e999, "l": []}"#)
    #expect(
      failure {
        switch type {
        case "Int": _ = try content.value(Int.self, forProperty: property)
        case "Bool": _ = try content.value(Bool.self, forProperty: property)
        default: _ = try content.value(Double.self, forProperty: property)
        }
      } == message)
  }

  @Test func stockValuesSurviveARoundTrip() throws {
    func check<Value: Generable & Equatable>(_ values: Value...) throws {
      for value in values {
        let json = value.generatedContent.jsonString
        #expect(try Value(GeneratedContent(json: json)) == value, "\(json)")
      }
    }
    try check(Int.min, -1, 0, Int.max)
    try check(Double.leastNonzeroMagnitude, -1.5, 0.1, Double.greatestFiniteMagnitude)
    try check(Float.leastNonzeroMagnitude, 0.1, 3, Float.greatestFiniteMagnitude)
    try check(Decimal(string: "1234567890.0987654321") ?? 0, -7)
    try check("", "\"\\\u{0}\u{7F}\n", "é😀")
    try check(true, false)
    try check([[1, 2], [], [3]])
  }
}

/// What the error says, or "no error".
func failure(_ body: () throws -> Void) -> String {
  do { try body() } catch { return "\(error)" }
  return "no error"
}

/// Whether content is what another one begins with.
private enum Beginning {
  static func holds(_ part: GeneratedContent, of whole: GeneratedContent) -> Bool {
    if part.isComplete { return part == whole }
    switch (part.kind, whole.kind) {
    case (.null, _): return true
    case (.string(let a), .string(let b)):
      return b.unicodeScalars.starts(with: a.unicodeScalars)
    case (.array(let a), .array(let b)):
      return a.count <= b.count && zip(a, b).allSatisfy { holds($0, of: $1) }
    case (.structure(let a, let keys), .structure(let b, let all)):
      guard all.starts(with: keys) else { return false }
      return keys.allSatisfy { key in
        guard let first = a[key], let second = b[key] else { return false }
        return holds(first, of: second)
      }
    default: return false
    }
  }
}

@Suite struct GenerationIDTests {
  @Test func eachIsDifferentAndEqualOnlyToItself() {
    let (first, second) = (GenerationID(), GenerationID())
    #expect(first != second)
    #expect(first == first)
  }

  @Test func contentKeepsTheOneThatItIsGiven() {
    let id = GenerationID()
    #expect(GeneratedContent("x", id: id).id == id)
    #expect(GeneratedContent("x").id == nil)
  }
}
