import Adapters
import SystemFiles

/// A directory of the store under a name that an adapter or a base can have, whatever is in it.
public struct StoreEntry: Sendable, Equatable, Codable {
  /// What the store keeps under names.
  public enum Kind: String, Sendable, Codable {
    case adapter, base, compiled
  }

  /// Adapter, base, or what is compiled of either.
  public let kind: Kind
  /// Identifier of the adapter, signature of the base, or key of what is compiled.
  public let name: String
  package let path: String

  var receiptPath: String { FilePath.join(path, StoreLayout.receipt) }
}

extension AdapterStore {
  /// Every directory under a name of the store, adapters first, also those that cannot be used.
  func storeEntries() throws(StoreError) -> [StoreEntry] {
    func folders(_ path: String) throws(StoreError) -> [String] {
      try entries(of: path).filter { $0.kind == .directory }.compactMap(\.name.text)
    }
    let adapters = try folders(layout.adapters).filter { (try? AdapterIdentifier($0)) != nil }
    let bases = try folders(layout.bases).filter(isSignature)
    return adapters.map {
      StoreEntry(kind: .adapter, name: $0, path: FilePath.join(layout.adapters, $0))
    } + bases.map { StoreEntry(kind: .base, name: $0, path: layout.base($0)) }
  }

  /// The entries that `texts` name, or all without any.
  ///
  /// Identifiers, names of adapters and bases, the first 4 or more digits of a base's signature, or keys of what is
  /// compiled. A text that fits several means all of those.
  ///
  /// - Throws: `StoreError.noAdapter` for a text that fits none, `.storage`.
  func storeEntries(named texts: [String]) throws(StoreError) -> [StoreEntry] {
    let all = try storeEntries()
    guard !texts.isEmpty else { return all }
    let every = try all + compiledEntries().map(\.entry)
    let called = every.map { names(of: $0) }
    var wanted: Set<Int> = []
    for typed in texts.map(TypedName.init) {
      let found = typed.matches(Array(every.indices)) { called[$0] }
      let signed = every.indices.filter { every[$0].kind == .base && typed.begins(every[$0].name) }
      guard !found.isEmpty || !signed.isEmpty else {
        // Bases by their titles, which come last.
        throw .noAdapter(typed.text, known: called.prefix(all.count).compactMap(\.last))
      }
      wanted.formUnion(found + signed)
    }
    return every.indices.filter(wanted.contains).map { every[$0] }
  }

  /// What lists call an entry.
  private func names(of entry: StoreEntry) -> [String] {
    switch entry.kind {
    case .adapter:
      return [(try? AdapterIdentifier(entry.name))?.name, entry.name].compactMap(\.self)
    case .base:
      let name = Receipt(reading: entry.receiptPath)?.base?.name
      return [entry.name] + (name.map { [$0, InstalledBase.title($0, signed: entry.name)] } ?? [])
    case .compiled: return [entry.name]
    }
  }
}
