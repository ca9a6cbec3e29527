import Adapters
package import SystemFiles

extension AdapterStore {
  /// Reads the catalog `source`, for a look at it; `isKept` leaves a copy for ``status(of:)->AdapterStatus``.
  ///
  /// Where it has keys, or `keys` are given, one of them has to have signed it.
  ///
  /// - Throws: `StoreError.untrusted` where none has, or where it is not the newest that was seen; `.invalidCatalog`, `.network`,
  ///   `.notOnServer`, `.noIndex`, `.storage`, `.cancelled`.
  package func readCatalog(
    _ source: CatalogSource, keys: [PublicKey] = [], isKept: Bool = true
  ) async throws(StoreError) -> Catalog {
    try await readCatalog(source, keys: keys, isKept: isKept, by: downloader)
  }

  /// As above, through `downloader`.
  func readCatalog(
    _ source: CatalogSource, keys: [PublicKey] = [], isKept: Bool = true,
    by downloader: any Downloading
  ) async throws(StoreError) -> Catalog {
    let keys = try keys.isEmpty ? self.keys(of: source) : keys
    if !keys.isEmpty { return try await readSigned(source, by: keys, isKept, downloader) }
    guard
      let (bytes, url) = try await document(
        Catalog.fileName, source, Catalog.sizeLimit, downloader)
    else { throw .noIndex(path: source.address) }
    let catalog = try Catalog(parsing: bytes, url: WebAddress.shown(url))
    // A copy that cannot be written is no error.
    if isKept { try? copies.save(bytes, from: catalog.url, of: source, at: process.now()) }
    return catalog
  }

  private func readSigned(
    _ source: CatalogSource, by keys: [PublicKey], _ isKept: Bool, _ downloader: any Downloading
  ) async throws(StoreError) -> Catalog {
    guard
      let (bytes, url) = try await document(
        SignedIndex.fileName, source, SignedIndex.sizeLimit, downloader)
    else {
      let place = SignedIndex.place(of: source.path ?? source.address)
      throw .untrusted(
        "\(source)", .unsigned(place: source.isInRegistry ? source.address : place))
    }
    let now = process.now()
    let (index, catalog) = try Catalog.signed(
      bytes, url: WebAddress.shown(url), of: source, by: keys, at: now)
    if isKept {
      try copies.save(signed: index, catalog, of: source, at: now)
    } else {
      try copies.check(signed: index, catalog, of: source)
    }
    return catalog
  }

  /// The index `name` of `source`, and where it came from, after redirects; nil where there is no signed one.
  private func document(
    _ name: String, _ source: CatalogSource, _ limit: Int, _ downloader: any Downloading
  ) async throws(StoreError) -> (bytes: [UInt8], url: String)? {
    if source.isInRegistry {
      let client = try await RegistryClient(RegistryReference(source.address), self.downloader)
      return try await client.catalogFile(name, limit: limit).map { ($0, source.address) }
    }
    let isSigned = name == SignedIndex.fileName
    let address = isSigned ? SignedIndex.place(of: source.address) : source.address
    do throws(StoreError) {
      guard let path = CatalogSource(listed: address)?.path else {
        return try await downloader.document(address, limit: limit)
      }
      return (try Self.localIndex(path, limit), address)
    } catch {
      guard isSigned, error.code == .notOnServer || error.code == .noIndex else { throw error }
      return nil
    }
  }

  var copies: CatalogCopies { CatalogCopies(layout: layout) }

  /// Asks `sources`, or every configured catalog, what they offer; one that cannot be read stops none of the others.
  ///
  /// - Throws: `StoreError.cancelled`.
  public func surveyCatalogs(
    _ sources: [CatalogSource]? = nil
  ) async throws(StoreError) -> CatalogSurvey {
    try await surveyCatalogs(sources, by: downloader)
  }

  /// As above, all at once, through `downloader`; copies of configured ones are kept.
  func surveyCatalogs(
    _ chosen: [CatalogSource]? = nil, by downloader: any Downloading
  ) async throws(StoreError) -> CatalogSurvey {
    if chosen == nil { try checkCatalogs() }
    let sources = chosen ?? catalogs().catalogs
    let results = await readAll(sources, by: downloader)
    var offers: [CatalogOffer] = []
    var failures: [CatalogSurvey.Failure] = []
    for (source, result) in zip(sources, results) {
      switch result {
      case .success(let catalog):
        offers += catalog.adapters.map { CatalogOffer(adapter: $0, catalog: source) }
      case .failure(.cancelled): throw .cancelled
      case .failure(let error): failures.append(.init(catalog: source, error: error))
      }
    }
    return CatalogSurvey(offers: offers, failures: failures, catalogCount: sources.count)
  }

  /// What came of each of `sources`, in their order.
  private func readAll(
    _ sources: [CatalogSource], by downloader: any Downloading
  ) async -> [Result<Catalog, StoreError>] {
    let configured = Set(catalogs().catalogs)
    let readings = await withTaskGroup(of: Reading.self, returning: [Reading].self) { group in
      for (index, source) in sources.enumerated() {
        let isKept = configured.contains(source)
        group.addTask {
          Reading(index: index, result: await self.read(source, isKept: isKept, by: downloader))
        }
      }
      var readings: [Reading] = []
      for await reading in group { readings.append(reading) }
      return readings
    }
    return readings.sorted { $0.index < $1.index }.map(\.result)
  }

  /// What came of the catalog at a place of the list.
  private struct Reading: Sendable {
    let index: Int
    let result: Result<Catalog, StoreError>
  }

  private func read(
    _ source: CatalogSource, isKept: Bool, by downloader: any Downloading
  ) async -> Result<Catalog, StoreError> {
    do throws(StoreError) {
      return .success(try await readCatalog(source, isKept: isKept, by: downloader))
    } catch {
      return .failure(error)
    }
  }

  /// Finds what `request` means in the configured catalogs, or in `catalog` alone, which is one of them: the newest
  /// version that fits the base in use.
  ///
  /// An adapter that came from a catalog stays with that one for as long as it offers it.
  ///
  /// - Returns: what to install, and the catalogs that could not be read.
  /// - Throws: `StoreError.severalCatalogs` when it has to be said which, `.noCatalog`, `.notInCatalogs`, `.incompatible`,
  ///   `.noCurrentBase`, `.cancelled`, or the error of a catalog that could not be read and may have had the name.
  public func resolve(
    _ request: AdapterRequest, from catalog: CatalogSource? = nil
  ) async throws(StoreError) -> (offer: CatalogOffer, failures: [CatalogSurvey.Failure]) {
    try await resolve(request, from: catalog, by: downloader)
  }

  /// As above, through `downloader`.
  func resolve(
    _ request: AdapterRequest, from catalog: CatalogSource? = nil, by downloader: any Downloading
  ) async throws(StoreError) -> (offer: CatalogOffer, failures: [CatalogSurvey.Failure]) {
    let catalog = try catalog.map { source throws(StoreError) in try listed(source) }
    let survey = try await surveyCatalogs(catalog.map { [$0] }, by: downloader)
    let bases = try bases().bases
    let homes = try adapters().adapters.reduce(into: [AdapterIdentifier: String]()) {
      $0[$1.identifier] = $1.receipt?.catalog
    }
    let offer = try survey.choose(
      request, for: bases.first(where: \.isCurrent), among: bases,
      homes: catalog == nil ? homes : [:])
    return (offer, survey.failures)
  }

  private static func localIndex(
    _ path: String, _ limit: Int
  ) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8]?
    do throws(FileError) {
      if try FileSystem.info(path) != nil {
        bytes = try FileSystem.read(path, limit: limit)
      }
    } catch {
      switch error {
      case .tooLarge(_, let size, let limit):
        throw .invalidCatalog(
          url: path,
          reason: "it has \(Figures.bytes(size)), and \(Figures.grouped(limit)) are allowed")
      case .notRegular: throw .invalidCatalog(url: path, reason: "it is not a regular file")
      default: throw .storage(error)
      }
    }
    guard let bytes else {
      throw .noIndex(path: path)
    }
    return bytes
  }
}
