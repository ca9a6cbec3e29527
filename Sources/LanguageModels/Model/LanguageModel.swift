import Kernels
package import TensorFiles

/// A base model: hyperparameters and a view of the weights in a mapped GGUF file.
///
/// Immutable, so any number of sessions with any adapters share one.
public final class LanguageModel: Sendable {
  /// Where the file is.
  public let path: String
  /// The hyperparameters.
  public let configuration: ModelConfiguration
  /// The mapped file.
  package let file: GGUFFile
  /// Views of the tensors.
  package let weights: ModelWeights

  /// Opens and checks the base at `path`; weights are mapped, not read.
  ///
  /// - Throws: `LanguageModelError` for a file that is damaged, incomplete, or of an unknown architecture.
  public init(path: String) throws(LanguageModelError) {
    do { file = try GGUFFile(path: path) } catch { throw .tensorFile(error) }
    self.path = path
    configuration = try ModelConfiguration(file)
    weights = try ModelWeights(file, configuration)
  }

  /// Bytes of the file.
  public var fileSize: Int { file.size }

  /// Whether any weights are quantized; if none are, the cache keeps full precision.
  package var isQuantized: Bool {
    file.tensors.contains { $0.type.blockLength > 1 }
  }
}
