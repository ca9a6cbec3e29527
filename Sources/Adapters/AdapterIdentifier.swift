public import SystemFiles

/// The name that an adapter is installed and distributed under: `fmadapter-<name>-<7 digits of the signature>`.
public struct AdapterIdentifier: Sendable, Hashable {
  /// ASCII letters, digits and underscores, 1 to 237 of them: an identifier has to be a file name everywhere.
  public let name: String
  /// The first 7 hexadecimal digits of the base's signature.
  public let signaturePrefix: String

  /// Parses `text`, or says which rule it breaks.
  ///
  /// - Throws: ``Defect``.
  public init(_ text: String) throws(Defect) {
    let bytes = Array(text.utf8)
    let prefix = Array("fmadapter-".utf8)
    guard bytes.starts(with: prefix) else { throw .prefix }
    guard let dash = bytes.lastIndex(of: UInt8(ascii: "-")), dash >= prefix.count else {
      throw .tail
    }
    let tail = bytes[(dash + 1)...]
    guard tail.count == 7, tail.allSatisfy(isLowercaseHex) else { throw .tail }
    let name = bytes[prefix.count..<dash]
    guard (1...Self.nameLimit).contains(name.count) else { throw .length }
    guard name.allSatisfy(Self.isNameByte) else { throw .characters }
    self.name = String(decoding: name, as: UTF8.self)
    signaturePrefix = String(decoding: tail, as: UTF8.self)
  }

  /// The identifier of the adapter `name` for the base with `signature`; nil when either is malformed.
  public init?(name: String, signature: String) {
    let text = "fmadapter-\(name)-\(signature.prefix(7))"
    guard isSignature(signature), let parsed = try? AdapterIdentifier(text) else { return nil }
    self = parsed
  }

  static let nameLimit = 237

  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension AdapterIdentifier: CustomStringConvertible {
  /// The identifier's text.
  public var description: String { "fmadapter-\(name)-\(signaturePrefix)" }
}

extension AdapterIdentifier {
  /// The rule of the pattern that a text breaks.
  public enum Defect: Error, Sendable, Equatable {
    /// It does not start with `fmadapter-`.
    case prefix
    /// It does not end with a hyphen and 7 lowercase hexadecimal digits.
    case tail
    /// The name is empty or longer than 237 characters.
    case length
    /// The name holds something else than ASCII letters, digits and underscores.
    case characters
  }
}

extension AdapterIdentifier.Defect: ExplainedError {
  /// What is wrong with the text, and what to write.
  public var text: ErrorText {
    let form = "write fmadapter-<name>-<first 7 digits of the signature>"
    return switch self {
    case .prefix: "an identifier starts with 'fmadapter-'\(remedy: form)"
    case .tail:
      "an identifier ends with a hyphen and 7 lowercase hexadecimal digits\(remedy: form)"
    case .length:
      "the name in an identifier has 1 to \(AdapterIdentifier.nameLimit) characters"
        + "\(remedy: "choose a short name")"
    case .characters:
      "the name in an identifier has letters, digits and underscores alone"
        + "\(remedy: "rename the adapter")"
    }
  }
}

/// Whether `text` is a base's signature: 40 lowercase hexadecimal digits.
public func isSignature(_ text: String) -> Bool {
  text.utf8.count == 40 && text.utf8.allSatisfy(isLowercaseHex)
}

/// Whether `byte` is one of the ASCII characters 0 to 9 and a to f.
func isLowercaseHex(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
  default: false
  }
}
