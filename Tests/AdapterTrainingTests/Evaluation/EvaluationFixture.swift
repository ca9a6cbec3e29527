import Foundation
import JSON
import TestSupport

/// What `tools/fixtures/make_evaluation_fixtures.py` found in Python.
struct EvaluationFixture {
  private let object: JSONObject

  init() throws {
    let data = try Data(contentsOf: Fixtures.url("AdapterTrainingTests", "evaluation.json"))
    guard let object = try JSONDocument(parsing: Array(data)).root.object else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.object = object
  }

  func list(_ key: String) -> [JSONValue] { object[key]?.array ?? [] }
  func texts(_ key: String) -> [String] { list(key).compactMap(\.string) }
  func objects(_ key: String) -> [JSONObject] { list(key).compactMap(\.object) }
}
