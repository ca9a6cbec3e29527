import Adapters
import AdapterStore
import Foundation
import TensorFiles

/// A file of an installed adapter or base as `--json` prints it.
struct FileEntry: Encodable {
  let path: String
  let size: Int
  let sha256: String
  /// Who vouched for the digest when the file was fetched; none when nothing did, nil when it was copied from here.
  let vouchers: [String]?

  static func entries(_ receipt: Receipt?) -> [FileEntry]? {
    receipt?.files.map { file in
      FileEntry(
        path: file.path, size: file.size, sha256: file.sha256,
        vouchers: receipt?.sources?.first { $0.path == file.path }?.vouchers)
    }
  }
}

/// An installed adapter as `--json` prints it.
struct AdapterEntry: Encodable {
  let identifier: String
  let name: String
  let baseModelSignature: String
  let version: String
  let rank: Int
  let size: Int
  let path: String
  /// What holds for it now: names of ``AdapterStatus``.
  let facts: [String]
  let source: String?
  /// Address of the catalog that it came from.
  let catalog: String?
  let installed: Date?
  let files: [FileEntry]?
  /// Paths of the files that nothing vouches for.
  let unverified: [String]
  /// Version that it took the place of; only after an installation.
  let replaced: String?
  /// Only after an installation: `installed`, `replaced` or `alreadyInstalled`.
  let outcome: String?

  init(
    _ adapter: InstalledAdapter, outcome: InstallOutcome? = nil, replaced: AdapterVersion? = nil
  ) {
    identifier = adapter.identifier.description
    name = adapter.identifier.name
    baseModelSignature = adapter.metadata.baseModelSignature
    version = adapter.version.description
    rank = adapter.metadata.loraRank
    size = adapter.size
    path = adapter.path
    facts = adapter.facts.names
    source = adapter.receipt?.source
    catalog = adapter.receipt?.catalog
    installed = adapter.receipt?.installed
    files = FileEntry.entries(adapter.receipt)
    unverified = adapter.receipt?.unverified.map(\.path) ?? []
    self.replaced = replaced?.description
    self.outcome = outcome?.rawValue
  }
}

/// An installed base as `--json` prints it.
struct BaseEntry: Encodable {
  let name: String
  let signature: String
  let architecture: String
  let size: Int
  let path: String
  let inUse: Bool
  let source: String
  let installed: Date
  /// Signature of hyperparameters, tokenizer and tensors by themselves.
  let contentSignature: String?
  /// Whether the signature is no more than what the file says of itself.
  let signatureIsClaim: Bool
  let files: [FileEntry]?
  /// Paths of the files that nothing vouches for.
  let unverified: [String]
  /// Only after an installation: `installed`, `replaced` or `alreadyInstalled`.
  let outcome: String?

  init(_ base: InstalledBase, outcome: InstallOutcome? = nil) {
    name = base.name
    signature = base.signature
    architecture = base.contract.architecture
    size = base.receipt.size
    path = base.path
    inUse = base.isCurrent
    source = base.receipt.source
    installed = base.receipt.installed
    contentSignature = base.receipt.base?.contentSignature
    signatureIsClaim = base.receipt.base?.isClaim ?? false
    files = FileEntry.entries(base.receipt)
    unverified = base.receipt.unverified.map(\.path)
    self.outcome = outcome?.rawValue
  }
}

extension InstalledAdapter {
  /// Bytes of the package by its receipt; 0 without one.
  var size: Int { receipt?.size ?? 0 }

  /// Whether it can run now, in a word or two.
  var status: String {
    let doubt = receipt?.unverified.isEmpty == false ? ", unverified" : ""
    if facts.contains(.fitsCurrentBase) { return "ready" + doubt }
    return (facts.contains(.obsolete) ? "base not installed" : "other base") + doubt
  }
}

extension InstalledBase {
  /// Whether it is in use, and what is not certain about it.
  var status: String {
    var words = isCurrent ? ["in use"] : []
    if receipt.base?.isClaim == true { words.append("signature claimed") }
    if !receipt.unverified.isEmpty { words.append("unverified") }
    return words.joined(separator: ", ")
  }
}

extension Terminal {
  /// Tells of each file of `name` that nothing vouches for, with its digest.
  func reportUnverified(_ receipt: Receipt?, of name: String) {
    for file in receipt?.unverified ?? [] {
      let place = file.path.split(separator: "/").dropFirst().last.map { "\($0) of " } ?? ""
      warn(
        "unverified: nothing vouches for \(place)\(name); its SHA-256 is \(file.sha256)")
    }
  }
}

extension Terminal {
  /// Tells what in the store cannot be used; it never stops a command.
  func report(_ problems: [StoreProblem]) {
    for problem in problems {
      warn("\(problem.path): \(problem.message) \(problem.remedy)")
    }
  }
}

/// A download that was not finished, as `--json` prints it.
struct PartialEntry: Encodable {
  /// What `remove` knows it by.
  let name: String
  let url: String
  let file: String
  let received: Int
  let total: Int?
  let path: String
  let begun: Date
  let updated: Date
  /// Whether somebody is at work on it now.
  let active: Bool

  init(_ partial: PartialDownload) {
    name = partial.name
    url = partial.url
    file = partial.file
    received = partial.received
    total = partial.total
    path = partial.path
    begun = partial.created
    updated = partial.updated
    active = partial.isActive
  }

  /// A line for each, with its age at `now`.
  static func table(_ partials: [PartialDownload], now: Date) -> TextTable {
    var table = TextTable(headings: ["PARTIAL", "RECEIVED", "AGE", "FROM"], rightAligned: [2])
    table.rows = partials.map { partial in
      let total = partial.total.map { " of " + Figures.size($0) } ?? ""
      let age = Figures.age(now.timeIntervalSince(partial.updated))
      return [
        partial.name, Figures.size(partial.received) + total, partial.isActive ? "active" : age,
        partial.url,
      ]
    }
    return table
  }
}
