import AdapterStore
import Adapters
import FoundationEssentials
import LanguageModels
import SystemFiles

/// A model as lists of models show it.
struct ModelCard: Sendable {
  /// What requests call it.
  let name: String
  /// The name of the base of an adapter; nil for a base.
  let parent: String?
  /// The identifier of an adapter, or the signature of a base.
  let identity: String
  /// Of the base.
  let signature: String
  let architecture: String
  let license: String?
  /// Where it is.
  let path: String
  /// Bytes of its files.
  let bytes: Int
  /// What tells it from all others.
  let digest: String
  /// 1970 where that is not known.
  let installed: Date

  init(
    _ name: String, of parent: String?, identity: String, _ base: (signature: String, String),
    license: String? = nil, path: String, bytes: Int = 0, _ receipt: Receipt?
  ) {
    (self.name, self.parent, self.identity, self.license) = (name, parent, identity, license)
    ((signature, architecture), self.path) = (base, path)
    let files = receipt?.files ?? []
    self.bytes = files.isEmpty ? bytes : files.reduce(0) { $0 + $1.size }
    digest = files.isEmpty ? identity : Self.digest(files)
    installed = receipt?.installed ?? Date(timeIntervalSince1970: 0)
  }

  /// An adapter that a client has loaded.
  fileprivate init(_ entry: LoadedAdapters.Entry, on base: ServedBase) {
    (name, parent, path) = (entry.name, base.name, entry.path)
    identity = entry.adapter.identifier.description
    (signature, architecture) = (
      base.signature, base.model.configuration.architecture.rawValue
    )
    license = entry.adapter.metadata.license
    (bytes, digest, installed) = (0, entry.adapter.contentHash, entry.loaded)
  }

  private static func digest(_ files: [FileRecord]) -> String {
    var digest = SHA256()
    for file in files { digest.update(Array("\(file.sha256) \(file.path)\n".utf8)) }
    return digest.finishHex()
  }
}

extension ServedModels {
  /// What is installed, and what clients have loaded beside it.
  func cards() throws(ServingError) -> [ModelCard] {
    try listing().cards + loaded.all.map { ModelCard($0, on: base) }
  }
}
