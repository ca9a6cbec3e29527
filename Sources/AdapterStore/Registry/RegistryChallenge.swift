import SystemFiles

/// What a registry wants to know of who asks (RFC 9110, section 11.6.1).
enum RegistryChallenge: Sendable, Equatable {
  /// A name and a password.
  case basic
  /// A token of the server at `realm`.
  case bearer(realm: String, service: String?, scopes: [String])

  /// The first of `fields` that can be answered; a token goes first.
  init?(_ fields: [String]) {
    let all = fields.flatMap(Self.parse)
    guard let first = all.first(where: { $0 != .basic }) ?? all.first else { return nil }
    self = first
  }

  private static func parse(_ field: String) -> [RegistryChallenge] {
    var found: [RegistryChallenge] = []
    for (scheme, parameters) in schemes(field) {
      switch scheme {
      case "basic": found.append(.basic)
      case "bearer":
        guard let realm = parameters["realm"] else { continue }
        let scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        found.append(.bearer(realm: realm, service: parameters["service"], scopes: scopes))
      default: continue
      }
    }
    return found
  }

  /// Schemes in small letters, with their parameters, whose names are in small letters, too.
  private static func schemes(_ field: String) -> [(String, [String: String])] {
    var found: [(String, [String: String])] = []
    var rest = field[...]
    while true {
      rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
      let word = rest.prefix { !" ,=\t".contains($0) }
      guard !word.isEmpty else { return found }
      rest = rest.dropFirst(word.count)
      let afterBlanks = rest.drop { $0 == " " || $0 == "\t" }
      guard afterBlanks.first == "=" else {
        found.append((word.lowercased(), [:]))
        continue
      }
      guard let value = value(afterBlanks.dropFirst(), &rest) else { return found }
      guard !found.isEmpty else { continue }
      found[found.count - 1].1[word.lowercased()] = value
    }
  }

  /// A token or a quoted text at the start of `text`; `rest` is what follows.
  private static func value(_ text: Substring, _ rest: inout Substring) -> String? {
    let text = text.drop { $0 == " " || $0 == "\t" }
    guard text.first == "\"" else {
      let word = text.prefix { !" ,\t".contains($0) }
      rest = text.dropFirst(word.count)
      return String(word)
    }
    var value = ""
    var index = text.index(after: text.startIndex)
    while index < text.endIndex {
      let character = text[index]
      index = text.index(after: index)
      if character == "\"" {
        rest = text[index...]
        return value
      }
      if character == "\\", index < text.endIndex {
        value.append(text[index])
        index = text.index(after: index)
      } else {
        value.append(character)
      }
    }
    return nil
  }
}
