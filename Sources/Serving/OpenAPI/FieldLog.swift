import JSON
import Synchronization

/// Notes what is read of requests, from which their description is made.
///
/// While one is ``current``, all readers of its task tell it what they look for, whether the request has it or not.
final class FieldLog: Sendable {
  @TaskLocal static var current: FieldLog?

  private struct Field {
    /// What it may be; any value where there is none.
    var schemas: [JSONValue] = []
  }

  private struct State {
    /// Fields by the paths of their objects, in which each element is `[]`, in the order in which they were read.
    var objects: [String: JSONObject] = [:]
    var fields: [String: Field] = [:]
    /// How often an object was read, and how often one of its fields had to be there.
    var visits: [String: Int] = [:]
    var needs: [String: [String: Int]] = [:]
  }

  private let state = Mutex(State())

  /// Notes that an object is read at `path`.
  func visit(_ path: String) {
    state.withLock { $0.visits[Self.general(path), default: 0] += 1 }
  }

  /// Notes that a field is looked for, which may be as `schema` says; any value if nil.
  func note(_ key: String, at path: String, _ schema: JSONObject?) {
    let path = Self.general(path)
    state.withLock { state in
      state.objects[path, default: [:]][key] = .null
      guard let schema else { return }
      let place = "\(path).\(key)"
      if state.fields[place]?.schemas.contains(.object(schema)) != true {
        state.fields[place, default: Field()].schemas.append(.object(schema))
      }
    }
  }

  /// Notes that there is no request without a field.
  func need(_ key: String, at path: String) {
    state.withLock { $0.needs[Self.general(path), default: [:]][key, default: 0] += 1 }
  }

  /// The path of all elements.
  private static func general(_ path: String) -> String {
    var text = ""
    var isIndex = false
    for character in path {
      if character == "]" { isIndex = false }
      if !isIndex { text.append(character) }
      if character == "[" { isIndex = true }
    }
    return text
  }
}

extension FieldLog {
  /// The schema of requests whose objects were read; nil where none was.
  var schema: JSONObject? {
    let state = state.withLock { $0 }
    if state.objects["[]"] != nil, state.objects[""] == nil {
      return ["type": .string("array"), "items": .object(Self.object("[]", state))]
    }
    return state.objects[""] == nil ? nil : Self.object("", state)
  }

  /// The paths of all fields that were looked for.
  var paths: [String] {
    let state = state.withLock { $0 }
    return state.objects.flatMap { path, fields in
      fields.keys.map { path.isEmpty ? $0 : "\(path).\($0)" }
    }.sorted()
  }

  private static func object(_ path: String, _ state: State) -> JSONObject {
    var properties: JSONObject = [:]
    let needed = (state.needs[path] ?? [:]).filter { $0.value >= state.visits[path] ?? 0 }
    for key in state.objects[path]?.keys ?? [] {
      let place = path.isEmpty ? key : "\(path).\(key)"
      let schemas = (state.fields["\(path).\(key)"]?.schemas ?? []).map { schema in
        filled(schema.object ?? [:], place, state)
      }
      properties[key] = .object(one(of: schemas, isNeeded: needed[key] != nil))
    }
    var object: JSONObject = ["type": .string("object"), "properties": .object(properties)]
    if !needed.isEmpty { object["required"] = .array(needed.keys.sorted().map { .string($0) }) }
    return object
  }

  /// A schema with what was read inside.
  private static func filled(_ schema: JSONObject, _ place: String, _ state: State) -> JSONObject {
    var schema = schema
    switch schema["type"]?.string {
    case "object" where state.objects[place] != nil:
      for member in object(place, state).members { schema[member.key] = member.value }
    case "array" where state.objects["\(place)[]"] != nil && schema["items"] == nil:
      schema["items"] = .object(object("\(place)[]", state))
    default: break
    }
    return schema
  }

  /// A field that is null counts as left out.
  private static func one(of schemas: [JSONObject], isNeeded: Bool) -> JSONObject {
    guard !schemas.isEmpty else { return [:] }
    let null: [JSONObject] = isNeeded ? [] : [["type": .string("null")]]
    let all = schemas + null
    return all.count == 1 ? all[0] : ["anyOf": .array(all.map { .object($0) })]
  }
}

extension JSONObject {
  /// The schema of a type, with what else holds.
  static func schema(_ type: String, _ more: JSONObject = [:]) -> JSONObject {
    var schema: JSONObject = ["type": .string(type)]
    for member in more.members { schema[member.key] = member.value }
    return schema
  }

  /// The schema of an array of texts.
  static var texts: JSONObject {
    schema("array", ["items": .object(schema("string"))])
  }
}
