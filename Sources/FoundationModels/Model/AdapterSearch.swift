import AdapterStore
import Adapters
import Foundation
import LanguageModels
import SystemFiles

/// Finds adapters, and the bases that they are for, where a configuration says.
struct AdapterSearch {
  typealias Adapter = SystemLanguageModel.Adapter
  typealias AssetError = SystemLanguageModel.Adapter.AssetError

  let configuration: SystemLanguageModel.Configuration

  init(_ configuration: SystemLanguageModel.Configuration) { self.configuration = configuration }

  /// The package in a folder, for the installed base that it names.
  func package(at url: URL) throws(AssetError) -> Adapter {
    let path = try Self.path(url)
    let signature = try Self.signature(of: path)
    let bases = try finding { () throws(ModelFailure) in try configuration.bases() }
    guard let base = bases.first(where: { $0.contract?.signature == signature }) else {
      throw Self.otherBase(path, signature, bases.compactMap(\.contract?.signature))
    }
    return try adapter(path, base, lease: nil)
  }

  /// The package in a folder, for the base in a file.
  func package(at url: URL, base file: URL) throws(AssetError) -> Adapter {
    let path = try Self.path(url)
    let base = try finding { () throws(ModelFailure) in
      try BasePlace(opening: BasePlace.path(file))
    }
    let signature = try Self.signature(of: path)
    guard let found = base.contract?.signature, found == signature else {
      throw Self.otherBase(path, signature, [base.contract?.signature].compactMap(\.self))
    }
    return try adapter(path, base, lease: nil)
  }

  /// The installed adapter `name` for the base in use.
  func adapter(named name: String) throws(AssetError) -> Adapter {
    guard AdapterIdentifier(name: name, signature: BaseContract.appleSignature) != nil else {
      throw .invalidAdapterName(
        AssetError.Context(
          debugDescription:
            "'\(name)' is not the name of an adapter: names have ASCII letters, digits and "
            + "underscores only."))
    }
    let base = try finding { () throws(ModelFailure) in try configuration.currentBase() }
    let store = try finding { () throws(ModelFailure) in try configuration.openStore() }
    let installed = try finding { () throws(ModelFailure) in
      try asking { () throws(StoreError) in try store.adapters().adapters }
    }
    let signature = base.contract?.signature
    let fitting = installed.filter { $0.metadata.baseModelSignature == signature }
    guard let match = fitting.first(where: { $0.identifier.name == name }) else {
      let named = installed.filter { $0.identifier.name == name }
      throw Self.notInstalled(name, signature ?? "", named, others: fitting)
    }
    return try adapter(
      match.path, base, lease: store.lease(match), files: store.paths(of: match))
  }

  private func adapter(
    _ path: String, _ base: BasePlace, lease: StoreLease?, files: [String] = []
  ) throws(AssetError) -> Adapter {
    guard let contract = base.contract else {
      throw .compatibleAdapterNotFound("\(base.path): what adapters have to fit is not known.")
    }
    do throws(AdapterError) {
      return Adapter(
        try CheckedAdapter(package: path, for: contract, lease: lease, files: files), base)
    } catch {
      throw .invalidAsset(error.description)
    }
  }
}

extension AdapterSearch {
  /// The path of a package's folder.
  static func path(_ url: URL) throws(AssetError) -> String {
    guard url.isFileURL else {
      throw .invalidAsset(
        "\(url.absoluteString): not a file URL; install the package, then use its name.")
    }
    return url.path
  }

  /// The base that the package at `path` is for.
  static func signature(of path: String) throws(AssetError) -> String {
    let file = FilePath.join(path, PackageFile.metadata)
    guard FileSystem.kind(of: file) != nil else {
      throw .invalidAsset("\(path): there is no such package; give a .fmadapter folder.")
    }
    do {
      let bytes = try FileSystem.read(file, limit: 8 << 20)
      return try AdapterMetadata(parsing: bytes, file: file).baseModelSignature
    } catch {
      throw .invalidAsset("\(error)")
    }
  }

  /// Runs `body`, without whose answer no adapter can be found.
  func finding<R>(_ body: () throws(ModelFailure) -> R) throws(AssetError) -> R {
    do throws(ModelFailure) {
      return try body()
    } catch {
      throw .compatibleAdapterNotFound(error.reason)
    }
  }

  /// The package at `path` needs a base that is not among `found`.
  static func otherBase(_ path: String, _ needed: String, _ found: [String]) -> AssetError {
    let others = found.isEmpty ? "no base is installed" : "the base here is " + list(found)
    let remedy =
      needed == BaseContract.appleSignature
      ? "it needs Apple's on-device model of OS 26, which only Apple's systems have"
      : "install the base that it was trained on, or use an adapter for this one"
    return .compatibleAdapterNotFound(
      "\(path): the adapter is for the base \(needed), but \(others); \(remedy).")
  }

  /// No adapter `name` is for the base with `signature`: those that are `named` so are for other ones, and `others` are for this one.
  static func notInstalled(
    _ name: String, _ signature: String, _ named: [InstalledAdapter], others: [InstalledAdapter]
  ) -> AssetError {
    let names = others.map(\.identifier.name).sorted()
    let found =
      named.isEmpty
      ? "none of this name is" : "installed is " + list(named.map(\.identifier.description))
    let remedy =
      if named.isEmpty, let near = Suggestion.nearest(to: name, among: names) {
        "did you mean '\(near)'?"
      } else {
        (named.isEmpty && !names.isEmpty ? "there are: \(list(names)); " : "")
          + "install one."
      }
    return .compatibleAdapterNotFound(
      "No adapter '\(name)' for the base in use, \(signature), is installed: \(found); \(remedy)")
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

/// An adapter whose package has passed every rule that decides whether it may run.
struct CheckedAdapter: Sendable {
  let identifier: AdapterIdentifier
  let metadata: AdapterMetadata
  let applied: AppliedAdapter
  /// Path of the package.
  let path: String
  /// Keeps `prune` away while the adapter is in use; nil for a package outside the store.
  let lease: StoreLease?
  /// Files of the store that say that this is the adapter of its name, and what it is.
  let files: [String]

  /// Checks the package at `path` against `base`.
  ///
  /// - Throws: `AdapterError`.
  init(
    package path: String, for base: BaseContract, lease: StoreLease?, files: [String] = []
  ) throws(AdapterError) {
    let adapter = try Adapter(package: path, for: base)
    identifier = adapter.identifier
    metadata = adapter.metadata
    applied = AppliedAdapter(adapter)
    (self.path, self.lease, self.files) = (path, lease, files)
  }
}
