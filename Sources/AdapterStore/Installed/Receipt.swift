package import Adapters
public import FoundationEssentials
package import SystemFiles

/// What is recorded beside an installed adapter or base.
public struct Receipt: Sendable, Equatable, Codable {
  /// Version of this file's meaning: ``knownFormat``.
  let formatVersion: Int
  /// Where it came from: an absolute path, or an address without credentials, which others may be shown as, too.
  public private(set) var source: String
  /// What tells where it came from from every other place: who answers for that, and a digest of all of the address; nil in receipts
  /// of earlier programs.
  private(set) var identity: String?
  /// When it was installed.
  public let installed: Date
  /// Name and version of the program that installed it.
  package let tool: String
  /// Every file of the entry but the receipt itself.
  package let files: [FileRecord]
  /// What adapters have to fit; only in the receipt of a base.
  package let base: BaseRecord?
  /// Version that an adapter came as; nil in receipts of earlier programs, and of bases.
  package internal(set) var version: AdapterVersion?
  /// Address of the catalog that it was found in, if it was.
  public internal(set) var catalog: String?
  /// Where each file was fetched from; nil when it was copied from a folder.
  package internal(set) var sources: [FileSource]?
  /// Where on a hub it came from, if it did.
  package internal(set) var hub: HubOrigin?
  /// The keys, in PEM, of which one had to have signed it; nil where none were demanded, and in receipts of earlier programs.
  var signers: [String]?

  /// The files that were fetched, and that nothing vouches for.
  package var unverified: [FileRecord] {
    let paths = (sources ?? []).filter { isUnverified($0) }.map(\.path)
    return files.filter { paths.contains($0.path) }
  }

  /// Whether nothing vouches for the file of `source`; what catalogs list always had a digest.
  func isUnverified(_ source: FileSource) -> Bool {
    source.vouchers.map(\.isEmpty) ?? (catalog == nil)
  }

  /// Bytes of all files.
  package var size: Int { files.reduce(0) { $0 + $1.size } }

  /// The version that this program reads and writes.
  static let knownFormat = 1

  /// A receipt of the version that this program knows.
  init(
    source: String, installed: Date, tool: String, files: [FileRecord], base: BaseRecord?,
    version: AdapterVersion? = nil, catalog: String? = nil, sources: [FileSource]? = nil,
    hub: HubOrigin? = nil, signers: [String] = []
  ) {
    formatVersion = Self.knownFormat
    self.source = WebAddress.shown(source)
    identity = WebAddress.identity(source)
    // Whole seconds, so that what is read back is what was written.
    self.installed = Date(timeIntervalSince1970: installed.timeIntervalSince1970.rounded(.down))
    self.tool = tool
    self.files = files
    self.base = base
    self.version = version
    self.catalog = catalog
    self.sources = sources
    self.hub = hub
    self.signers = signers.isEmpty ? nil : signers
  }

  /// Makes `source` the place that it came from.
  mutating func came(from source: String) {
    self.source = WebAddress.shown(source)
    identity = WebAddress.identity(source)
  }

  /// What tells where it came from; nil where the receipt does not say enough.
  private var place: String? { identity ?? WebAddress.identity(ofShown: source) }

  /// Whether it came from `source`; false where that is not known.
  func isFrom(_ source: String) -> Bool { place == WebAddress.identity(source) }

  /// Whether both are known to have come from one place.
  package func isFromPlace(of other: Receipt) -> Bool { place != nil && place == other.place }

  /// The same, or, where that is not known, whether they are shown as if they had.
  func mayBeFromPlace(of other: Receipt) -> Bool {
    guard place != nil, other.place != nil else { return source == other.source }
    return isFromPlace(of: other)
  }

  /// Takes what tells its place from `other`, which is shown as the same place and has the same files, where it does not know it.
  mutating func learnPlace(from other: Receipt) {
    if place == nil, source == other.source { identity = other.identity }
  }

  /// Removes what an earlier program, or somebody else, has left of credentials.
  mutating func mask() { source = WebAddress.shown(source) }

  /// Whether the files are the same, wherever and whenever they came from.
  func hasSameContent(as files: [FileRecord]) -> Bool {
    self.files.sorted { $0.path < $1.path } == files.sorted { $0.path < $1.path }
  }
}

/// Where a file was fetched from.
package struct FileSource: Sendable, Equatable, Codable {
  /// Path within the entry.
  package let path: String
  /// Address of its origin, without credentials.
  package let url: String
  /// The server's name for the version, where it had one that can be relied on.
  let entityTag: String?
  /// Who said what its digest is, the strongest first, by the names of ``DigestVoucher``; empty when nobody did, nil in
  /// receipts of earlier programs.
  package let vouchers: [String]?
  /// Number of files that it was made of, the first of which is at the address; nil where it is that file itself.
  package let parts: Int?

  init(
    path: String, url: String, entityTag: String?, vouchers: [String]? = nil, parts: Int? = nil
  ) {
    self.parts = parts
    self.path = path
    self.url = WebAddress.shown(url)
    self.entityTag = entityTag
    self.vouchers = vouchers
  }
}

/// What a receipt says about a base, so that nothing has to open the model to know it.
package struct BaseRecord: Sendable, Equatable, Codable {
  /// A projection of a layer.
  struct Projection: Sendable, Equatable, Codable {
    let target: LoRATarget
    let rows: Int
    let columns: Int
  }

  /// What the user calls it: the file's name without its ending.
  package let name: String
  /// 40 lowercase hexadecimal digits.
  package let signature: String
  /// As in `general.architecture`.
  package let architecture: String
  /// The signature that hyperparameters, tokenizer and tensors have by themselves; nil in receipts of earlier programs.
  package let contentSignature: String?
  /// Type of most of its weights, such as `Q4_0`.
  package let type: String?
  /// Whether the program that installed it has made the file, and so its signature, of original weights; nil where not.
  private(set) var isMadeHere: Bool?
  let layers: [[Projection]]

  /// Whether the signature is no more than what the file says of itself, as that of every quantization is.
  package var isClaim: Bool {
    isMadeHere != true && contentSignature.map { $0 != signature } ?? false
  }

  /// Records `contract` under `name`.
  init(
    name: String, contract: BaseContract, identity: BaseIdentity? = nil, isMadeHere: Bool = false
  ) {
    self.name = name
    self.isMadeHere = isMadeHere ? true : nil
    contentSignature = identity.map { $0.contentSignature ?? contract.signature }
    type = identity?.type
    signature = contract.signature
    architecture = contract.architecture
    layers = contract.layers.map { layer in
      LoRATarget.allCases.compactMap { target in
        layer[target].map { Projection(target: target, rows: $0.rows, columns: $0.columns) }
      }
    }
  }

  /// What adapters have to fit.
  package var contract: BaseContract {
    BaseContract(
      signature: signature, architecture: architecture,
      layers: layers.map { layer in
        Dictionary(
          layer.map { ($0.target, MatrixShape(rows: $0.rows, columns: $0.columns)) },
          uniquingKeysWith: { first, _ in first })
      })
  }
}

extension BaseRecord {
  /// Reads a record, but for projections that only later programs know: no adapter that can be read here has them, and the
  /// rest of the receipt holds without.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    signature = try values.decode(String.self, forKey: .signature)
    architecture = try values.decode(String.self, forKey: .architecture)
    contentSignature = try values.decodeIfPresent(String.self, forKey: .contentSignature)
    type = try values.decodeIfPresent(String.self, forKey: .type)
    isMadeHere = try values.decodeIfPresent(Bool.self, forKey: .isMadeHere)
    layers = try values.decode([[KnownProjection]].self, forKey: .layers)
      .map { $0.compactMap(\.projection) }
  }

  /// A projection, or nil for one that is not known here.
  private struct KnownProjection: Decodable {
    let projection: Projection?

    private enum Key: CodingKey { case target }

    init(from decoder: any Decoder) throws {
      let name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .target)
      projection = LoRATarget(rawValue: name) == nil ? nil : try Projection(from: decoder)
    }
  }
}

/// What a receipt says about a file: enough to name the damaged part of a damaged one.
package struct FileRecord: Sendable, Equatable, Codable {
  /// Path within the entry, such as `package.fmadapter/metadata.json`.
  package let path: String
  /// Bytes.
  package let size: Int
  /// Digest of the whole file, 64 lowercase hexadecimal digits.
  package let sha256: String
  /// Digests of its parts of 8 MiB, the last one shorter; empty for an empty file.
  package let chunks: [String]

  /// Bytes of a part that has a digest of its own.
  package static let chunkSize = 8 << 20

  /// Reads and digests the file at `file`; with `fromDisk` not what was just written to it, but what the disk has of that.
  ///
  /// `progress` is told of each run of bytes. A file that changes meanwhile is an error.
  package init(
    path: String, file: String, fromDisk: Bool = false,
    progress: (_ bytes: Int) -> Void = { _ in }
  ) throws(FileError) {
    let reader = try FileReader(path: file)
    if fromDisk { reader.forget() }
    var whole = SHA256()
    var chunks: [String] = []
    for start in stride(from: 0, to: reader.size, by: Self.chunkSize) {
      var chunk = SHA256()
      let end = min(start + Self.chunkSize, reader.size)
      try reader.forEachPiece(of: start..<end) { piece throws(FileError) in
        whole.update(piece)
        chunk.update(piece)
        progress(piece.count)
      }
      chunks.append(chunk.finishHex())
    }
    try reader.checkUnchanged()
    self.path = path
    size = reader.size
    sha256 = whole.finishHex()
    self.chunks = chunks
  }
}

extension FileRecord {
  /// The parts that have digests.
  var ranges: [Range<Int>] {
    stride(from: 0, to: size, by: Self.chunkSize).map { $0..<min($0 + Self.chunkSize, size) }
  }
}

/// `text`, which may have capitals, as a SHA-256 is written here.
///
/// - Throws: `StoreError.badDigest` where it is none.
func lowercaseSHA256(_ text: String) throws(StoreError) -> String {
  let digest = text.lowercased()
  guard isSHA256(digest) else { throw .badDigest(text) }
  return digest
}
