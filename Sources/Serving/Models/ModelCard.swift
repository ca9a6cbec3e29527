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

  fileprivate init(
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

  private static func digest(_ files: [FileRecord]) -> String {
    var digest = SHA256()
    for file in files { digest.update(Array("\(file.sha256) \(file.path)\n".utf8)) }
    return digest.finishHex()
  }
}

extension ServedModels {
  /// The base first, then what is installed; adapters whose base is not are left out.
  func cards() throws(ServingError) -> [ModelCard] {
    let listing = try listing()
    var bases = [base.signature: (name: base.name, base.model.configuration.architecture.rawValue)]
    let own = listing.bases.first { $0.path == base.model.path }
    var cards = [
      ModelCard(
        base.name, of: nil, identity: base.signature,
        (base.signature, bases[base.signature]?.1 ?? ""),
        path: base.model.path, bytes: base.model.fileSize, own?.receipt)
    ]
    for other in listing.bases where other.signature != base.signature {
      bases[other.signature] = (other.name, other.contract.architecture)
      cards.append(
        ModelCard(
          other.name, of: nil, identity: other.signature,
          (other.signature, other.contract.architecture), path: other.path, other.receipt))
    }
    let counts = Dictionary(grouping: listing.adapters, by: \.identifier.name).mapValues(\.count)
    for adapter in listing.adapters {
      let (identifier, name) = (adapter.identifier.description, adapter.identifier.name)
      let signature = adapter.metadata.baseModelSignature
      guard let parent = bases[signature] else { continue }
      cards.append(
        ModelCard(
          counts[name] == 1 ? name : identifier, of: parent.name, identity: identifier,
          (signature, parent.1), license: adapter.metadata.license, path: adapter.path,
          adapter.receipt))
    }
    return cards
  }
}
