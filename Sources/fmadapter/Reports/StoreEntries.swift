import AdapterStore
import Adapters
import Foundation

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
  /// Only after an installation: `installed`, `replaced` or `alreadyInstalled`.
  let outcome: String?

  init(_ adapter: InstalledAdapter, outcome: InstallOutcome? = nil) {
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
    self.outcome = outcome?.rawValue
  }
}

extension InstalledAdapter {
  /// Bytes of the package by its receipt; 0 without one.
  var size: Int { receipt?.size ?? 0 }

  /// Whether it can run now, in a word or two.
  var status: String {
    if facts.contains(.fitsCurrentBase) { return "ready" }
    return facts.contains(.obsolete) ? "base not installed" : "other base"
  }
}

extension Terminal {
  /// Tells what in the store cannot be used; it never stops a command.
  func report(_ problems: [StoreProblem]) {
    for problem in problems {
      warn("\(problem.path.printable): \(problem.message.printable) \(problem.remedy.printable)")
    }
  }
}
