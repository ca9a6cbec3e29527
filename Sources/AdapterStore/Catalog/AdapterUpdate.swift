public import Adapters
import SystemFiles

/// How an installed adapter stands to what the catalogs offer.
public struct AdapterUpdate: Sendable {
  /// What holds.
  public enum State: String, Sendable, Codable {
    /// A newer release is offered.
    ///
    /// The same version is one where its files are there but for some that an earlier program did not know.
    case available
    /// The newest release is installed.
    case upToDate
    /// The newest release on offer is older than what is installed.
    case older
    /// A pre-release is installed, which nobody gets but by its version, and no newer release is on offer.
    case prerelease
    /// The version that is installed is on offer with other bytes.
    case changed
    /// What is installed was withdrawn, and nothing newer is on offer.
    case yanked
    /// No catalog offers a release of it.
    case unlisted
    /// The catalog that it came from, or one that may have it, cannot be read.
    case unreachable
  }

  /// The adapter.
  public let identifier: AdapterIdentifier
  /// The version that is installed.
  public let installed: AdapterVersion
  /// The newest release on offer; nil when there is none.
  public let offer: CatalogOffer?
  /// What holds.
  public let state: State
  /// Why the publisher has withdrawn what is installed: empty when that is not said, nil where it is not withdrawn.
  public let yanked: String?
  /// The catalog that could not be read, and why; only where the state is `unreachable`.
  package let failure: CatalogSurvey.Failure?

  /// Compares `adapter` with `offers`.
  ///
  /// An adapter that came from a catalog is held against that one for as long as it offers it: another catalog cannot
  /// take its name over by a higher version.
  init(of adapter: InstalledAdapter, in offers: [CatalogOffer]) {
    let listed = offers.filter { $0.adapter.identifier == adapter.identifier }
    let home = adapter.receipt?.catalog
    yanked =
      listed.first {
        $0.adapter.version == adapter.version && $0.catalog.address == home ?? $0.catalog.address
          && adapter.hasFiles(of: $0.adapter)
      }?.adapter.yanked
    let releases = listed.filter { !$0.adapter.version.isPrerelease && $0.adapter.yanked == nil }
    let own = releases.filter { $0.catalog.address == home }
    let newest = CatalogSurvey.newest(own.isEmpty ? releases : own)
    identifier = adapter.identifier
    installed = adapter.version
    offer = newest
    failure = nil
    let version = adapter.version
    let state = newest.map { offer in
      Self.state(of: version, beside: offer.adapter) { adapter.receipt?.files }
    }
    if yanked != nil, state != .available {
      self.state = .yanked
    } else if let state {
      self.state = state
    } else {
      self.state = installed.isPrerelease && !listed.isEmpty ? .prerelease : .unlisted
    }
  }

  /// Compares the version `installed` with `offer` alone; `files` are those that it has, which only the same version is asked.
  init(of installed: AdapterVersion, beside offer: CatalogOffer, files: () -> [FileRecord]) {
    identifier = offer.adapter.identifier
    self.installed = installed
    self.offer = offer
    yanked = nil
    failure = nil
    state = Self.state(of: installed, beside: offer.adapter, files: files)
  }

  /// Says of `adapter` that nothing can be said while `failure` lasts.
  init(of adapter: InstalledAdapter, _ failure: CatalogSurvey.Failure) {
    identifier = adapter.identifier
    installed = adapter.version
    offer = nil
    yanked = nil
    state = .unreachable
    self.failure = failure
  }

  private static func state(
    of installed: AdapterVersion, beside offered: CatalogAdapter, files: () -> [FileRecord]?
  ) -> State {
    if installed < offered.version { return .available }
    guard installed == offered.version else {
      return installed.isPrerelease ? .prerelease : .older
    }
    guard let files = files(), !offered.hasFiles(files) else { return .upToDate }
    return offered.completes(files) ? .available : .changed
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
  func hasFiles(of offered: CatalogAdapter) -> Bool { offered.hasFiles(files) }
}

extension CatalogAdapter {
  /// Whether `installed`, by their paths within an entry, are its files, byte for byte.
  func hasFiles(_ installed: [FileRecord]) -> Bool {
    lines == Self.lines(installed)
  }

  /// Whether `installed` are its files, byte for byte, without some that a package need not have: an earlier program leaves
  /// out those that it does not know.
  func completes(_ installed: [FileRecord]) -> Bool {
    let (own, have) = (lines, Self.lines(installed))
    let needed = files.filter { PackageFile.required.contains($0.path) }
    return own.isStrictSuperset(of: have) && have.isSuperset(of: Self.lines(needed))
  }

  private var lines: Set<String> { Self.lines(files) }

  private static func lines(_ files: [CatalogFile]) -> Set<String> {
    Set(files.map { "\(StoreLayout.package)/\($0.path) \($0.size) \($0.sha256)" })
  }

  private static func lines(_ files: [FileRecord]) -> Set<String> {
    Set(files.map { "\($0.path) \($0.size) \($0.sha256)" })
  }
}

extension AdapterStore {
  /// How the installed adapters that `names` names, or all, stand to what the configured catalogs offer now.
  ///
  /// - Returns: the comparisons by identifier, the adapters that cannot be read, where all are meant, and the catalogs
  ///   that could not be read.
  /// - Throws: `StoreError.noAdapter`, `.ambiguous`, `.storage` or `.cancelled`; of a name, also why its adapter cannot be
  ///   read.
  public func updates(of names: [String] = []) async throws(StoreError) -> UpdateSurvey {
    try await updates(of: names, by: downloader)
  }

  /// As above, through `downloader`.
  func updates(
    of names: [String], by downloader: any Downloading
  ) async throws(StoreError) -> UpdateSurvey {
    var adapters: [InstalledAdapter] = []
    var unreadable: [UnreadableAdapter] = []
    for name in names { adapters.append(try adapter(named: name)) }
    if names.isEmpty {
      adapters = try self.adapters().adapters
      unreadable = try unreadableAdapters()
    }
    let homes = Set(try self.adapters().adapters.compactMap { $0.receipt?.catalog })
    let survey = try await surveyCatalogs(by: downloader).tellingLoss(of: homes)
    let configured = Set(catalogs().catalogs.map(\.address))
    var (updates, failures) = ([AdapterUpdate](), survey.failures)
    for adapter in adapters {
      let update = survey.update(of: adapter, configured)
      let own = update.state == .unlisted ? try await registryUpdate(of: adapter) : nil
      updates.append(own ?? update)
      if let failure = own?.failure { failures.append(failure) }
    }
    return UpdateSurvey(updates: updates, unreadable: unreadable, failures: failures)
  }
}

/// How installed adapters stand to what catalogs offer, and what could not be compared.
public struct UpdateSurvey: Sendable {
  /// The comparisons by identifier.
  public let updates: [AdapterUpdate]
  /// The adapters that cannot be read, and so not be compared.
  package let unreadable: [UnreadableAdapter]
  /// The catalogs, and the places in registries, that could not be read; what to do if it has moved is told of those that something came from.
  public let failures: [CatalogSurvey.Failure]
}

extension CatalogSurvey {
  /// The same, where failures of `homes`, by their addresses, tell what to do if the catalog has moved.
  fileprivate func tellingLoss(of homes: Set<String>) -> CatalogSurvey {
    let failures = failures.map {
      homes.contains($0.catalog.address) ? Failure(catalog: $0.catalog, error: $0.lost) : $0
    }
    return CatalogSurvey(offers: offers, failures: failures, catalogCount: catalogCount)
  }

  /// How `adapter` stands to what is offered, where `configured` are the catalogs of the list.
  ///
  /// While its own catalog cannot be read, no other may take an adapter over. One that no catalog offers may be offered by
  /// what could not be read, unless its own has been.
  fileprivate func update(
    of adapter: InstalledAdapter, _ configured: Set<String>
  ) -> AdapterUpdate {
    let home = adapter.receipt?.catalog.flatMap { configured.contains($0) ? $0 : nil }
    if let home, let failure = failures.first(where: { $0.catalog.address == home }) {
      return AdapterUpdate(of: adapter, failure)
    }
    let update = AdapterUpdate(of: adapter, in: offers)
    guard update.state == .unlisted, home == nil, let failure = failures.first else {
      return update
    }
    return AdapterUpdate(of: adapter, failure)
  }
}

extension AdapterUpdate {
  /// Refuses what `update` does not do unless it is asked to.
  package func check(allowDowngrade: Bool, force: Bool) throws(StoreError) {
    guard let offer else { return }
    switch state {
    case .older where !allowDowngrade, .prerelease where !allowDowngrade:
      throw .olderVersion(
        identifier.description, installed: installed.description,
        offered: offer.adapter.version.description)
    case .changed where !force:
      throw .changedOffer(
        "\(identifier) \(installed)", catalog: "\(offer.catalog)",
        version: "\(offer.adapter.version)")
    default: break
    }
  }

  /// Whether there is something to install once `checkReplacement(by:allowDowngrade:force:)` has let it pass.
  ///
  /// A pre-release, and what was withdrawn, stay until a newer release is out, or an older one is asked for.
  package func isInstallable(allowDowngrade: Bool = false) -> Bool {
    guard offer != nil else { return false }
    return state == .prerelease || state == .yanked ? allowDowngrade : state != .upToDate
  }
}
