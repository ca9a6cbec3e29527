package import Adapters

/// What a user asks catalogs for: a name or an identifier, and perhaps a version, as in `playwriting@1.2.0`.
public struct AdapterRequest: Sendable, Equatable {
  /// Name or identifier as it was typed.
  package let name: String
  /// The version behind the `@`, which alone is then taken.
  package let version: AdapterVersion?
  /// The text as it was typed.
  package let text: String

  /// Reads `text`; nil when it is neither a name nor an identifier, or the version is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    let isIdentifier = (try? AdapterIdentifier(name)) != nil
    let isName = (try? AdapterIdentifier("fmadapter-\(name)-0000000")) != nil
    guard isIdentifier || (isName && !name.contains("-")) else { return nil }
    if parts.count == 2 {
      guard let version = AdapterVersion(String(parts[1])) else { return nil }
      self.version = version
    } else {
      version = nil
    }
    self.name = name
    self.text = text
  }

  /// Those of `entries` whose identifier, or the name in it, is asked for.
  func matches<Entry>(
    _ entries: [Entry], _ identifier: (Entry) -> AdapterIdentifier
  ) -> [Entry] {
    TypedName(name).matches(entries) { [identifier($0).name, identifier($0).description] }
  }

  /// Whether it says for which base.
  var isIdentifier: Bool { name.contains("-") }
}

/// A version of an adapter, and the catalog that has it.
public struct CatalogOffer: Sendable, Equatable {
  /// What is offered.
  public let adapter: CatalogAdapter
  /// Who offers it.
  public let catalog: CatalogSource
  /// The package itself in a registry, which no catalog has; nil otherwise.
  private(set) var reference: RegistryReference?

  init(adapter: CatalogAdapter, catalog: CatalogSource, reference: RegistryReference? = nil) {
    (self.adapter, self.catalog, self.reference) = (adapter, catalog, reference)
  }
}

/// What came of asking all configured catalogs.
public struct CatalogSurvey: Sendable {
  /// All that is offered, in the order of the catalogs.
  public let offers: [CatalogOffer]
  /// The catalogs that could not be read, and why.
  public let failures: [Failure]

  /// A catalog that could not be read.
  public struct Failure: Sendable, Equatable {
    /// The one.
    public let catalog: CatalogSource
    /// Why.
    public let error: StoreError

    /// The same of a catalog that something came from before, with what to do if it has moved; one that is there, and cannot
    /// be understood, has not.
    var lost: StoreError {
      if error.code == .invalidCatalog || error.code == .untrusted { return error }
      return .catalogLost(catalog.address, error)
    }
  }

  /// Whether no catalog is configured.
  package var isEmpty: Bool { offers.isEmpty && failures.isEmpty && catalogCount == 0 }
  let catalogCount: Int
}

extension CatalogSurvey {
  /// The newest version that `request` means and that fits `base`.
  ///
  /// A name alone means releases only; an identifier says itself for which base. `homes` are the catalogs that installed
  /// adapters came from: each stays with its own for as long as that one offers it, and is not taken from another while
  /// that one cannot be read. Else a higher version in another catalog could take a name over.
  ///
  /// What its publisher has withdrawn is passed over.
  ///
  /// - Throws: `StoreError.severalCatalogs` when more than one offers it, `.notInCatalogs`, `.yanked`, `.incompatible`,
  ///   `.noCurrentBase`, or the error of its own catalog, or of the first one when the name is in none of those that could
  ///   be read.
  func choose(
    _ request: AdapterRequest, for base: InstalledBase?, among bases: [InstalledBase],
    homes: [AdapterIdentifier: String] = [:]
  ) throws(StoreError) -> CatalogOffer {
    let named = request.matches(offers) { $0.adapter.identifier }
    if named.isEmpty, let failure = failures.first {
      let isHome = request.matches(Array(homes.keys)) { $0 }.contains {
        homes[$0] == failure.catalog.address
      }
      throw isHome ? failure.lost : failure.error
    }
    guard !named.isEmpty else {
      throw .notInCatalogs(request.text, known: Set(offers.map(\.adapter.name)).sorted())
    }
    let wanted = named.filter {
      request.version.map { [version = $0.adapter.version] in version == $0 }
        ?? !$0.adapter.version.isPrerelease
    }
    guard !wanted.isEmpty else {
      throw .notInCatalogs(request.text, known: Self.requests(named))
    }
    if request.isIdentifier { return try newest(of: wanted, request, homes) }
    guard let base else { throw .noCurrentBase(installed: bases.count) }
    let fitting = wanted.filter { $0.adapter.baseModelSignature == base.signature }
    guard !fitting.isEmpty else {
      throw .incompatible(request.text, reason: Self.summary(of: wanted, bases: bases))
    }
    return try newest(of: fitting, request, homes)
  }

  /// The newest of `offers`, which are all of one adapter, that is not withdrawn.
  private func newest(
    of offers: [CatalogOffer], _ request: AdapterRequest, _ homes: [AdapterIdentifier: String]
  ) throws(StoreError) -> CatalogOffer {
    let offered = offers.filter { $0.adapter.yanked == nil }
    guard !offered.isEmpty else {
      let last = Self.newest(offers) ?? offers[0]
      throw .yanked(
        request.text, version: "\(last.adapter.version)", reason: last.adapter.yanked ?? "")
    }
    return try newest(offered, of: request, homes)
  }

  /// The newest of `offers`, which are all of one adapter, in the catalog that it belongs to.
  private func newest(
    _ offers: [CatalogOffer], of request: AdapterRequest, _ homes: [AdapterIdentifier: String]
  ) throws(StoreError) -> CatalogOffer {
    if let home = homes[offers[0].adapter.identifier] {
      let own = offers.filter { $0.catalog.address == home }
      if let newest = Self.newest(own) { return newest }
      if let failure = failures.first(where: { $0.catalog.address == home }) { throw failure.lost }
    }
    let places = offers.reduce(into: [String]()) { places, offer in
      if !places.contains(offer.catalog.description) { places.append(offer.catalog.description) }
    }
    guard places.count == 1 else {
      throw .severalCatalogs(request.text, catalogs: places)
    }
    return Self.newest(offers) ?? offers[0]
  }

  /// Of each adapter the newest release that is not withdrawn, in the order of the first that a catalog has.
  package var newestReleases: [CatalogOffer] {
    var releases: [CatalogOffer] = []
    var places: [AdapterIdentifier: Int] = [:]
    for offer in offers
    where !offer.adapter.version.isPrerelease && offer.adapter.yanked == nil {
      if let place = places[offer.adapter.identifier] {
        releases[place] = Self.newest([releases[place], offer]) ?? offer
      } else {
        places[offer.adapter.identifier] = releases.count
        releases.append(offer)
      }
    }
    return releases
  }

  /// The highest version; of equal ones the first.
  static func newest(_ offers: [CatalogOffer]) -> CatalogOffer? {
    offers.reduce(nil) { best, offer in
      guard let best, offer.adapter.version <= best.adapter.version else { return offer }
      return best
    }
  }

  /// What could be asked for instead.
  private static func requests(_ offers: [CatalogOffer]) -> [String] {
    let offered = offers.filter { $0.adapter.yanked == nil }
    let versions = Set(offered.map { $0.adapter.version }).sorted(by: >)
    return versions.map { "\(offers[0].adapter.name)@\($0)" }
  }

  /// What exists for which base.
  private static func summary(of offers: [CatalogOffer], bases: [InstalledBase]) -> String {
    let signatures = Set(offers.map(\.adapter.baseModelSignature)).sorted()
    let parts = signatures.map { signature in
      let versions = Set(
        offers.filter { $0.adapter.baseModelSignature == signature }.map(\.adapter.version))
      let name = bases.first { $0.signature == signature }.map { "\($0.name) " } ?? ""
      let list = versions.sorted(by: >).prefix(5).map(\.description).joined(separator: ", ")
      return "\(list) for the base \(name)\(signature)"
    }
    return "catalogs have " + parts.joined(separator: "; ")
  }
}
