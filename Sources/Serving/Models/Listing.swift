import AdapterStore
import Adapters
import LanguageModels

/// What is installed at a moment, with all that lists of models show of it: a thousand adapters are described once.
struct Listing: Sendable {
  let bases: [InstalledBase]
  let adapters: [InstalledAdapter]
  /// The base in use first, then what is installed; adapters whose base is not are left out.
  private(set) var cards: [ModelCard] = []
  /// How many adapters have a name.
  private let counts: [String: Int]

  /// What is installed beside `own`, the base in use.
  init(of own: ServedBase, bases: [InstalledBase] = [], adapters: [InstalledAdapter] = []) {
    (self.bases, self.adapters) = (bases, adapters)
    counts = Dictionary(adapters.map { ($0.identifier.name, 1) }, uniquingKeysWith: +)
    let architecture = own.model.configuration.architecture.rawValue
    let others = bases.filter { $0.signature != own.signature }
    cards = [
      ModelCard(
        own.name, of: nil, identity: own.signature, (own.signature, architecture),
        path: own.model.path, bytes: own.model.fileSize,
        bases.first { $0.path == own.model.path }?.receipt)
    ]
    cards += others.map { other in
      ModelCard(
        other.name, of: nil, identity: other.signature,
        (other.signature, other.contract.architecture), path: other.path, other.receipt)
    }
    var parents = [own.signature: (name: own.name, architecture: architecture)]
    for other in others { parents[other.signature] = (other.name, other.contract.architecture) }
    cards += adapters.compactMap { adapter in
      let signature = adapter.metadata.baseModelSignature
      return parents[signature].map { parent in
        ModelCard(
          name(of: adapter), of: parent.name, identity: adapter.identifier.description,
          (signature, parent.architecture), license: adapter.metadata.license, path: adapter.path,
          adapter.receipt)
      }
    }
  }

  /// What lists of models call an adapter: its name, or its identifier where others have the same.
  func name(of adapter: InstalledAdapter) -> String {
    counts[adapter.identifier.name] == 1 ? adapter.identifier.name : adapter.identifier.description
  }
}
