import JSON

/// The needed keys are there, every known key has its type, and unknown ones are named.
enum MetadataKeysRule {
  private struct Key {
    let name: String
    let kind: String
    let isNeeded: Bool
    let matches: @Sendable (JSONValue) -> Bool
  }

  private static let keys = [
    Key(name: "adapterIdentifier", kind: "a string", isNeeded: true) { $0.string != nil },
    Key(name: "author", kind: "a string", isNeeded: false) { $0.string != nil },
    Key(name: "baseModelSignature", kind: "a string", isNeeded: true) { $0.string != nil },
    Key(name: "creatorDefined", kind: "an object", isNeeded: false) { $0.object != nil },
    Key(name: "description", kind: "a string", isNeeded: false) { $0.string != nil },
    Key(name: "license", kind: "a string", isNeeded: false) { $0.string != nil },
    Key(name: "loraRank", kind: "an integer", isNeeded: true) { $0.number?.isInteger == true },
    Key(name: "speculativeDecodingDraftTokenCount", kind: "an integer", isNeeded: false) {
      $0.number?.isInteger == true
    },
  ]

  static func isKnown(_ key: String) -> Bool {
    keys.contains { $0.name.utf8.elementsEqual(key.utf8) }
  }

  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    guard let object = metadata.object else { return [] }
    let defects = keys.compactMap { key -> Finding? in
      guard let value = object[key.name] else {
        return key.isNeeded ? missing(key.name, metadata) : nil
      }
      return key.matches(value) ? nil : mistyped(key, value, metadata)
    }
    let others = object.members.filter { !isKnown($0.key) }
    let lines = (try? metadata.document.get())?.lines(of: others) ?? []
    return defects + zip(others, lines).map { unknown($0.key, line: $1) }
  }

  private static func missing(_ key: String, _ metadata: MetadataReading) -> Finding {
    Finding(
      "metadata.missing", at: metadata.place(key), "The key is missing.",
      remedy: "Add \"\(key)\"; no package works without it.")
  }

  private static func mistyped(
    _ key: Key, _ value: JSONValue, _ metadata: MetadataReading
  ) -> Finding {
    Finding(
      "metadata.type", at: metadata.place(key.name),
      "The value is \(value.kind), not \(key.kind).", remedy: "Write \(key.kind).")
  }

  private static func unknown(_ key: String, line: Int?) -> Finding {
    Finding(
      "metadata.unknown", .note, at: .init(PackageFile.metadata, key: key, line: line),
      "The format does not define this key; it is kept and not used.",
      remedy: "Check its spelling, or move it into creatorDefined.")
  }
}
