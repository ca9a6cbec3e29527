/// Why bytes are not one JSON value, and where.
public struct JSONError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The bytes are more than the limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The file starts with a byte order mark.
    case byteOrderMark
    /// The bytes end inside a value.
    case unexpectedEnd
    /// A byte that cannot stand here, and what could.
    case unexpectedByte(UInt8, expected: String)
    /// Something follows the value.
    case trailingBytes
    /// A number that JSON does not know, such as `01`, `.5` or `+1`.
    case malformedNumber
    /// `NaN` or `Infinity`, which Python writes but JSON does not know.
    case notANumber(String)
    /// A control character inside a string.
    case controlCharacter(UInt8)
    /// A backslash before a character that cannot be escaped, or half a surrogate pair.
    case malformedEscape
    /// A string whose bytes are not UTF-8.
    case invalidUTF8
    /// Arrays and objects are nested too deeply.
    case tooDeep(limit: Int)
  }

  /// What is wrong.
  public let reason: Reason
  /// Bytes from the start of the text.
  public let offset: Int
  /// Line of that byte, from 1.
  public let line: Int
}

extension JSONError: CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch reason {
    case .tooLarge(let bytes, let limit): "the text has \(bytes) bytes, the limit is \(limit)"
    case .byteOrderMark: "the text starts with a byte order mark"
    case .unexpectedEnd: "the text ends inside a value"
    case .unexpectedByte(let byte, let expected): "found \(Self.name(byte)), expected \(expected)"
    case .trailingBytes: "something follows the value"
    case .malformedNumber: "a number is malformed"
    case .notANumber(let text): "\(text) is not a JSON number"
    case .controlCharacter(let byte): "a string holds the control character \(Self.name(byte))"
    case .malformedEscape: "a string holds a malformed escape"
    case .invalidUTF8: "a string is not UTF-8"
    case .tooDeep(let limit): "values are nested more than \(limit) deep"
    }
  }

  private static func name(_ byte: UInt8) -> String {
    let printable = (0x21...0x7E).contains(byte)
    let hex = String(byte, radix: 16)
    return printable
      ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x\(byte < 16 ? "0" : "")\(hex)"
  }
}
