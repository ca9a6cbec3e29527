/// Upper bounds on what a GGUF file may ask for: far above real models, far below what would hurt.
enum GGUFLimits {
  static let keys = 65_536
  static let tensors = 65_536
  static let keyBytes = 65_535
  static let nameBytes = 63
  static let stringBytes = 16 << 20
  static let elements = 16 << 20
  static let dimensions = 4
  static let alignment = 1 << 20
}
