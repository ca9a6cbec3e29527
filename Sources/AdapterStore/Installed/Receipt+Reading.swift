import JSON
import SystemFiles

extension Receipt {
  private static let limit = 16 << 20

  /// Reads the receipt at `path`; nil when it is missing, unreadable, impossible, or of another version.
  ///
  /// A receipt is a convenience: without it the entry is treated as if nothing were known about it. One that a newer
  /// program wrote is something else, see ``NewerReceipt``.
  init?(reading path: String) {
    guard let receipt: Receipt = StoredJSON.read(path, limit: Self.limit),
      receipt.formatVersion == Self.knownFormat, receipt.files.allSatisfy(\.isSound),
      receipt.base?.isSound ?? true
    else { return nil }
    self = receipt
    mask()
    sources = sources?.map {
      FileSource(
        path: $0.path, url: $0.url, entityTag: $0.entityTag, vouchers: $0.vouchers, parts: $0.parts)
    }
  }

  /// Writes the receipt to `path`.
  func write(to path: String) throws(StoreError) {
    try storing { () throws(FileError) in try StoredJSON.write(self, to: path) }
  }

  /// The receipt at `path`, if it is one of a version that only newer programs know.
  static func newer(at path: String) -> NewerReceipt? {
    guard let bytes = try? FileSystem.read(path, limit: limit),
      let object = try? JSONDocument(parsing: bytes, limit: limit).root.object,
      let format = object["formatVersion"]?.integer, format > knownFormat
    else { return nil }
    return NewerReceipt(
      path: path, format: format, baseName: object["base"]?.object?["name"]?.string)
  }
}

/// A receipt that a newer program wrote: its entry is whole for that one, and nothing here may change it.
struct NewerReceipt: Sendable, Equatable {
  let path: String
  let format: Int
  /// What people call the base that it is of, where it still says so in the same way.
  let baseName: String?

  var error: StoreError { .newer(path: path, format: format) }

  var problem: StoreProblem {
    StoreProblem(
      rule: "receipt.newer", path: path,
      message: "It was written by a newer fmadapter (format \(format), this one knows "
        + "\(Receipt.knownFormat)).",
      remedy: "Use a newer fmadapter.")
  }

  /// What is wrong and what to do, without the place.
  static func text(_ format: Int) -> ErrorText {
    "written by a newer fmadapter (format \(format), this one knows \(Receipt.knownFormat))"
      + "\(remedy: "use a newer fmadapter")"
  }
}

extension AdapterStore {
  /// Refuses to touch the entry at `path` where a newer program wrote it.
  func checkFormat(_ path: String) throws(StoreError) {
    if let newer = Receipt.newer(at: FilePath.join(path, StoreLayout.receipt)) { throw newer.error }
  }
}

extension FileRecord {
  /// Sums of these cannot overflow, however many a receipt of 16 MiB has.
  static let sizeLimit = 1 << 50

  /// Whether the record can be one of a file inside an entry: other records are no basis for anything.
  var isSound: Bool {
    let components = path.split(separator: "/", omittingEmptySubsequences: false)
    return (0...Self.sizeLimit).contains(size)
      && chunks.count == (size - 1 + Self.chunkSize) / Self.chunkSize
      && ([sha256] + chunks).allSatisfy(isSHA256)
      && components.allSatisfy { !["", ".", ".."].contains($0) && !$0.contains("\0") }
  }
}

extension BaseRecord {
  // Products of these cannot overflow, nor sums of products over all layers.
  private static let sideLimit = 1 << 22
  private static let layerLimit = 1 << 12

  /// Whether the record can be one of a model.
  var isSound: Bool {
    layers.count <= Self.layerLimit
      && layers.joined().allSatisfy { projection in
        [projection.rows, projection.columns].allSatisfy { (1...Self.sideLimit).contains($0) }
      }
  }
}
