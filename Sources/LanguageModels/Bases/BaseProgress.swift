/// How far the writing of a base has come.
public struct BaseProgress: Sendable, Equatable {
  /// The tensor that is being written.
  public let tensor: String
  /// Values written so far, of all tensors.
  public let done: Int
  /// Values of all tensors.
  public let total: Int
}
