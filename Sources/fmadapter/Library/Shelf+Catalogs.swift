import AdapterStore
import Foundation
import TensorFiles

extension Shelf {
  /// The catalog that `text` means: an address, or a path from the current directory.
  func catalog(_ text: String) throws -> CatalogSource {
    try CatalogSource(text, directory: FileManager.default.currentDirectoryPath)
  }

  /// Whether something stands at the path `text`.
  static func exists(_ text: String) -> Bool {
    ((try? FileSystem.info(text)) ?? nil) != nil
  }
}
