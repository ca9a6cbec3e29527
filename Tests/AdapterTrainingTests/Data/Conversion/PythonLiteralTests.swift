import Testing

@testable import AdapterTraining

@Suite struct PythonLiteralTests {
  @Test(arguments: [
    (#"{'a': 'b'}"#, [#"{"a": "b"}"#]),
    (#"{"a": [1, -2.5, true, null]}"#, [#"{"a": [1, -2.5, true, null]}"#]),
    (#"{'a': True, 'b': None, 'c': False,}"#, [#"{"a": true, "b": null, "c": false}"#]),
    (#"('a', "it's", 'say "x"')"#, [#"["a", "it's", "say \"x\""]"#]),
    (#"'\'\"\\\n\t\x41\u00e9\ud83d\ude00\U0001F600\d'"#, [#""'\"\\\n\tAé😀😀\\d""#]),
    ("'é 😀'", [#""é 😀""#]),
    ("{'a': 1}\n{'b': 2}, {}", [#"{"a": 1}"#, #"{"b": 2}"#, "{}"]),
    (" \n", []),
  ]) func valuesAreRead(_ text: String, _ expected: [String]) {
    #expect(PythonLiteral.values(in: text)?.map(\.line) == expected)
  }

  @Test(.timeLimit(.minutes(15))) func manyKeysAreRead() {
    let members = (0..<300_000).map { "'k\($0)': 1" }
    #expect(
      PythonLiteral.values(in: "{\(members.joined(separator: ","))}")?.first?.object?.members.count
        == members.count)
  }

  /// Keys are compared scalar by scalar.
  @Test func keysThatLookAlikeDiffer() {
    let object = PythonLiteral.values(in: "{'e\u{301}': 1, '\u{E9}': 2}")?.first?.object
    #expect(object?.members.count == 2)
  }

  @Test(arguments: [
    "{", "{'a'}", "{'a': }", "{'a': 1, 'a': 2}", "{1: 2}", "['a' 'b']", "'a", "'\\", "'\\u12'",
    "'\\U00110000'", "{tool_call}", "01", "nil", "]", String(repeating: "[", count: 100_000),
  ]) func whatIsNoneIsNotRead(_ text: String) {
    #expect(PythonLiteral.values(in: text) == nil)
  }
}
