import AdapterStore
import Adapters

extension SystemLanguageModel.Adapter {
  /// The identifiers that the adapter `name` has for the installed bases, whether such an adapter exists or not: the
  /// base in use first.
  ///
  /// They say which adapter to download. Empty when no base is installed or `name` is no name.
  public static func compatibleAdapterIdentifiers(name: String) -> [String] {
    let bases = (try? SystemLanguageModel.configuration.bases()) ?? []
    return bases.compactMap { base in
      base.contract.flatMap { AdapterIdentifier(name: name, signature: $0.signature) }?.description
    }
  }

  /// Removes the installed adapters whose base is not installed, and drafts that were compiled for them.
  ///
  /// What a session has open stays, and so does everything while no base is installed at all.
  ///
  /// - Throws: `StoreError` when the store cannot be read; ``AssetError/invalidAsset(_:)`` when the system refuses to
  ///   remove something, after the rest has been removed.
  public static func removeObsoleteAdapters() throws {
    let configuration = SystemLanguageModel.configuration
    guard try !configuration.bases().isEmpty else { return }
    let store = try configuration.openStore()
    let results = try waiting {
      try await store.prune(
        store.prunable(PruneSelection(kinds: [.adapter, .compiled])).filter { !$0.isInUse })
    }
    let failures = results.filter { $0.outcome == .failed }
    guard failures.isEmpty else {
      throw AssetError.invalidAsset(
        failures.map { "\($0.item.name) cannot be removed: \($0.reason ?? "")." }
          .joined(separator: " "))
    }
  }
}
