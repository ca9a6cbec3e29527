import FoundationModels
import JSON

/// A type of which a test only wants the schema.
protocol SchemaOnly: Generable {
  init()
}

extension SchemaOnly {
  init(_ content: GeneratedContent) throws { self.init() }
  var generatedContent: GeneratedContent { GeneratedContent(kind: .null) }
}

extension JSONValue {
  /// The value with all keys sorted, as objects without order are compared.
  var normalized: JSONValue {
    switch self {
    case .object(let object):
      .object(JSONObject(object.sorted.map { .init(key: $0.key, value: $0.value.normalized) }))
    case .array(let values): .array(values.map(\.normalized))
    default: self
    }
  }
}
