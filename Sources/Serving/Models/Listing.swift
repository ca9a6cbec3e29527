import AdapterStore
import Adapters
import LanguageModels

/// What is installed at a moment, with all that lists of models show of it: a thousand adapters are described once.
final class Listing: Sendable {
  let bases: [InstalledBase]
  let adapters: [InstalledAdapter]
  /// The base in use first, then what is installed; adapters whose base is not are left out.
  let cards: [ModelCard]
  /// What lists of models call the adapters of the base in use.
  let ownAdapters: [String]
  /// What lists of models call each adapter, by identifier: its name, or the identifier where others have the same.
  private let names: [String: String]

  /// What is installed beside `own`, the base in use.
  init(of own: ServedBase, bases: [InstalledBase] = [], adapters: [InstalledAdapter] = []) {
    (self.bases, self.adapters) = (bases, adapters)
    let counts = Dictionary(adapters.map { ($0.identifier.name, 1) }, uniquingKeysWith: +)
    let names = Dictionary(
      adapters.map { adapter in
        let (name, identifier) = (adapter.identifier.name, adapter.identifier.description)
        return (identifier, counts[name] == 1 ? name : identifier)
      }, uniquingKeysWith: { first, _ in first })
    self.names = names
    let architecture = own.model.configuration.architecture.rawValue
    let others = bases.filter { $0.signature != own.signature }
    var cards = [
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
      let identifier = adapter.identifier.description
      return parents[signature].map { parent in
        ModelCard(
          names[identifier] ?? identifier, of: parent.name, identity: identifier,
          (signature, parent.architecture), license: adapter.metadata.license, path: adapter.path,
          adapter.receipt)
      }
    }
    self.cards = cards
    ownAdapters = cards.filter { $0.parent != nil && $0.signature == own.signature }.map(\.name)
  }

  /// What lists of models call an adapter.
  func name(of adapter: InstalledAdapter) -> String {
    let identifier = adapter.identifier.description
    return names[identifier] ?? identifier
  }
}
