import JSON
import SystemFiles

/// A place in a JSON document, as RFC 6901 has it, or the part of a JSON Schema that has this name by `$anchor`.
struct JSONPointer {
  private let steps: [String]
  private let anchor: String?

  /// A pointer as the fragment of an address; nil where it is no pointer.
  init?(fragment: String) {
    guard fragment.utf8.first == UInt8(ascii: "#"),
      let text = String(fragment.unicodeScalars.dropFirst()).percentDecoded
    else { return nil }
    guard text.hasPrefix("/") else {
      (steps, anchor) = ([], text.isEmpty ? nil : text)
      return
    }
    anchor = nil
    steps = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// The pointer with a hash in front.
  var text: String { "#" + (anchor ?? "") + steps.map { "/" + Self.escaped($0) }.joined() }

  /// Members of large objects of one document, by the pointers to those.
  final class Index {
    fileprivate var objects: [String: [[UInt8]: JSONValue]] = [:]
    private var anchors: [String: JSONValue]?

    /// Keywords with values, which are no schemas.
    private static let values: Set = ["const", "enum", "default", "example", "examples"]

    /// The part that a schema calls so, the first of several.
    fileprivate func part(_ anchor: String, of document: JSONValue) -> JSONValue? {
      if anchors == nil {
        var found: [String: JSONValue] = [:]
        Self.collect(document, &found)
        anchors = found
      }
      return anchors?[anchor]
    }

    private static func collect(_ schema: JSONValue, _ found: inout [String: JSONValue]) {
      for part in schema.array ?? [] { collect(part, &found) }
      guard let object = schema.object else { return }
      if let name = object["$anchor"]?.string, found[name] == nil { found[name] = schema }
      for member in object.members where !values.contains(member.key) {
        guard SchemaCheck.maps.contains(member.key), let map = member.value.object else {
          collect(member.value, &found)
          continue
        }
        // These keys are names, whatever they are.
        for member in map.members { collect(member.value, &found) }
      }
    }
  }

  private static let large = 32

  /// The value there, if there is one; `index` is kept for other pointers into the same document.
  func value(in document: JSONValue, _ index: Index) -> JSONValue? {
    if let anchor { return index.part(anchor, of: document) }
    var (value, place) = (document, "#")
    for step in steps {
      var next: JSONValue?
      switch value {
      case .object(let object) where object.members.count > Self.large:
        let known = index.objects[place]
        let members =
          known
          ?? Dictionary(object.members.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
        if known == nil { index.objects[place] = members }
        next = members[Array(step.utf8)]
      case .object(let object): next = object[step]
      case .array(let values):
        next = Int(step).flatMap { values.indices.contains($0) ? values[$0] : nil }
      default: break
      }
      guard let next else { return nil }
      value = next
      place += "/" + Self.escaped(step)
    }
    return value
  }

  /// A key as a step of a pointer.
  static func escaped(_ key: String) -> String {
    key.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}
