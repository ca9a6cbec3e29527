import Foundation
import TensorFiles

/// What is written down about a partial download, in `state.json` beside its bytes.
struct PartialState: Sendable, Equatable, Codable {
  /// Version of this file's meaning: 1.
  var formatVersion = 1
  /// Address of the origin, without credentials.
  var url: String
  /// Path of the file within the entry that it is for.
  var file: String
  /// Digest that the whole has to have, where it is known.
  var sha256: String?
  /// Strong validator of the version that the bytes are of.
  var entityTag: String?
  /// Bytes of the whole, once known.
  var total: Int?
  /// What responses have said of the digest of this version.
  var claims: [DigestClaim]?
  /// The running system that wrote the bytes; another one may have lost those that were not yet on the disk.
  var boot: String
  /// When it was begun.
  var created: Date
  /// When this was written.
  var updated: Date
  /// Whether its process has given it up in order, and lives on.
  var released = false
}

extension PartialState {
  /// What two downloads have to agree on to share bytes; a signature may be a fresh one.
  static func key(_ file: RemoteFile) -> String {
    String(SHA256.hex(Array("\(file.shown)\n\(file.sha256 ?? "")".utf8)).prefix(32))
  }

  /// Whether a later download can go on from its bytes: only where something tells that they are of the same version.
  var isResumable: Bool { entityTag != nil || sha256 != nil }

  /// Reads the state at `path`; nil when it is missing, unreadable, impossible, or of another version.
  init?(reading path: String) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    guard let bytes = try? FileSystem.read(path, limit: 1 << 20),
      let state = try? decoder.decode(PartialState.self, from: Data(bytes)),
      state.formatVersion == 1, (state.total ?? 0) >= 0
    else { return nil }
    self = state
    url = WebAddress.shown(url)
  }

  /// Writes the state to `path`, all or nothing.
  func write(to path: String) throws(TensorFileError) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("a state holds nothing that JSON cannot")
    }
    try AtomicFile.write(Array(data), to: path)
  }
}
