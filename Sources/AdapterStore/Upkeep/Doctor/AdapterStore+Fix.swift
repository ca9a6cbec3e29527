import Adapters
import FoundationEssentials
import SystemFiles

extension AdapterStore {
  /// Mends one thing; what was done, where that is not plain.
  func perform(
    _ fix: Diagnosis.Fix, _ downloads: (any Downloading)?
  ) async throws(StoreError) -> String? {
    switch fix {
    case .receipt(let entry): return try rebuildReceipt(of: entry)
    case .repair(let verification):
      // An earlier fix of the same entry may have mended all of it.
      guard let now = try await self.verification(of: verification.entry), !now.isIntact else {
        return nil
      }
      _ = try await repair(now, by: downloads)
    case .collect: _ = collector.collect()
    case .seal(let path):
      try storing { () throws(FileError) in try FileSystem.makeReadOnly(path) }
    case .open(let path):
      try storing { () throws(FileError) in try FileSystem.openToOwner(path) }
    case .permit(let path):
      try storing { () throws(FileError) in
        try FileSystem.openToOwner(path)
        try FileSystem.makeReadable(path)
      }
    case .choose: try chooseLatestBase()
    case .setAside(let path): try setAside(path, as: FilePath.name(of: path))
    }
    return nil
  }

  /// Writes the receipt of an entry anew where its bytes are known to be right, else moves it to `lost+found`.
  ///
  /// That its files can be read says nothing: a receipt of damaged bytes would vouch for them from then on.
  ///
  /// - Returns: where the entry is now, in a sentence; nil when it stays.
  private func rebuildReceipt(of entry: StoreEntry) throws(StoreError) -> String? {
    guard let receipt = try provenReceipt(of: entry) else {
      let place = try setAside(entry.path, as: entry.name)
      return
        "Nothing vouches for its bytes any more, so it was moved to \(place); install it again."
    }
    try setAsideStrange(in: entry)
    guard try put(receipt, over: nil, at: entry.path) else { throw .busy(path: entry.path) }
    return nil
  }

  /// Moves away what is not the store's, such as a folder in the place of the receipt.
  private func setAsideStrange(in entry: StoreEntry) throws(StoreError) {
    let found = try storing { () throws(FileError) in try FileSystem.list(entry.path) }
    for item in found
    where !StoreLayout.isOfEntry(item.name)
      || (item.name.text == StoreLayout.receipt && item.kind != .file)
    {
      let name = "\(item.name)"
      try setAside(FilePath.join(entry.path, name), as: "\(entry.name)-\(name)")
    }
  }

  /// The receipt of an entry that has none, if its bytes are those of a catalog, or of a base whose contents make its
  /// signature.
  private func provenReceipt(of entry: StoreEntry) throws(StoreError) -> Receipt? {
    switch entry.kind {
    case .base: try provenBase(entry)
    case .adapter: try provenAdapter(entry)
    case .compiled: nil
    }
  }

  private func provenBase(_ entry: StoreEntry) throws(StoreError) -> Receipt? {
    let path = FilePath.join(entry.path, StoreLayout.model)
    guard let contract = try? readBase(path), contract.signature == entry.name else { return nil }
    let record = record("base-\(entry.name.prefix(7))", contract, path)
    guard record.contentSignature == entry.name else { return nil }
    let file = try storing { () throws(FileError) in
      try FileRecord(path: StoreLayout.model, file: path)
    }
    return Receipt(
      source: "unknown", installed: process.now(), tool: tool, files: [file], base: record)
  }

  private func provenAdapter(_ entry: StoreEntry) throws(StoreError) -> Receipt? {
    guard let identifier = try? AdapterIdentifier(entry.name),
      let offers = keptOffers()[identifier]
    else { return nil }
    let package = FilePath.join(entry.path, StoreLayout.package)
    let names = ((try? entries(of: package)) ?? []).filter { $0.kind == .file }
      .compactMap(\.name.text)
    let files = try digest(entry.path, names.map { FilePath.join(StoreLayout.package, $0) })
    func receipt(_ offer: CatalogOffer) -> Receipt {
      Receipt(
        source: offer.localFolder ?? offer.adapter.url, installed: process.now(), tool: tool,
        files: files, base: nil, version: offer.adapter.version, catalog: offer.catalog.address)
    }
    return offers.first { receipt($0).hasFiles(of: $0.adapter) }.map(receipt)
  }

  /// Chooses the base that was installed last, by its own record.
  private func chooseLatestBase() throws(StoreError) {
    let latest = try bases().bases.max { $0.receipt.installed < $1.receipt.installed }
    guard let latest else { throw .noCurrentBase(installed: 0) }
    try useBase(latest.signature)
  }
}
