import AdapterStore
import Foundation

/// A download that was not finished, as `--json` prints it.
struct PartialEntry: Encodable {
  /// What `remove` knows it by.
  let name: String
  let url: String
  let file: String
  let received: Int
  let total: Int?
  let path: String
  let begun: Date
  let updated: Date
  /// Whether somebody is at work on it now.
  let active: Bool

  init(_ partial: PartialDownload) {
    name = partial.name
    url = partial.url
    file = partial.file
    received = partial.received
    total = partial.total
    path = partial.path
    begun = partial.created
    updated = partial.updated
    active = partial.isActive
  }

  /// A line for each, with its age at `now`.
  static func table(_ partials: [PartialDownload], now: Date) -> TextTable {
    var table = TextTable(headings: ["PARTIAL", "RECEIVED", "AGE", "FROM"], rightAligned: [2])
    table.rows = partials.map { partial in
      let total = partial.total.map { " of " + Figures.size($0) } ?? ""
      let age = Figures.age(now.timeIntervalSince(partial.updated))
      return [
        partial.name, Figures.size(partial.received) + total, partial.isActive ? "active" : age,
        partial.url,
      ]
    }
    return table
  }
}
