import Adapters
import Testing

@Suite struct JSONLineTests {
  /// Each text is as Python's `json.dumps(…, ensure_ascii=False)` writes it.
  @Test(arguments: [
    "null", "true", "1.50", "[]", "{}", #"["a", 1, {"b": [], "a": null}]"#,
    #""é \" \\ \n \t \u0001 /""#,
  ])
  func linesAreAsPythonWritesThem(_ text: String) throws {
    #expect(try JSONDocument(parsing: Array(text.utf8)).root.line == text)
  }
}
