import Adapters
import TensorFiles

extension AdapterStore {
  /// Reads the catalog `source`; `isKept` leaves a copy in the store for when nothing may be fetched.
  ///
  /// - Throws: `StoreError.invalidCatalog`, `.network`, `.storage` or `.cancelled`.
  package func readCatalog(
    _ source: CatalogSource, isKept: Bool = true, by downloader: any Downloading
  ) async throws(StoreError) -> Catalog {
    let bytes: [UInt8]
    var url = source.address
    if let path = source.path {
      bytes = try Self.localIndex(path)
    } else {
      (bytes, url) = try await downloader.document(source.address, limit: Catalog.sizeLimit)
    }
    let catalog = try Catalog(parsing: bytes, url: WebAddress.shown(url))
    if isKept {
      CatalogCopies(layout: layout).save(bytes, from: url, of: source, at: process.now())
    }
    return catalog
  }

  /// Asks `sources`, or every configured catalog, all at once; copies of configured ones are kept.
  ///
  /// - Throws: `StoreError.cancelled` only: a catalog that cannot be read stops none of the others.
  package func surveyCatalogs(
    _ chosen: [CatalogSource]? = nil, by downloader: any Downloading
  ) async throws(StoreError) -> CatalogSurvey {
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

  /// The version that `request` means: the newest that fits the base in use, among those of all catalogs.
  ///
  /// - Returns: what to install, and the catalogs that could not be read.
  /// - Throws: `StoreError.notInCatalogs`, `.incompatible`, `.noCurrentBase`, or the error of a catalog that may have
  ///   had the name.
  package func resolve(
    _ request: AdapterRequest, from catalog: CatalogSource? = nil, by downloader: any Downloading
  ) async throws(StoreError) -> (offer: CatalogOffer, failures: [CatalogSurvey.Failure]) {
    let configured = catalogs().catalogs
    if let catalog, !configured.contains(catalog) {
      throw .noCatalog(catalog.description, known: configured.map(\.description))
    }
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

  private static func localIndex(_ path: String) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8]?
    do throws(TensorFileError) {
      if try FileSystem.info(path) != nil {
        bytes = try FileSystem.read(path, limit: Catalog.sizeLimit)
      }
    } catch {
      switch error {
      case .tooLarge(_, let size, let limit):
        throw .invalidCatalog(
          url: path, reason: "it has \(byteCount(size)), and \(byteCount(limit)) are allowed")
      case .notRegular: throw .invalidCatalog(url: path, reason: "it is not a regular file")
      default: throw .storage(error)
      }
    }
    guard let bytes else {
      throw .invalidCatalog(url: path, reason: "there is no such file; publish packages there")
    }
    return bytes
  }
}
