import JSON

/// Reads the fields of an object of a request; what is wrong with one names it by its path.
///
/// A field that is null counts as left out, as all clients have it.
struct RequestReader {
  let object: JSONObject
  /// Where the object stands in the request; empty for the request itself.
  let path: String
  /// What was looked for in the object.
  let reads = Reads()

  /// Names of fields, which all copies of a reader share.
  final class Reads { fileprivate(set) var keys: Set<String> = [] }

  /// The object that is all of a request.
  ///
  /// - Throws: `.invalidRequest` for what is no JSON, with the place, or no object.
  init(_ body: [UInt8]) throws(ServingError) {
    let root = try Self.root(body)
    guard let object = root.object else {
      throw ServingError(.invalidRequest, "The body is not a JSON object, but \(root.kind).")
    }
    self.init(object, "")
    visit()
  }

  /// What a body is, whatever that may be.
  ///
  /// - Throws: `.invalidRequest` for what is no JSON, with the place, and for a field that is given twice: programs in front may read
  ///   the other one.
  static func root(_ body: [UInt8]) throws(ServingError) -> JSONValue {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body, limit: body.count)
    } catch {
      throw ServingError(.invalidRequest, "The body is not JSON: \(error).")
    }
    if let twice = document.duplicates.first { throw .invalid(twice.path, "this is given twice.") }
    return document.root
  }

  /// The objects of an array that is all of a request.
  static func objects(_ body: [UInt8]) throws(ServingError) -> [RequestReader] {
    let root = try root(body)
    guard let values = root.array else {
      throw ServingError(.invalidRequest, "The body is not an array of JSON, but \(root.kind).")
    }
    return try objects(values, at: "")
  }

  private static func objects(
    _ values: [JSONValue], at place: String
  ) throws(ServingError) -> [RequestReader] {
    var readers: [RequestReader] = []
    for (index, value) in values.enumerated() {
      let place = "\(place)[\(index)]"
      guard let object = value.object else {
        throw .invalid(place, "this is \(value.kind), and has to be an object.")
      }
      readers.append(RequestReader(object, place))
      readers.last?.visit()
    }
    return readers
  }

  init(_ object: JSONObject, _ path: String) { (self.object, self.path) = (object, path) }

  /// The path of a field.
  func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Notes that the object is read.
  private func visit() { FieldLog.current?.visit(path) }

  /// Notes that a field is looked for, which may be as `schema` says.
  private func note(_ key: String, _ schema: @autoclosure () -> JSONObject?) {
    reads.keys.insert(key)
    FieldLog.current?.note(key, at: path, schema())
  }

  /// Says what a field may be that is looked at as it is.
  func describe(_ key: String, _ schemas: JSONObject...) {
    for schema in schemas { note(key, schema) }
  }

  /// The value of a field; nil where it is null or left out.
  subscript(key: String) -> JSONValue? {
    note(key, nil)
    return plain(key)
  }

  private func plain(_ key: String) -> JSONValue? {
    if let value = object[key], value != .null { value } else { nil }
  }

  func string(_ key: String) throws(ServingError) -> String? {
    try value(key, "a string", .schema("string"), \.string)
  }

  func bool(_ key: String) throws(ServingError) -> Bool? {
    try value(key, "true or false", .schema("boolean")) {
      if case .bool(let value) = $0 { value } else { nil }
    }
  }

  func array(_ key: String) throws(ServingError) -> [JSONValue]? {
    try value(key, "an array", .schema("array"), \.array)
  }

  func object(_ key: String) throws(ServingError) -> RequestReader? {
    let object = try value(key, "an object", .schema("object"), \.object)
    return object.map { object in
      let reader = RequestReader(object, place(key))
      reader.visit()
      return reader
    }
  }

  /// The objects of an array.
  func objects(_ key: String) throws(ServingError) -> [RequestReader]? {
    try array(key).map { values throws(ServingError) in
      try Self.objects(values, at: place(key))
    }
  }

  /// A whole number; `1.0` is one, as some clients write it.
  func integer(_ key: String, _ range: ClosedRange<Int>) throws(ServingError) -> Int? {
    let (least, most) = (range.lowerBound, range.upperBound)
    return try value(
      key, "a whole number from \(least) to \(most)",
      .schema("integer", ["minimum": .integer(least), "maximum": .integer(most)])
    ) { value in
      let number = value.integer ?? value.number.flatMap { Int(exactly: $0.double) }
      return number.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func number(_ key: String, _ range: ClosedRange<Double>) throws(ServingError) -> Double? {
    let rule = "a number from \(range.lowerBound) to \(range.upperBound)"
    return try value(key, rule, Self.schema(of: range)) { value in
      value.number.flatMap { range.contains($0.double) ? $0.double : nil }
    }
  }

  private static func schema(of range: ClosedRange<Double>) -> JSONObject {
    .schema(
      "number",
      [
        "minimum": .number(JSONNumber(range.lowerBound)),
        "maximum": .number(JSONNumber(range.upperBound)),
      ])
  }

  /// An object of numbers by any names.
  func numbers(
    _ key: String, _ range: ClosedRange<Double>
  ) throws(ServingError) -> RequestReader? {
    let object = try value(
      key, "an object",
      .schema("object", ["additionalProperties": .object(Self.schema(of: range))]), \.object)
    return object.map { RequestReader($0, place(key)) }
  }

  /// One of some words.
  func word(_ key: String, _ words: [String]) throws(ServingError) -> String? {
    let rule = "one of \(words.joined(separator: ", "))"
    return try value(
      key, rule, .schema("string", ["enum": .array(words.map { .string($0) })])
    ) { value in
      value.string.flatMap { words.contains($0) ? $0 : nil }
    }
  }

  private func value<Value>(
    _ key: String, _ rule: String, _ schema: @autoclosure () -> JSONObject,
    _ read: (JSONValue) -> Value?
  ) throws(ServingError) -> Value? {
    note(key, schema())
    guard let value = plain(key) else { return nil }
    guard let read = read(value) else { throw .invalid(place(key), "this has to be \(rule).") }
    return read
  }

  /// A field without which there is no request.
  func required<Value>(_ key: String, _ value: Value?) throws(ServingError) -> Value {
    FieldLog.current?.need(key, at: path)
    guard let value else { throw .invalid(place(key), "this is missing.") }
    return value
  }
}
