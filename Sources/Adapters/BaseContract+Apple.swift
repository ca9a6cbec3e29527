extension BaseContract {
  /// Signature of the base of Apple's adapter training toolkit 26.0.0, the only one that was ever public.
  public static let appleSignature = "9799725ff8e851184037110b422d891ad3b92ec1"

  /// Apple's on-device model of OS 26, AFM text v7: 35 layers with keys and values of their own, 21 that reuse them.
  ///
  /// At rank 32 its adapters have 700 tensors in 133,312,320 bytes.
  public static let apple = BaseContract(
    signature: appleSignature, architecture: "afm",
    layers: Array(repeating: appleLayer(reusesKeys: false), count: 35)
      + Array(repeating: appleLayer(reusesKeys: true), count: 21))

  private static func appleLayer(reusesKeys: Bool) -> [LoRATarget: MatrixShape] {
    let (width, hidden, keys) = (2048, 6656, 256)
    var layer: [LoRATarget: MatrixShape] = [
      .query: MatrixShape(rows: width, columns: width),
      .output: MatrixShape(rows: width, columns: width),
      .gate: MatrixShape(rows: hidden, columns: width),
      .up: MatrixShape(rows: hidden, columns: width),
      .down: MatrixShape(rows: width, columns: hidden),
    ]
    if !reusesKeys {
      layer[.key] = MatrixShape(rows: keys, columns: width)
      layer[.value] = MatrixShape(rows: keys, columns: width)
    }
    return layer
  }
}
