import Kernels
import Adapters
import LanguageModels

extension LanguageModel {
  /// What adapters for this base have to fit.
  ///
  /// A file that does not carry the signature of its source is read whole to compute it.
  var contract: BaseContract {
    let layers = weights.layers.map { layer in
      let shapes: [LoRATarget: Projection?] = [
        .query: layer.query, .key: layer.keyValue?.key, .value: layer.keyValue?.value,
        .output: layer.output, .gate: layer.gate, .up: layer.up, .down: layer.down,
      ]
      return shapes.compactMapValues(\.self).mapValues {
        MatrixShape(rows: $0.weights.rows, columns: $0.weights.columns)
      }
    }
    return BaseContract(
      signature: BaseSignature.compute(file), architecture: configuration.architecture.rawValue,
      layers: layers)
  }
}
