/// Finds the place where bytes stop being UTF-8.
enum UTF8Scan {
  /// Index of the first byte that is not part of UTF-8 text, or nil.
  static func firstError(in bytes: [UInt8]) -> Int? {
    // Nearly always all is well, which the standard library sees much sooner.
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var iterator = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    var index = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar): index += scalar.count
      case .error: return index
      case .emptyInput: return nil
      }
    }
  }

  /// Two uppercase hexadecimal digits.
  static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
