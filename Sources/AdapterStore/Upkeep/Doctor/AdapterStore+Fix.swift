import Adapters
import Foundation
import TensorFiles

extension AdapterStore {
  /// Mends one thing.
  nonisolated func perform(
    _ fix: Diagnosis.Fix, _ downloads: (any Downloading)?
  ) async throws(StoreError) {
    switch fix {
    case .receipt(let entry): try await rebuildReceipt(of: entry)
    case .repair(let verification):
      // An earlier fix of the same entry may have mended all of it.
      guard let now = try await self.verification(of: verification.entry), !now.isIntact else {
        return
      }
      _ = try await repair(now, by: downloads)
    case .collect: _ = await collector.collect()
    case .seal(let path):
      try storing { () throws(TensorFileError) in try FileSystem.makeReadOnly(path) }
    case .open(let path):
      try storing { () throws(TensorFileError) in try FileSystem.openToOwner(path) }
    case .choose: try await chooseLatestBase()
    case .setAside(let path): try setAside(path, as: FilePath.name(of: path))
    }
  }

  /// Writes the receipt of an entry whose files check completely; where they came from stays unknown.
  private func rebuildReceipt(of entry: StoreEntry) throws(StoreError) {
    let (files, base) = try checkedFiles(of: entry)
    let records = try storing { () throws(TensorFileError) in
      var records: [FileRecord] = []
      for file in files {
        records.append(try FileRecord(path: file, file: FilePath.join(entry.path, file)))
      }
      return records
    }
    let receipt = Receipt(
      source: "unknown", installed: process.now(), tool: tool, files: records, base: base)
    // Something else, such as a folder, may stand there.
    if let info = try? FileSystem.info(entry.receiptPath), info.kind != .file {
      try setAside(entry.receiptPath, as: "\(entry.name)-\(StoreLayout.receipt)")
    }
    try receipt.write(to: entry.receiptPath)
    try storing { () throws(TensorFileError) in try FileSystem.makeReadOnly(entry.receiptPath) }
  }

  /// The files of an entry without a receipt, if every rule says that they are what the entry's name says.
  private func checkedFiles(
    of entry: StoreEntry
  ) throws(StoreError) -> (files: [String], base: BaseRecord?) {
    if entry.kind == .base {
      let path = FilePath.join(entry.path, StoreLayout.model)
      let contract: BaseContract
      do {
        contract = try readBase(path)
      } catch {
        throw .invalidBase(path: path, reason: "\(error)")
      }
      guard contract.signature == entry.name else {
        throw .damaged(path: path, reason: "the model's signature is \(contract.signature)")
      }
      let name = "base-\(entry.name.prefix(7))"
      return ([StoreLayout.model], BaseRecord(name: name, contract: contract))
    }
    let package = FilePath.join(entry.path, StoreLayout.package)
    do throws(AdapterError) {
      let report = try AdapterCheck.run(package: package)
      guard report.isAccepted else { throw AdapterError.refused(report) }
      let identifier = try metadata(of: package).adapterIdentifier.description
      guard identifier == entry.name else {
        throw AdapterError.notFound(path: FilePath.join(entry.path, entry.name))
      }
    } catch {
      throw StoreError(error)
    }
    let files = try entries(of: package).filter { $0.kind == .file }.map(\.name)
    return (files.map { FilePath.join(StoreLayout.package, $0) }, nil)
  }

  /// Chooses the base that was installed last, by its own record.
  private func chooseLatestBase() throws(StoreError) {
    let latest = try bases().bases.max { $0.receipt.installed < $1.receipt.installed }
    guard let latest else { throw .noCurrentBase(installed: 0) }
    try useBase(latest.signature)
  }
}
