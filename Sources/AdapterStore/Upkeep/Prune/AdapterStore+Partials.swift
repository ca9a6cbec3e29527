import TensorFiles

extension PartialDownload {
  /// A short name for it, the same for all partials of one address: `partial-` and 8 digits.
  public var name: String { "partial-" + FilePath.name(of: path).prefix(8) }
}

extension AdapterStore {
  /// Removes the partial downloads that are called `name`, and returns them.
  ///
  /// - Throws: `StoreError.noAdapter` when there is none, `.busy` when somebody is at work on one, `.storage`.
  @discardableResult
  public func removePartials(named name: String) throws(StoreError) -> [PartialDownload] {
    let all = try partials()
    let chosen = all.filter { $0.name == name }
    guard !chosen.isEmpty else { throw .noAdapter(name, known: all.map(\.name)) }
    if let active = chosen.first(where: \.isActive) { throw .busy(path: active.path) }
    for partial in chosen {
      let ingest = FilePath.parent(of: FilePath.parent(of: partial.path))
      try discard(partial.path, missing: .noAdapter(name, known: []))
      // What held it holds nothing else, unless its process has more of them.
      let rest = (try? FileSystem.list(FilePath.parent(of: partial.path))) ?? []
      if rest.isEmpty, IngestName(FilePath.name(of: ingest)).map({ !isOwned($0, ingest) }) == true {
        try? FileSystem.removeTree(ingest)
      }
    }
    return chosen
  }

  private func isOwned(_ name: IngestName, _ path: String) -> Bool {
    collector.hasOwner(name, at: path)
  }
}
