import AdapterStore
import Adapters
import Foundation
import TensorFiles

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
    let base = try finding { () throws(ModelFailure) in try BasePlace(opening: file.path) }
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
      try waiting { try await store.adapters().adapters }
    }.filter { $0.identifier.name == name }
    let signature = base.contract?.signature
    guard let match = installed.first(where: { $0.metadata.baseModelSignature == signature }) else {
      throw Self.notInstalled(name, signature ?? "", installed)
    }
    return try adapter(match.path, base, lease: store.lease(match))
  }

  private func adapter(
    _ path: String, _ base: BasePlace, lease: StoreLease?
  ) throws(AssetError) -> Adapter {
    guard let contract = base.contract else {
      throw .compatibleAdapterNotFound("\(base.path): what adapters have to fit is not known.")
    }
    do throws(AdapterError) {
      return Adapter(try CheckedAdapter(package: path, for: contract, lease: lease), base)
    } catch {
      throw .invalidAsset(error.description)
    }
  }
}
