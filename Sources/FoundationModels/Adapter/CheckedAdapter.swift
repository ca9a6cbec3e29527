import AdapterStore
import Adapters
import LanguageModels
import TensorFiles

/// An adapter whose package has passed every rule that decides whether it may run.
struct CheckedAdapter: Sendable {
  let identifier: AdapterIdentifier
  let metadata: AdapterMetadata
  let applied: AppliedAdapter
  /// Whether the package has a draft model.
  let hasDraft: Bool
  /// Keeps `prune` away while the adapter is in use; nil for a package outside the store.
  let lease: StoreLease?

  /// Checks the package at `path` against `base`.
  ///
  /// - Throws: `AdapterError`.
  init(package path: String, for base: BaseContract, lease: StoreLease?) throws(AdapterError) {
    let adapter = try Adapter(package: path, for: base)
    identifier = adapter.identifier
    metadata = adapter.metadata
    applied = AppliedAdapter(adapter)
    hasDraft = [PackageFile.draftModel, PackageFile.draftProgram, PackageFile.draftWeights]
      .contains { ((try? FileSystem.info(FilePath.join(path, $0))) ?? nil) != nil }
    self.lease = lease
  }
}
