import AdapterStore
import Adapters

/// Installs what catalogs offer, and says what it chose.
struct OfferInstallation {
  let terminal: Terminal
  /// Told of the progress of downloads.
  let observer: AdapterStore.DownloadObserver

  init(_ terminal: Terminal, _ observer: @escaping AdapterStore.DownloadObserver) {
    (self.terminal, self.observer) = (terminal, observer)
  }

  /// What `text` asks catalogs for; nil when it is a path or an address.
  ///
  /// A path that is there wins over a name, as far as it looks like a path at all.
  static func request(_ text: String) -> AdapterRequest? {
    if Shelf.isPath(text) && Shelf.exists(text) { return nil }
    return AdapterRequest(text)
  }

  /// Finds and installs what `request` means.
  func run(
    _ request: AdapterRequest, force: Bool, in store: AdapterStore
  ) async throws -> AdapterInstallation {
    let (offer, failures) = try await store.resolve(request)
    terminal.report(failures)
    terminal.note(try await sentence(offer, store))
    try await store.checkReplacement(
      by: offer, allowDowngrade: request.version != nil, force: force)
    return try await run(offer, in: store)
  }

  /// Installs `offer`.
  func run(_ offer: CatalogOffer, in store: AdapterStore) async throws -> AdapterInstallation {
    try await store.install(offer, progress: observer)
  }

  /// Which version of what, for which base, from where.
  private func sentence(_ offer: CatalogOffer, _ store: AdapterStore) async throws -> String {
    let signature = offer.adapter.baseModelSignature
    let base = try await store.bases().bases.first { $0.signature == signature }
    let name = base.map { " (\($0.name))" } ?? ""
    return "\(offer.adapter.name) \(offer.adapter.version) for base \(signature.prefix(7))\(name) "
      .printable + "from \(offer.catalog.text)"
  }
}
