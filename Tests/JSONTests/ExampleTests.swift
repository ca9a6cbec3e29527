import Testing

// The documentation shows this function.
// docs:begin
import JSON

/// The text with one key more, everything else as it was written.
func adding(_ key: String, _ number: Int, to text: String) throws -> String {
  var value = try JSONDocument(parsing: Array(text.utf8)).root
  if var object = value.object {
    object[key] = .number(JSONNumber(number))
    value = .object(object)
  }
  return value.line
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    #expect(try adding("n", 2, to: #"{"z": 1.0, "a": 1e5}"#) == #"{"z": 1.0, "a": 1e5, "n": 2}"#)
  }
}
