public import Adapters
import TensorFiles

/// How an installed adapter stands to what the catalogs offer.
public struct AdapterUpdate: Sendable {
  /// What holds.
  public enum State: String, Sendable, Codable {
    /// A newer release is offered.
    case available
    /// The newest release is installed.
    case upToDate
    /// The newest release on offer is older than what is installed.
    case older
    /// The version that is installed is on offer with other bytes.
    case changed
    /// No catalog offers a release of it.
    case unlisted
  }

  /// The adapter.
  public let identifier: AdapterIdentifier
  /// The version that is installed.
  public let installed: AdapterVersion
  /// The newest release on offer; nil when there is none.
  public let offer: CatalogOffer?
  /// What holds.
  public let state: State

  /// Compares `adapter` with `offers`.
  ///
  /// An adapter that came from a catalog is held against that one for as long as it offers it: another catalog cannot
  /// take its name over by a higher version.
  init(of adapter: InstalledAdapter, in offers: [CatalogOffer]) {
    let releases = offers.filter {
      $0.adapter.identifier == adapter.identifier && !$0.adapter.version.isPrerelease
    }
    let own = releases.filter { $0.catalog.address == adapter.receipt?.catalog }
    let newest = CatalogSurvey.newest(own.isEmpty ? releases : own)
    identifier = adapter.identifier
    installed = adapter.version
    offer = newest
    state = Self.state(of: adapter, beside: newest?.adapter)
  }

  private static func state(
    of adapter: InstalledAdapter, beside offered: CatalogAdapter?
  ) -> State {
    guard let offered else { return .unlisted }
    if adapter.version != offered.version {
      return adapter.version < offered.version ? .available : .older
    }
    return adapter.hasFiles(of: offered) ? .upToDate : .changed
  }
}

extension InstalledAdapter {
  /// Whether the receipt has the files of `offered`, byte for byte; true as well without a receipt to compare.
  func hasFiles(of offered: CatalogAdapter) -> Bool {
    receipt?.hasFiles(of: offered) ?? true
  }
}

extension Receipt {
  /// Whether it has the files of `offered`, byte for byte.
  func hasFiles(of offered: CatalogAdapter) -> Bool {
    let prefix = StoreLayout.package + "/"
    let installed = Set(files.map { "\($0.path) \($0.size) \($0.sha256)" })
    return installed == Set(offered.files.map { "\(prefix)\($0.path) \($0.size) \($0.sha256)" })
  }
}

extension AdapterStore {
  /// How the installed adapters that `names` names, or all, stand to what the configured catalogs offer now.
  ///
  /// - Returns: the comparisons by identifier, and the catalogs that could not be read.
  /// - Throws: `StoreError.noAdapter`, `.ambiguous`, `.storage` or `.cancelled`; the first catalog's error when none can
  ///   be read.
  public func updates(
    of names: [String] = []
  ) async throws(StoreError) -> (updates: [AdapterUpdate], failures: [CatalogSurvey.Failure]) {
    try await updates(of: names, by: downloader)
  }

  /// As above, through `downloader`.
  package func updates(
    of names: [String], by downloader: any Downloading
  ) async throws(StoreError) -> (updates: [AdapterUpdate], failures: [CatalogSurvey.Failure]) {
    var adapters: [InstalledAdapter] = []
    for name in names { adapters.append(try adapter(named: name)) }
    if names.isEmpty { adapters = try self.adapters().adapters }
    let survey = try await surveyCatalogs(by: downloader)
    if let failure = survey.failures.first, survey.failures.count == survey.catalogCount {
      throw failure.error
    }
    // While its own catalog cannot be read, no other may take an adapter over.
    let unread = Set(survey.failures.map(\.catalog.address))
    let updates = adapters.map { adapter in
      let isLost = adapter.receipt?.catalog.map(unread.contains) ?? false
      return AdapterUpdate(of: adapter, in: isLost ? [] : survey.offers)
    }
    return (updates, survey.failures)
  }
}

extension AdapterUpdate {
  /// Refuses what `update` does not do unless it is asked to.
  ///
  /// - Throws: `StoreError.olderVersion` or `.changedVersion`.
  public func check(allowDowngrade: Bool, force: Bool) throws(StoreError) {
    guard let offer else { return }
    switch state {
    case .older where !allowDowngrade:
      throw .olderVersion(
        identifier.description, installed: installed.description,
        offered: offer.adapter.version.description)
    case .changed where !force:
      throw .changedVersion(
        "\(identifier) \(installed)",
        reason: "its publisher changed what \(offer.catalog) has as \(offer.adapter.version) "
          + "without a new version\(remedy: "ask there before you force it")")
    default: break
    }
  }

  /// Whether there is something to install once ``check(allowDowngrade:force:)`` has let it pass.
  public var isInstallable: Bool { offer != nil && state != .upToDate }
}
