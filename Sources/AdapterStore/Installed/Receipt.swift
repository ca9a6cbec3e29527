public import Adapters
public import Foundation
import TensorFiles

/// What is recorded beside an installed adapter or base.
public struct Receipt: Sendable, Equatable, Codable {
  /// Version of this file's meaning: 1.
  public let formatVersion: Int
  /// Where it came from: an absolute path, or an address without credentials.
  public internal(set) var source: String
  /// When it was installed.
  public let installed: Date
  /// Name and version of the program that installed it.
  public let tool: String
  /// Every file of the entry but the receipt itself.
  public let files: [FileRecord]
  /// What adapters have to fit; only in the receipt of a base.
  public let base: BaseRecord?
  /// Version that an adapter came as; nil in receipts of earlier programs, and of bases.
  public internal(set) var version: AdapterVersion?
  /// Address of the catalog that it was found in, if it was.
  public internal(set) var catalog: String?
  /// Where each file was fetched from; nil when it was copied from a folder.
  public internal(set) var sources: [FileSource]?

  /// Bytes of all files.
  public var size: Int { files.reduce(0) { $0 + $1.size } }

  /// A receipt of format version 1.
  init(
    source: String, installed: Date, tool: String, files: [FileRecord], base: BaseRecord?,
    version: AdapterVersion? = nil, catalog: String? = nil, sources: [FileSource]? = nil
  ) {
    formatVersion = 1
    self.source = WebAddress.shown(source)
    // Whole seconds, so that what is read back is what was written.
    self.installed = Date(timeIntervalSince1970: installed.timeIntervalSince1970.rounded(.down))
    self.tool = tool
    self.files = files
    self.base = base
    self.version = version
    self.catalog = catalog
    self.sources = sources
  }

  /// Whether the files are the same, wherever and whenever they came from.
  func hasSameContent(as files: [FileRecord]) -> Bool {
    self.files.sorted { $0.path < $1.path } == files.sorted { $0.path < $1.path }
  }
}

/// Where a file was fetched from.
public struct FileSource: Sendable, Equatable, Codable {
  /// Path within the entry.
  public let path: String
  /// Address of its origin, without credentials.
  public let url: String
  /// The server's name for the version, where it had one that can be relied on.
  public let entityTag: String?

  init(path: String, url: String, entityTag: String?) {
    self.path = path
    self.url = WebAddress.shown(url)
    self.entityTag = entityTag
  }
}

extension Receipt {
  /// Reads the receipt at `path`; nil when it is missing, unreadable, or of another version.
  ///
  /// A receipt is a convenience: without it the entry is treated as if nothing were known about it.
  init?(reading path: String) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let bytes = try? FileSystem.read(path, limit: 16 << 20),
      let receipt = try? decoder.decode(Receipt.self, from: Data(bytes)),
      receipt.formatVersion == 1, receipt.files.allSatisfy(\.isSound)
    else { return nil }
    self = receipt
    source = WebAddress.shown(source)
    sources = sources?.map { FileSource(path: $0.path, url: $0.url, entityTag: $0.entityTag) }
  }

  /// Writes the receipt to `path`.
  func write(to path: String) throws(StoreError) {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("a receipt holds nothing that JSON cannot")
    }
    try storing { () throws(TensorFileError) in try AtomicFile.write(Array(data), to: path) }
  }
}

/// What a receipt says about a base, so that nothing has to open the model to know it.
public struct BaseRecord: Sendable, Equatable, Codable {
  /// A projection of a layer.
  struct Projection: Sendable, Equatable, Codable {
    let target: LoRATarget
    let rows: Int
    let columns: Int
  }

  /// What the user calls it: the file's name without its ending.
  public let name: String
  /// 40 lowercase hexadecimal digits.
  public let signature: String
  /// As in `general.architecture`.
  public let architecture: String
  let layers: [[Projection]]

  /// Records `contract` under `name`.
  init(name: String, contract: BaseContract) {
    self.name = name
    signature = contract.signature
    architecture = contract.architecture
    layers = contract.layers.map { layer in
      LoRATarget.allCases.compactMap { target in
        layer[target].map { Projection(target: target, rows: $0.rows, columns: $0.columns) }
      }
    }
  }

  /// What adapters have to fit.
  public var contract: BaseContract {
    BaseContract(
      signature: signature, architecture: architecture,
      layers: layers.map { layer in
        Dictionary(
          layer.map { ($0.target, MatrixShape(rows: $0.rows, columns: $0.columns)) },
          uniquingKeysWith: { first, _ in first })
      })
  }
}
