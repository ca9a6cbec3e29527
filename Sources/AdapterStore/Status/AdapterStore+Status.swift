public import Adapters

extension AdapterStore {
  /// What holds for the adapter `identifier` now.
  ///
  /// Nothing is downloaded, removed or written: what catalogs offer is known from the copies that were kept when they
  /// were last read.
  ///
  /// - Throws: `StoreError.storage` when the store cannot be read.
  public func status(of identifier: AdapterIdentifier) throws(StoreError) -> AdapterStatus {
    let installed = try adapters().adapters.first { $0.identifier == identifier }
    if let installed { return installed.facts }
    var status: AdapterStatus = []
    if keptOffers()[identifier] != nil { status.insert(.downloadAvailable) }
    if hub.isActive(identifier.description) { status.insert(.downloading) }
    return status
  }

  /// The events of the adapter `identifier` on its way into this store, from now on; first the latest one if it is on
  /// its way already.
  ///
  /// Events come from this process; any number of followers may ask, each gets all. Of several installations of one
  /// adapter at once the first is followed.
  public nonisolated func statusUpdates(for identifier: AdapterIdentifier) -> StatusUpdates {
    hub.updates(of: identifier.description)
  }

  /// What the configured catalogs offered when they were last read.
  func keptOffers() -> [AdapterIdentifier: [CatalogOffer]] {
    let copies = CatalogCopies(layout: layout)
    let offers = catalogs().catalogs.flatMap { source in
      (copies.copy(of: source)?.catalog.adapters ?? []).map {
        CatalogOffer(adapter: $0, catalog: source)
      }
    }
    return Dictionary(grouping: offers, by: \.adapter.identifier)
  }

  /// The facts of an installed adapter that follow from what catalogs offer.
  func catalogFacts(
    of adapter: InstalledAdapter, in kept: [AdapterIdentifier: [CatalogOffer]]
  ) -> AdapterStatus {
    let offers = kept[adapter.identifier] ?? []
    var status: AdapterStatus = offers.isEmpty ? [] : .downloadAvailable
    if hub.isActive(adapter.identifier.description) { status.insert(.downloading) }
    switch AdapterUpdate(of: adapter, in: offers).state {
    case .available: status.formUnion([.outOfDate, .updateAvailable])
    case .changed: status.insert(.outOfDate)
    case .upToDate, .older: status.insert(.upToDate)
    case .unlisted: break
    }
    return status
  }
}
