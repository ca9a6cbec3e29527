import AdapterStore
import Adapters
import LanguageModels
import TensorFiles

/// Where a base is, and what is known of it without opening it.
struct BasePlace: Sendable {
  let path: String
  /// What adapters have to fit, if a receipt says so.
  let contract: BaseContract?
  /// The base as an adapter was checked against it, where nothing but its path would say that it still is the same.
  let opened: OpenBase?
  /// The store that the base is in; nil for a file of nobody's store.
  private let store: AdapterStore?

  /// A base file of nobody's store.
  init(path: String) {
    (self.path, contract, opened, store) = (path, nil, nil, nil)
  }

  /// An installed base.
  init(_ base: InstalledBase, in store: AdapterStore) {
    (path, contract, opened, self.store) = (base.path, base.contract, nil, store)
  }

  /// A base file, open from now on, with what adapters have to fit.
  init(opening path: String) throws(ModelFailure) {
    let base = try OpenBase.at(BasePlace(path: path))
    (self.path, contract, opened, store) = (path, base.model.contract, base, nil)
  }

  func open() throws(ModelFailure) -> OpenBase {
    if let opened { return opened }
    return try OpenBase.at(self)
  }

  /// Keeps `prune` from taking the base's adapters while the answer lives; nil for a file of nobody's store.
  func lease() -> StoreLease? { store?.lease(at: path) }
}
