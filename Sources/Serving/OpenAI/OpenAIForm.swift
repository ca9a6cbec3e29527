import Grammars
import JSON
import SystemFiles

/// What an answer has to be like: `response_format`, vLLM's `structured_outputs` and what that was called before, and llama.cpp's
/// `json_schema`.
enum OpenAIForm {
  /// - Throws: `.invalidRequest` for more than one form, and for what cannot be enforced: an answer is never left free in silence.
  static func form(_ fields: RequestReader) throws(ServingError) -> GenerationRequest.Form {
    var found: [(place: String, form: GenerationRequest.Form)] = []
    let format = try responseFormat(fields)
    if format != .any { found.append((fields.place("response_format"), format)) }
    if let schema = fields["json_schema"] {
      found.append((fields.place("json_schema"), try form(schema, at: fields.place("json_schema"))))
    }
    found += try forms(
      fields, object: nil, schema: "guided_json", pattern: "guided_regex", choice: "guided_choice")
    if let outputs = try fields.object("structured_outputs") {
      found += try forms(
        outputs, object: "json_object", schema: "json", pattern: "regex", choice: "choice")
      try outputs.refuseRest(but: [])
    }
    guard found.count <= 1 else {
      throw .invalid(found[1].place, "\(found[0].place) is given, too; leave one of them out.")
    }
    return found.first?.form ?? .any
  }

  private static let types = ["text", "json_object", "json_schema", "regex", "json"]

  /// OpenAI's types, those of llama.cpp, which has a schema beside `json_object`, and of others that have regular expressions.
  private static func responseFormat(
    _ fields: RequestReader
  ) throws(ServingError) -> GenerationRequest.Form {
    guard let format = try fields.object("response_format") else { return .any }
    switch try format.required("type", format.word("type", types)) {
    case "text": return .any
    case "json_object":
      guard let schema = format["schema"] else { return .object }
      return try form(schema, at: format.place("schema"))
    case "json_schema":
      let wrapper = try format.required("json_schema", format.object("json_schema"))
      return try form(wrapper.required("schema", wrapper["schema"]), at: wrapper.place("schema"))
    case "json":
      return try form(format.required("value", format["value"]), at: format.place("value"))
    default:
      let key = format["pattern"] == nil ? "value" : "pattern"
      return try form(
        pattern: format.required(key, format.string(key)), at: format.place(key))
    }
  }

  /// The forms that `fields` have by these names.
  private static func forms(
    _ fields: RequestReader, object: String?, schema: String, pattern: String, choice: String
  ) throws(ServingError) -> [(place: String, form: GenerationRequest.Form)] {
    var found: [(place: String, form: GenerationRequest.Form)] = []
    if let object, try fields.bool(object) ?? false {
      found.append((fields.place(object), .object))
    }
    if let value = fields[schema] {
      found.append((fields.place(schema), try form(written: value, at: fields.place(schema))))
    }
    if let text = try fields.string(pattern) {
      let place = fields.place(pattern)
      found.append((place, try form(pattern: text, at: place)))
    }
    if let texts = try choices(fields, choice) { found.append((fields.place(choice), texts)) }
    return found
  }

  /// Texts to choose from, at most, and their bytes.
  private static let (choiceLimit, choiceBytes) = (1024, 64 << 10)

  private static func choices(
    _ fields: RequestReader, _ key: String
  ) throws(ServingError) -> GenerationRequest.Form? {
    guard let values = try fields.array(key) else { return nil }
    let texts = values.compactMap(\.string).filter { !$0.isEmpty }
    guard (1...choiceLimit).contains(values.count), texts.count == values.count,
      texts.reduce(0, { $0 + $1.utf8.count }) <= choiceBytes
    else {
      throw .invalid(
        fields.place(key), "this has to be an array of 1 to \(choiceLimit) texts of some letters.")
    }
    return .choice(texts)
  }

  /// A schema, which vLLM's clients may also write as a text.
  private static func form(
    written value: JSONValue, at place: String
  ) throws(ServingError) -> GenerationRequest.Form {
    guard let text = value.string else { return try form(value, at: place) }
    let schema: JSONValue
    do throws(JSONError) {
      schema = try JSONDocument(parsing: Array(text.utf8)).root
    } catch {
      throw .invalid(place, "this is a text, but not of JSON: \(error).")
    }
    return try form(schema, at: place)
  }

  static func form(
    _ schema: JSONValue, at place: String
  ) throws(ServingError) -> GenerationRequest.Form {
    try checked(.schema(schema), at: place) { () throws(GrammarDefect) in
      _ = try Grammar(schema: schema)
    }
  }

  /// Bytes of a regular expression, at most.
  private static let patternBytes = 4096

  private static func form(
    pattern: String, at place: String
  ) throws(ServingError) -> GenerationRequest.Form {
    guard (1...patternBytes).contains(pattern.utf8.count) else {
      throw .invalid(place, "this has to have 1 to \(patternBytes) bytes.")
    }
    return try checked(.pattern(pattern), at: place) { () throws(GrammarDefect) in
      try Grammar(.plainPattern(pattern)).check()
    }
  }

  private static func checked(
    _ form: GenerationRequest.Form, at place: String, _ check: () throws(GrammarDefect) -> Void
  ) throws(ServingError) -> GenerationRequest.Form {
    do throws(GrammarDefect) {
      try check()
      return form
    } catch {
      throw .invalid(place, "\(error.text.problem).")
    }
  }
}
