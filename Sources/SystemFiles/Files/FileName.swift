/// A name in a directory as the system has it: bytes, which mostly are text.
public struct FileName: Sendable, Hashable {
  /// All of them; neither `/` nor NUL is among them.
  public let bytes: [UInt8]

  /// The name with these bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// The name that is a text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// The name as a text; nil where it is not UTF-8, so that no path, which is a text, leads to what it names.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// Whether the name ends so.
  public func hasSuffix(_ suffix: String) -> Bool {
    bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  /// Whether the name begins so.
  public func hasPrefix(_ prefix: String) -> Bool { bytes.starts(with: prefix.utf8) }
}

extension FileName: ExpressibleByStringLiteral {
  /// The name that is a text.
  public init(stringLiteral text: String) { self.init(text) }
}

extension FileName: Comparable {
  /// In the order of their bytes.
  public static func < (left: Self, right: Self) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension FileName: CustomStringConvertible {
  /// The name with the bytes that are no text spelled out, such as `x\xFF`; for people, as another file may be called that.
  public var description: String { text ?? Self.spelledOut(bytes) }

  /// The text of `bytes`, of which those that are none are spelled out.
  package static func spelledOut(_ bytes: [UInt8]) -> String {
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      let length = (1...4).first { String(validating: rest.prefix($0), as: UTF8.self) != nil }
      let character = length.flatMap { String(validating: rest.prefix($0), as: UTF8.self) }
      text += character ?? "\\x" + Figures.hex(byte, 2, uppercase: true)
      rest.removeFirst(min(length ?? 1, rest.count))
    }
    return text
  }
}

extension Sequence<String> {
  /// Whether one of the texts is `name`.
  package func contains(_ name: FileName) -> Bool {
    contains { $0.utf8.elementsEqual(name.bytes) }
  }
}

/// A path of any names: that of what has none that is a text.
package struct RawPath: Sendable, Hashable {
  /// With NUL behind them, as the system takes them.
  let characters: [CChar]

  package init(_ path: String) { characters = Array(path.utf8CString) }

  private init(characters: [CChar]) { self.characters = characters }

  /// The path of `name` in the directory at this one.
  package func appending(_ name: FileName) -> RawPath {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let parent = characters.dropLast()
    return RawPath(
      characters: parent + (parent.last == slash ? [] : [slash])
        + name.bytes.map { CChar(bitPattern: $0) } + [0])
  }
}

extension RawPath: CustomStringConvertible {
  /// As errors have it, see ``FileName/description``.
  package var description: String {
    FileName(bytes: characters.dropLast().map { UInt8(bitPattern: $0) }).description
  }
}
