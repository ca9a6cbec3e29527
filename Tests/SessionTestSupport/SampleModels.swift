import Foundation
import FoundationModels
import TestSupport

/// The bundled base and its adapters.
package enum SampleModels {
  package static let base = file("afm-9m.gguf")
  package static let tagging = file("tagging.fmadapter")
  package static let playwriting = file("playwriting.fmadapter")

  package static let note =
    "Tag this note. We took the night train to the mountains and cooked soup by the river."
  package static let tags = #"{"tags": ["food", "travel"]}"#

  /// The base alone.
  package static var plain: SystemLanguageModel { SystemLanguageModel(base: base) }

  /// The base with the adapter in the folder at `url`.
  package static func adapted(_ url: URL) throws -> SystemLanguageModel {
    SystemLanguageModel(adapter: try SystemLanguageModel.Adapter(fileURL: url, base: base))
  }

  private static func file(_ name: String) -> URL {
    Fixtures.repository.appendingPathComponent("adapters/afm-9m/\(name)")
  }
}
