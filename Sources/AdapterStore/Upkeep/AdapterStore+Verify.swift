import Adapters
import FoundationEssentials
import Synchronization
import SystemFiles

extension AdapterStore {
  /// Reads every file of the entries that `names` name, or of all, and compares it with what was recorded.
  ///
  /// Names are identifiers, names of adapters and bases, or the first digits of a base's signature. `progress` is
  /// called from several threads.
  ///
  /// - Throws: `StoreError.noAdapter`, `.cancelled`, or `.storage` when the store itself cannot be read. A damaged
  ///   file is no error here but a part of the answer.
  public func verify(
    _ names: [String] = [], progress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
  ) async throws(StoreError) -> [EntryVerification] {
    try await apart { () async throws(StoreError) in try await read(names, progress) }
  }

  private func read(
    _ names: [String], _ progress: @escaping @Sendable (VerifyProgress) -> Void
  ) async throws(StoreError) -> [EntryVerification] {
    let entries = try storeEntries(named: names)
    let total = entries.reduce(0) { $0 + (Receipt(reading: $1.receiptPath)?.size ?? 0) }
    let done = ByteCounter()
    var results: [EntryVerification] = []
    for entry in entries {
      progress(VerifyProgress(entry: entry.name, done: done.value, total: total))
      let result = try await verification(of: entry) { count in
        progress(VerifyProgress(entry: entry.name, done: done.add(count), total: total))
      }
      if let result { results.append(result) }
    }
    guard names.isEmpty else { return results }
    for (entry, contents) in try compiledEntries() {
      if Task.isCancelled { throw .cancelled }
      if let result = try contents.verification(of: entry) { results.append(result) }
    }
    return results
  }

  /// The verification of one entry; nil when it was removed meanwhile, or is compiled by another version of this program.
  ///
  /// An entry may be exchanged for another while it is read. What was found counts only if the receipt that it was
  /// held against is still in place.
  func verification(
    of entry: StoreEntry, read: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(StoreError) -> EntryVerification? {
    if entry.kind == .compiled {
      return try CompiledEntry(in: entry.path)?.verification(of: entry)
    }
    for _ in 0..<100 {
      let before = try Self.identity(of: entry)
      guard before.entry != nil else { return nil }
      let result: EntryVerification
      if let receipt = Receipt(reading: entry.receiptPath) {
        let width = ProcessInfo.processInfo.activeProcessorCount
        var found = try await EntryVerifier(
          entry: entry, receipt: receipt, width: width, read: read
        ).run()
        if let stranger = stranger(at: entry.path, receipt) {
          found.damage.append(Self.misplaced(entry, stranger))
        }
        result = found
      } else {
        result = EntryVerification(entry: entry, bytes: 0, damage: [Self.receiptDamage(of: entry)])
      }
      if result.isIntact { return result }
      if try Self.identity(of: entry) == before { return result }
    }
    throw .busy(path: entry.path)
  }

  /// Why a receipt that cannot be read cannot be.
  private static func receiptDamage(of entry: StoreEntry) -> Damage {
    if let newer = Receipt.newer(at: entry.receiptPath) {
      return Damage(
        .newer, StoreLayout.receipt, reason: NewerReceipt.text(newer.format).description)
    }
    do throws(FileError) {
      _ = try FileReader(path: entry.receiptPath)
    } catch {
      if let denied = Damage(denied: error, in: entry.path) { return denied }
    }
    return Damage(.noReceipt, StoreLayout.receipt)
  }

  private static func misplaced(_ entry: StoreEntry, _ name: String) -> Damage {
    let metadata = FilePath.join(StoreLayout.package, PackageFile.metadata)
    return Damage(
      .misplaced, entry.kind == .base ? StoreLayout.receipt : metadata, reason: name)
  }

  static func identity(of entry: StoreEntry) throws(StoreError) -> EntryIdentity {
    try storing { () throws(FileError) in
      EntryIdentity(
        entry: try FileSystem.info(entry.path)?.inode,
        // In a folder that may not be entered it cannot be told, which is a finding of the entry alone.
        receipt: (try? FileSystem.info(entry.receiptPath))??.inode)
    }
  }
}

/// What tells an entry from another under the same name.
struct EntryIdentity: Equatable {
  let entry: UInt64?
  let receipt: UInt64?
}

/// Bytes counted by several threads.
final class ByteCounter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  /// Adds and returns the sum.
  @discardableResult
  func add(_ bytes: Int) -> Int { count.add(bytes, ordering: .relaxed).newValue }
}

/// What the verification of one entry found.
public struct EntryVerification: Sendable, Equatable, Codable {
  /// The adapter, the base, or what is compiled of either.
  public let entry: StoreEntry
  /// Bytes that were read.
  package let bytes: Int
  /// Paths of the files that nothing vouched for when they were fetched: they are what came, whatever that was.
  public let unverified: [String]
  /// Everything that is wrong, by file; empty when every byte is the recorded one.
  public internal(set) var damage: [Damage]

  init(entry: StoreEntry, bytes: Int, unverified: [String] = [], damage: [Damage]) {
    self.entry = entry
    self.bytes = bytes
    self.unverified = unverified
    self.damage = damage
  }

  /// Whether every byte is the recorded one.
  public var isIntact: Bool { damage.isEmpty }

  /// Whether bytes are known to be wrong: not where a newer program wrote them, or this user may not read them.
  public var isDamaged: Bool { damage.contains { $0.kind.isDamage } }
}

/// How far a verification is.
public struct VerifyProgress: Sendable, Equatable {
  /// Identifier or signature of the entry that is being read.
  package let entry: String
  /// Bytes read so far.
  public let done: Int
  /// Bytes of all files.
  public let total: Int
}
