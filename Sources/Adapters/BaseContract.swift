/// What an adapter has to fit: the identity of a base model and the shape of each of its projections.
public struct BaseContract: Sendable, Equatable {
  /// 40 lowercase hexadecimal digits.
  public let signature: String
  /// Name of the architecture, as in `general.architecture`.
  public let architecture: String
  /// One entry per layer; a layer that reuses another layer's keys and values has no key and value entry.
  public let layers: [[LoRATarget: MatrixShape]]

  /// The contract of a base with these `layers`.
  public init(signature: String, architecture: String, layers: [[LoRATarget: MatrixShape]]) {
    self.signature = signature
    self.architecture = architecture
    self.layers = layers
  }
}

/// Shape of a weight matrix: `rows` outputs by `columns` inputs.
public struct MatrixShape: Sendable, Equatable, Hashable {
  /// Outputs.
  public let rows: Int
  /// Inputs.
  public let columns: Int

  /// `rows` by `columns`.
  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}
