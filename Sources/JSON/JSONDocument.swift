public import FoundationEssentials
import SystemFiles

/// A parsed JSON text together with what a message about it needs: the line of each key, and repeated keys.
public struct JSONDocument: Sendable {
  /// A key that stands twice in one object; the first one counts.
  public struct Duplicate: Sendable, Equatable {
    /// Path of the key, as in `creatorDefined.seed`.
    public let path: String
    /// Where the second occurrence starts, in bytes.
    package let offset: Int
    /// Line of the second occurrence, from 1.
    public let line: Int
  }

  /// The one value of the text.
  public let root: JSONValue
  /// Repeated keys in file order, the first 100 of them; none of a text that may be cut.
  public let duplicates: [Duplicate]
  /// Of so many values the end is missing: of the root, of the last value in it, and so on.
  package let openLevels: Int
  private let bytes: [UInt8]

  /// Values that a text may have unless said otherwise: 8 MiB of a catalog have no more.
  public static let valueLimit = 1 << 18

  /// Parses UTF-8 JSON of at most `limit` bytes and `values` values in all, nested at most 64 deep, with keys and numbers
  /// of at most 4096 bytes.
  ///
  /// - Throws: where and why the text is not JSON, or the bound that it breaks. A repeated key is no error here; see
  ///   `duplicates`.
  public init(
    parsing bytes: [UInt8], limit: Int = 8 << 20, values: Int = JSONDocument.valueLimit
  ) throws(JSONError) {
    try self.init(parsing: bytes, limit: limit, values: values, keepsNonFinite: false)
  }

  /// As the public initializer; with `keepsNonFinite`, `NaN`, `Infinity` and `-Infinity`, which Python writes, are strings
  /// of these names, so that they are no numbers.
  package init(
    parsing bytes: [UInt8], limit: Int, values: Int, keepsNonFinite: Bool
  ) throws(JSONError) {
    try self.init(
      bytes, limit, JSONParser(bytes: bytes, valueLimit: values, keepsNonFinite: keepsNonFinite))
  }

  /// Parses the beginning of a JSON text, or all of it; what the end cuts is left out, and so is a number or literal that may go on.
  ///
  /// An empty text is null, of which all is missing. Of a repeated key the last value counts.
  ///
  /// - Throws: As ``init(parsing:limit:values:)``.
  package init(beginning bytes: [UInt8], limit: Int = 8 << 20) throws(JSONError) {
    try self.init(
      bytes, limit, JSONParser(bytes: bytes, valueLimit: Self.valueLimit, mayBeCut: true))
  }

  private init(_ bytes: [UInt8], _ limit: Int, _ parser: JSONParser) throws(JSONError) {
    guard bytes.count <= limit else {
      throw JSONError(reason: .tooLarge(bytes: bytes.count, limit: limit), offset: limit, line: 1)
    }
    var parser = parser
    root = try parser.parseDocument()
    (duplicates, openLevels) = (parser.duplicates, parser.openLevels)
    self.bytes = bytes
  }

  /// Line of the key at `path`, such as `creatorDefined.fmadapter.alpha`.
  ///
  /// - Complexity: O(bytes); every place of the text has one path at most that leads there.
  public func line(of path: String) -> Int? {
    Self.offset(of: path.utf8[...], in: root).map { bytes.line(at: $0) }
  }

  /// Line of a key of this document; nil for a member that no text was parsed to.
  package func line(of member: JSONObject.Member) -> Int? { member.offset.map(bytes.line(at:)) }

  /// Lines of keys of this document, in one pass where they are in its order.
  package func lines(of members: [JSONObject.Member]) -> [Int?] {
    var (line, place) = (1, 0)
    return members.map { member in
      guard let offset = member.offset, offset >= place else { return self.line(of: member) }
      line += bytes[place..<offset].count { $0 == 0x0A }
      place = offset
      return line
    }
  }

  /// Where the key at `path` starts.
  private static func offset(of path: Substring.UTF8View, in value: JSONValue) -> Int? {
    switch value {
    case .object(let object):
      for member in object.members where path.starts(with: member.key.utf8) {
        let rest = path.dropFirst(member.key.utf8.count)
        guard let next = rest.first else { return member.offset }
        let inner = next == UInt8(ascii: ".") ? rest.dropFirst() : rest
        guard next == UInt8(ascii: ".") || next == UInt8(ascii: "[") else { continue }
        if let offset = offset(of: inner, in: member.value) { return offset }
      }
      return nil
    case .array(let values):
      guard path.first == UInt8(ascii: "["), let end = path.firstIndex(of: UInt8(ascii: "]")),
        let index = Int(Substring(path[..<end]).dropFirst()), values.indices.contains(index)
      else { return nil }
      let rest = path[path.index(after: end)...]
      return offset(
        of: rest.first == UInt8(ascii: ".") ? rest.dropFirst() : rest, in: values[index])
    default: return nil
    }
  }
}

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
    /// There are more values, in all objects and arrays together, than are read.
    case tooManyValues(limit: Int)
    /// A key has more bytes than are read.
    case keyTooLong(limit: Int)
    /// The text of a number has more bytes than are read.
    case numberTooLong(limit: Int)

    /// Whether the text may well be JSON, and is more of it than is read.
    package var isLimit: Bool {
      switch self {
      case .tooLarge, .tooDeep, .tooManyValues, .keyTooLong, .numberTooLong: true
      default: false
      }
    }
  }

  /// What is wrong.
  public let reason: Reason
  /// Bytes from the start of the text.
  public let offset: Int
  /// Line of that byte, from 1.
  public let line: Int
}

extension JSONError: LocalizedError, CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch reason {
    case .tooLarge(let bytes, let limit):
      "the text has \(Figures.bytes(bytes)), the limit is \(Figures.grouped(limit))"
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
    case .tooManyValues(let limit): "there are more than \(Figures.grouped(limit)) values"
    case .keyTooLong(let limit): "a key has more than \(Figures.bytes(limit))"
    case .numberTooLong(let limit): "a number has more than \(Figures.bytes(limit))"
    }
  }

  /// What is wrong, and where.
  public var errorDescription: String? {
    "line \(line), byte \(Figures.grouped(offset)): \(description)"
  }

  private static func name(_ byte: UInt8) -> String {
    let printable = (0x21...0x7E).contains(byte)
    return printable
      ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x\(Figures.hex(byte, 2))"
  }
}
