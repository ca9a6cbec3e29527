public import Adapters

/// What a user asks catalogs for: a name or an identifier, and perhaps a version, as in `playwriting@1.2.0`.
public struct AdapterRequest: Sendable, Equatable {
  /// Name or identifier as it was typed.
  public let name: String
  /// The version behind the `@`, which alone is then taken.
  public let version: AdapterVersion?
  /// The text as it was typed.
  public let text: String

  /// Reads `text`; nil when it is neither a name nor an identifier, or the version is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    let isIdentifier = (try? AdapterIdentifier(name)) != nil
    let isName = (try? AdapterIdentifier("fmadapter-\(name)-0000000")) != nil
    guard isIdentifier || (isName && !name.contains("-")) else { return nil }
    if parts.count == 2 {
      guard let version = AdapterVersion(String(parts[1])) else { return nil }
      self.version = version
    } else {
      version = nil
    }
    self.name = name
    self.text = text
  }

  func matches(_ identifier: AdapterIdentifier) -> Bool {
    identifier.name == name || identifier.description == name
  }

  /// Whether it says for which base.
  var isIdentifier: Bool { name.contains("-") }
}
