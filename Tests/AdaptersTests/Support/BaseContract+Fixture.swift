import Adapters

extension BaseContract {
  /// The base of `afm-tiny.fmadapter`: 5 layers, the last 2 without keys, width 64, 2 key heads of 16, hidden 208.
  static let afmTiny: BaseContract = {
    var layer: [LoRATarget: MatrixShape] = [
      .query: MatrixShape(rows: 64, columns: 64), .output: MatrixShape(rows: 64, columns: 64),
      .gate: MatrixShape(rows: 208, columns: 64), .up: MatrixShape(rows: 208, columns: 64),
      .down: MatrixShape(rows: 64, columns: 208),
    ]
    let reusing = layer
    layer[.key] = MatrixShape(rows: 32, columns: 64)
    layer[.value] = MatrixShape(rows: 32, columns: 64)
    return BaseContract(
      signature: "808de18c9c13f789b90640c7fa5f5dda1b81a1b9", architecture: "afm",
      layers: [layer, layer, layer, reusing, reusing])
  }()
}
