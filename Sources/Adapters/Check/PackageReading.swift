import Kernels
import TensorFiles

/// All that a check looks at, read once, each part as far as the ones before it allow.
struct PackageReading: Sendable {
  let folder: PackageFolder
  let base: BaseContract?
  /// Nil when the file is not there or cannot be read.
  let metadata: MetadataReading?
  /// The weights file, mapped; nil as above.
  let weights: MappedFile?
  let scan: BlobScan?
  /// SHA-256 of the weights file, 64 hexadecimal digits.
  let weightsDigest: String?
  /// Apple's draft weights; nil when there are none.
  let draft: BlobScan?
  /// Files that the system refused to open, with its reason.
  let unreadable: [(name: String, error: TensorFileError)]
  /// The tensors that have to be there; nil when metadata or records do not say.
  let layout: AdapterLayout?
  /// The values' statistics; empty when the tensors are not those of the layout.
  let statistics: [PairStatistics]

  /// Reads the package in `folder` to compare it with `base`; `norms` says whether to compute those, which take most
  /// of the time.
  init(_ folder: PackageFolder, base: BaseContract?, norms: Bool) {
    var unreadable: [(name: String, error: TensorFileError)] = []
    func open(_ name: String) -> MappedFile? {
      guard folder.hasFile(name) else { return nil }
      do throws(TensorFileError) {
        return try MappedFile(path: folder.path(of: name))
      } catch {
        unreadable.append((name, error))
        return nil
      }
    }
    self.folder = folder
    self.base = base
    metadata = open(PackageFile.metadata).map { MetadataReading(Self.text($0.bytes)) }
    weights = open(PackageFile.weights)
    scan = weights.map { BlobScan($0.bytes) }
    weightsDigest = weights.map { SHA256.hex($0.bytes) }
    draft = open(PackageFile.draftWeights).map { BlobScan($0.bytes) }
    self.unreadable = unreadable
    layout = Self.layout(metadata, scan, base)
    statistics = Self.statistics(metadata, scan, layout, norms: norms)
  }

  /// At most one byte more than the parser takes, so that a huge file is not copied to be refused.
  private static func text(_ bytes: TensorBytes) -> [UInt8] {
    bytes.slice(0..<min(bytes.count, (8 << 20) + 1)).array
  }

  private static func layout(
    _ metadata: MetadataReading?, _ scan: BlobScan?, _ base: BaseContract?
  ) -> AdapterLayout? {
    guard let metadata = metadata?.metadata, let scan else { return nil }
    let sizes = scan.records.compactMap { $0.data?.count }
    guard sizes.count == scan.records.count else { return nil }
    return AdapterLayout(metadata: metadata, sizes: sizes, base: base)
  }

  private static func statistics(
    _ metadata: MetadataReading?, _ scan: BlobScan?, _ layout: AdapterLayout?, norms: Bool
  ) -> [PairStatistics] {
    guard let metadata = metadata?.metadata, let scan, let layout,
      scan.records.count == layout.tensors.count
    else { return [] }
    let scale = metadata.settings.alpha / Double(metadata.loraRank)
    return stride(from: 0, to: layout.tensors.count - 1, by: 2).compactMap { index in
      guard let a = scan.records[index].data, let b = scan.records[index + 1].data,
        a.count == layout.tensors[index].byteCount, b.count == layout.tensors[index + 1].byteCount
      else { return nil }
      defer {
        a.giveBackPages()
        b.giveBackPages()
      }
      return PairStatistics(
        a: layout.tensors[index], b: layout.tensors[index + 1], blob: index, aBytes: a, bBytes: b,
        scale: norms ? scale : nil)
    }
  }
}
