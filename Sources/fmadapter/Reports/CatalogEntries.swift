import AdapterStore
import Adapters
import Foundation

/// A configured catalog as `--json` prints it.
struct CatalogEntry: Encodable {
  let address: String
  /// Path or address, as people write it.
  let place: String
  /// Versions of adapters in it when it was last read.
  let versions: Int?
  let read: Date?

  init(_ source: CatalogSource, kept: (catalog: Catalog, read: Date)?) {
    address = source.address
    place = source.description
    versions = kept?.catalog.adapters.count
    read = kept?.read
  }
}

/// A version of an adapter in a catalog as `--json` prints it.
struct OfferEntry: Encodable {
  let identifier: String
  let name: String
  let version: String
  let baseModelSignature: String
  let description: String?
  let license: String?
  let size: Int
  let catalog: String
  /// What holds for the adapter: names of ``AdapterStatus``.
  let facts: [String]

  init(_ offer: CatalogOffer, status: AdapterStatus) {
    identifier = offer.adapter.identifier.description
    name = offer.adapter.name
    version = offer.adapter.version.description
    baseModelSignature = offer.adapter.baseModelSignature
    description = offer.adapter.description
    license = offer.adapter.license
    size = offer.adapter.size
    catalog = offer.catalog.description
    facts = status.names
  }

  /// Whether it is here, and if not, whether it could run.
  func state(current: String?) -> String {
    if facts.contains("updateAvailable") { return "update available" }
    if facts.contains("downloaded") { return "installed" }
    return baseModelSignature == current ? "fits" : "other base"
  }
}

/// A published package as `--json` prints it.
struct PublicationEntry: Encodable {
  let identifier: String
  let version: String
  let outcome: String
  let size: Int
  let path: String

  init(_ publication: CatalogPublisher.Publication) {
    identifier = publication.identifier.description
    version = publication.version.description
    outcome = publication.outcome.rawValue
    size = publication.size
    path = publication.path
  }
}

/// An adapter beside what catalogs offer, as `--json` prints it.
struct UpdateEntry: Encodable {
  let identifier: String
  let installed: String
  let offered: String?
  let catalog: String?
  /// `available`, `upToDate`, `older`, `changed` or `unlisted`.
  let state: String
  /// `installed`, `unchanged`, `refused` or `failed`; nil when nothing was to be done.
  var outcome: String?

  init(_ update: AdapterUpdate) {
    identifier = update.identifier.description
    installed = update.installed.description
    offered = update.offer?.adapter.version.description
    catalog = update.offer?.catalog.description
    state = update.state.rawValue
  }
}

extension AdapterUpdate {
  /// One line for people.
  var sentence: String {
    let offered = offer.map { "\($0.adapter.version)" } ?? ""
    return switch state {
    case .available: "\(identifier) \(installed) -> \(offered)"
    case .upToDate: "\(identifier) \(installed) is up to date"
    case .older: "\(identifier) \(installed) is newer than the catalog's \(offered)"
    case .changed: "\(identifier) \(installed) is not what the catalog now has as \(offered)"
    case .unlisted: "\(identifier) \(installed) is in no catalog"
    }
  }
}

extension CatalogSource {
  /// As it is printed.
  var text: String { description.printable }
}

extension Terminal {
  /// Tells which catalogs could not be read.
  func report(_ failures: [CatalogSurvey.Failure]) {
    for failure in failures { warn("passed over: \(failure.error.description.printable)") }
  }
}
