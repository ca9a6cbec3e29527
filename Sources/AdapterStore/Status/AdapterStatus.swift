public import Adapters

/// Facts about an adapter; several hold at once.
///
/// The raw bits are stable. The first seven facts are those of Apple's `AssetPack.Status`, of which bits 0, 2 and 6 are
/// known to be the same there; the eighth is this package's own.
public struct AdapterStatus: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int

  /// A set with these bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// A catalog offers it, as far as the store's copies of the catalogs say.
  public static let downloadAvailable = AdapterStatus(rawValue: 1 << 0)
  /// A catalog offers a newer release than the one that is here, and `update` would bring it.
  public static let updateAvailable = AdapterStatus(rawValue: 1 << 1)
  /// What is here is the newest release that a catalog offers, or newer.
  public static let upToDate = AdapterStatus(rawValue: 1 << 2)
  /// What is here is older than a release in a catalog, is not what a catalog now has as the same version, or was withdrawn.
  public static let outOfDate = AdapterStatus(rawValue: 1 << 3)
  /// It is here, and no installed base has its signature.
  public static let obsolete = AdapterStatus(rawValue: 1 << 4)
  /// This process is bringing it at the moment, or has paused doing so.
  public static let downloading = AdapterStatus(rawValue: 1 << 5)
  /// It is in the store, whole.
  public static let downloaded = AdapterStatus(rawValue: 1 << 6)
  /// It is here and for the base in use.
  public static let fitsCurrentBase = AdapterStatus(rawValue: 1 << 7)

  /// Every fact with its name, by bit.
  private static let all: [(AdapterStatus, String)] = [
    (.downloadAvailable, "downloadAvailable"), (.updateAvailable, "updateAvailable"),
    (.upToDate, "upToDate"), (.outOfDate, "outOfDate"), (.obsolete, "obsolete"),
    (.downloading, "downloading"), (.downloaded, "downloaded"),
    (.fitsCurrentBase, "fitsCurrentBase"),
  ]

  /// Names of the facts that hold, in the order of their bits.
  package var names: [String] { Self.all.filter { contains($0.0) }.map(\.1) }
}

extension AdapterStatus: CustomStringConvertible {
  /// The facts' names in brackets.
  public var description: String { "[\(names.joined(separator: ", "))]" }
}

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
    if keptOffers()[identifier]?.contains(where: { $0.adapter.yanked == nil }) == true {
      status.insert(.downloadAvailable)
    }
    if hub.isActive(identifier.description) { status.insert(.downloading) }
    return status
  }

  /// What holds for each of `offers` now: of the version that is installed, what holds for the adapter; of others, that
  /// they can be had, and whether that is the one that `update` would bring.
  package func status(of offers: [CatalogOffer]) throws(StoreError) -> [AdapterStatus] {
    let adapters = try adapters().adapters.map { ($0.identifier, $0) }
    let installed = Dictionary(adapters) { first, _ in first }
    let kept = keptOffers()
    return offers.map { offer in
      let identifier = offer.adapter.identifier
      var status: AdapterStatus = offer.adapter.yanked == nil ? .downloadAvailable : []
      guard let adapter = installed[identifier] else {
        if hub.isActive(identifier.description) { status.insert(.downloading) }
        return status
      }
      if adapter.version == offer.adapter.version {
        return adapter.hasFiles(of: offer.adapter) ? adapter.facts : [status, .outOfDate]
      }
      let update = AdapterUpdate(of: adapter, in: kept[identifier] ?? [])
      if update.state == .available, update.offer == offer { status.insert(.updateAvailable) }
      return status
    }
  }

  /// The events of the adapter `identifier` on its way into this store, from now on; first the latest one if it is on
  /// its way already.
  ///
  /// They end after `finished` or `failed`, or when the task that takes them is cancelled, and are kept until they are taken.
  ///
  /// Events come from this process; any number of followers may ask, each gets all. Of several installations of one
  /// adapter at once the first is followed. What is installed from an address is known to be this adapter once its metadata
  /// has come: then its events begin.
  public func statusUpdates(for identifier: AdapterIdentifier)
    -> some AsyncSequence<AdapterEvent, Never> & Sendable
  {
    hub.updates(of: identifier.description)
  }

  /// What the configured catalogs offered when they were last read.
  func keptOffers() -> [AdapterIdentifier: [CatalogOffer]] {
    let copies = copies
    let offers = catalogs().catalogs.flatMap { source in
      (copies.copy(of: source)?.catalog.adapters ?? []).map {
        CatalogOffer(adapter: $0, catalog: source)
      }
    }
    return Dictionary(grouping: offers, by: \.adapter.identifier)
  }

  /// `adapter` with what follows from what catalogs offer.
  func completed(
    _ adapter: InstalledAdapter, by kept: [AdapterIdentifier: [CatalogOffer]]
  ) -> InstalledAdapter {
    let offers = kept[adapter.identifier] ?? []
    let update = AdapterUpdate(of: adapter, in: offers)
    var adapter = adapter
    adapter.yanked = update.yanked
    if offers.contains(where: { $0.adapter.yanked == nil }) {
      adapter.facts.insert(.downloadAvailable)
    }
    if hub.isActive(adapter.identifier.description) { adapter.facts.insert(.downloading) }
    switch update.state {
    case .available: adapter.facts.formUnion([.outOfDate, .updateAvailable])
    case .changed, .yanked: adapter.facts.insert(.outOfDate)
    case .upToDate, .older, .prerelease: adapter.facts.insert(.upToDate)
    case .unlisted, .unreachable: break
    }
    return adapter
  }
}
