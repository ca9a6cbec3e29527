import Adapters
import TensorFiles

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
  /// Path of the directory.
  public let path: String

  var receiptPath: String { FilePath.join(path, StoreLayout.receipt) }
}

extension AdapterStore {
  /// Every directory under a name of the store, adapters first, also those that cannot be used.
  ///
  /// - Throws: `StoreError.storage` when the store itself cannot be read. A store that does not exist is empty.
  public func storeEntries() throws(StoreError) -> [StoreEntry] {
    let adapters = try entries(of: layout.adapters).filter {
      $0.kind == .directory && (try? AdapterIdentifier($0.name)) != nil
    }
    let bases = try entries(of: layout.bases).filter {
      $0.kind == .directory && isSignature($0.name)
    }
    return adapters.map {
      StoreEntry(kind: .adapter, name: $0.name, path: FilePath.join(layout.adapters, $0.name))
    } + bases.map { StoreEntry(kind: .base, name: $0.name, path: layout.base($0.name)) }
  }

  /// The entries that `texts` name, or all without any.
  ///
  /// Identifiers, names of adapters and bases, or the first 4 or more digits of a base's signature. A text that fits
  /// several means all of those.
  ///
  /// - Throws: `StoreError.noAdapter` for a text that fits none, `.storage`.
  func storeEntries(named texts: [String]) throws(StoreError) -> [StoreEntry] {
    let all = try storeEntries()
    guard !texts.isEmpty else { return all }
    var wanted: Set<String> = []
    for text in texts {
      let matches = all.filter { isNamed($0, text) }
      guard !matches.isEmpty else { throw .noAdapter(text, known: all.map(\.name)) }
      wanted.formUnion(matches.map(\.path))
    }
    return all.filter { wanted.contains($0.path) }
  }

  private func isNamed(_ entry: StoreEntry, _ text: String) -> Bool {
    if entry.name == text { return true }
    switch entry.kind {
    case .adapter: return (try? AdapterIdentifier(entry.name))?.name == text
    case .base:
      if text.utf8.count >= 4, entry.name.hasPrefix(text) { return true }
      return Receipt(reading: entry.receiptPath)?.base?.name == text
    case .compiled: return false
    }
  }
}
