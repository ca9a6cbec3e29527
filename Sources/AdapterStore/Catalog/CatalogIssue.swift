package import FoundationEssentials
import JSON
import SystemFiles

/// What a signed catalog says of itself, so that nobody can pass an old one, or another one, off as the newest.
package struct CatalogIssue: Sendable, Equatable {
  /// What tells the catalog from others that the same key signs: 32 lowercase hexadecimal digits.
  package let catalog: String
  /// Its number, higher with each one, from 1 on.
  package let serial: Int
  /// Until when it is believed.
  package let expires: Date

  /// The one that follows `last`; without, or where no number follows, the first of a new catalog.
  init(following last: CatalogIssue?, until expires: Date) {
    let last = last.flatMap { $0.serial + 1 < Self.limit ? $0 : nil }
    catalog = last?.catalog ?? FilePath.randomName() + FilePath.randomName()
    serial = (last?.serial ?? 0) + 1
    self.expires = expires
  }

  /// Every reader of JSON has the whole numbers below it.
  private static let limit = 1 << 53

  /// Reads what `top`, the whole file, says; nil where it says nothing of the kind.
  init?(_ top: CatalogNode) throws(CatalogDefect) {
    let found = (
      try top.optional("catalog"), try top.optional("serial"), try top.optional("expires")
    )
    guard let catalog = found.0, let serial = found.1, let expires = found.2 else {
      guard let alone = found.0 ?? found.1 ?? found.2 else { return nil }
      throw alone.defect(
        "'catalog', 'serial' and 'expires' go together\(remedy: "sign the catalog again")")
    }
    let name = try catalog.text.utf8
    guard name.count == 32, name.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
      throw catalog.defect("not a name\(remedy: "write 32 lowercase hexadecimal digits")")
    }
    guard (1..<Self.limit).contains(try serial.integer) else {
      throw serial.defect("not a number of an issue\(remedy: "write one from 1 to 2^53 - 1")")
    }
    guard let time = try? Date(expires.text, strategy: .iso8601) else {
      throw expires.defect("not a time\(remedy: "write it as 2030-12-31T00:00:00Z")")
    }
    self.catalog = try catalog.text
    self.serial = try serial.integer
    self.expires = time
  }
}

extension JSONObject {
  /// Writes `issue` into the object of an index.
  mutating func set(_ issue: CatalogIssue) {
    self["catalog"] = .string(issue.catalog)
    self["serial"] = .number(JSONNumber(issue.serial))
    self["expires"] = .string(issue.expires.ISO8601Format())
  }
}
