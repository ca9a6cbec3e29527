import Adapters
import SystemFiles

/// A base that is in the store and cannot be used as it is.
struct UnusableBase: Error {
  let problem: StoreProblem
  let error: StoreError
  /// What people call it, where its receipt still says so.
  var name: String?

  /// What keeps the one in the directory at `path` from being used.
  init(at path: String) {
    let receipt = FilePath.join(path, StoreLayout.receipt)
    if let newer = Receipt.newer(at: receipt) {
      (problem, error, name) = (newer.problem, newer.error, newer.baseName)
    } else if let denial = StoreProblem.denial(of: receipt, in: path, "base") {
      (problem, error) = denial
    } else {
      let found = Receipt(reading: receipt)?.base?.signature
      let reason =
        found == nil || found == FilePath.name(of: path)
        ? "base's receipt or model is missing or cannot be read" : "base inside is \(found ?? "")"
      problem = StoreProblem(
        rule: "base.unreadable", path: path, message: "The \(reason).",
        remedy: "Install the base again.")
      error = .damaged(path: path, reason: "the \(reason)")
    }
  }
}

extension StoreProblem {
  /// That this user may not read `file` of the entry at `path`, and the error of whoever needs it; nil where the user may.
  static func denial(
    of file: String, in path: String, _ kind: String
  ) -> (problem: StoreProblem, error: StoreError)? {
    do throws(FileError) {
      _ = try FileReader(path: file)
      return nil
    } catch {
      guard error.isDenied else { return nil }
      let problem = StoreProblem(
        rule: "entry.permissions", path: path, message: "This user may not read the \(kind).",
        remedy: "Check the permissions.")
      return (problem, .storage(error))
    }
  }
}

extension AdapterStore {
  /// Refuses the base with this signature where it is in the store and cannot be used.
  ///
  /// - Throws: `StoreError.damaged`, `.newer` or `.storage`.
  package func checkBase(signed signature: String) throws(StoreError) {
    if let unusable = unusableBase(signature) { throw unusable.error }
  }

  /// What keeps the base with this signature from being used; nil where nothing does, or there is none.
  func unusableBase(_ signature: String) -> UnusableBase? {
    let path = layout.base(signature)
    guard isSignature(signature), FileSystem.kind(of: path) == .directory,
      case .failure(let unusable) = inspectBase(signature)
    else { return nil }
    return unusable
  }

  /// The bases that are there and cannot be used, by signature.
  func unusableBases() throws(StoreError) -> [String: UnusableBase] {
    try entries(of: layout.bases).compactMap(\.name.text).reduce(into: [:]) { found, name in
      found[name] = unusableBase(name)
    }
  }

  /// The receipt and the record of the base with this signature.
  func inspectBase(_ signature: String) -> Result<(Receipt, BaseRecord), UnusableBase> {
    let path = layout.base(signature)
    let model = try? FileSystem.info(FilePath.join(path, StoreLayout.model))
    guard let receipt = Receipt(reading: FilePath.join(path, StoreLayout.receipt)),
      let record = receipt.base, record.signature == signature, model?.kind == .file
    else { return .failure(UnusableBase(at: path)) }
    return .success((receipt, record))
  }
}
