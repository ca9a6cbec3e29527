package import Foundation
package import TensorFiles

/// What `draft.json` in a directory of `compiled/` says: what it was made from, and so when it is of no more use.
package struct CompiledDraft: Sendable, Equatable, Codable {
  /// Version of this file's meaning: 1.
  package var formatVersion = 1
  /// SHA-256 of the adapter's draft file, as in the adapter's receipt.
  package var draftSHA256: String
  /// Signature of the base that it was compiled for.
  package var baseSignature: String
  /// When it was made.
  package var created: Date

  package static let fileName = "draft.json"

  package init(draftSHA256: String, baseSignature: String, created: Date) {
    self.draftSHA256 = draftSHA256
    self.baseSignature = baseSignature
    self.created = Date(timeIntervalSince1970: created.timeIntervalSince1970.rounded(.down))
  }

  /// Reads the record at `path`; nil when it is missing, unreadable, or of another version.
  package init?(reading path: String) {
    guard let record: Self = StoredJSON.read(path, limit: 1 << 16),
      record.formatVersion == 1, isSHA256(record.draftSHA256)
    else { return nil }
    self = record
  }

  /// Writes the record to `path`, all or nothing.
  package func write(to path: String) throws(TensorFileError) {
    try StoredJSON.write(self, to: path)
  }
}
