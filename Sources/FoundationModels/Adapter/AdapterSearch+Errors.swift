import AdapterStore
import Adapters
import Foundation
import TensorFiles

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
    guard ((try? FileSystem.info(file)) ?? nil) != nil else {
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

  /// No adapter `name` is for the base with `signature`.
  static func notInstalled(
    _ name: String, _ signature: String, _ others: [InstalledAdapter]
  ) -> AssetError {
    let found =
      others.isEmpty
      ? "none of this name is" : "installed is " + list(others.map(\.identifier.description))
    return .compatibleAdapterNotFound(
      "No adapter '\(name)' for the base in use, \(signature), is installed: \(found); "
        + "install one with 'fmadapter install \(name)'.")
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
