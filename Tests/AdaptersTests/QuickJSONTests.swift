import Testing

@testable import Adapters

/// The quick way of reading JSON says the same as the one that keeps places.
@Suite struct QuickJSONTests {
  @Test(arguments: [
    "{}", "{\"a\": 1, \"a\": 2, \"b\": {\"a\": [1, {\"c\": null}]}}",
    "{\"\\u0041\": \"x\\ny\", \"A\": 1}",
    "{\"a\": \"\u{e9}\\u00e9\\\\\"}", "[1, 2.5e3, -0, true, false, null, \"\"]",
  ])
  func bothWaysReadTheSame(_ text: String) throws {
    let bytes = Array(text.utf8)
    let (full, quick) = (
      try JSONDocument(parsing: bytes), try JSONDocument(parsing: bytes, findsPlaces: false)
    )
    #expect(full.root == quick.root)
    #expect(full.duplicates.map(\.line) == quick.duplicates.map(\.line))
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

  @Test(arguments: [
    "{\"a\": \"\\q\"}", "{\"a\": \"", "{\"a\": \"\u{1}\"}", "{\"a\": Infinity}",
    "{\"a\": -Infinity}", "[1,]",
  ])
  func bothWaysRefuseTheSame(_ text: String) {
    let bytes = Array(text.utf8)
    let errors = [true, false].map { findsPlaces in
      do throws(JSONError) {
        _ = try JSONDocument(parsing: bytes, findsPlaces: findsPlaces)
        return "accepted"
      } catch {
        return "\(error)"
      }
    }
    #expect(errors[0] == errors[1] && errors[0] != "accepted")
  }
}
