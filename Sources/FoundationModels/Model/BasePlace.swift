import AdapterStore
import Adapters
import LanguageModels
import TensorFiles

/// Where a base is, and what is known of it without opening it.
struct BasePlace: Sendable {
  let path: String
  /// What adapters have to fit, if a receipt says so.
  let contract: BaseContract?
  /// Keeps `prune` from taking the base's adapters.
  let lease: StoreLease?

  /// The base as an adapter was checked against it, where nothing but its path would say that it still is the same.
  let opened: OpenBase?

  /// A base file of nobody's store.
  init(path: String) {
    (self.path, contract, lease, opened) = (path, nil, nil, nil)
  }

  /// An installed base.
  init(_ base: InstalledBase, in store: AdapterStore) {
    (path, contract, lease, opened) = (base.path, base.contract, store.lease(base), nil)
  }

  /// A base file, open from now on, with what adapters have to fit.
  init(opening path: String) throws(ModelFailure) {
    let base = try OpenBase.at(BasePlace(path: path))
    (self.path, contract, lease, opened) = (path, base.model.contract, nil, base)
  }

  func open() throws(ModelFailure) -> OpenBase {
    if let opened { return opened }
    return try OpenBase.at(self)
  }
}
