/// The head of a request, HTTP/1.1 or 1.0.
///
/// What RFC 9112 lets a server read leniently is refused, as what stands in front of the server may read it in another way: lines that
/// end without CR, folded lines, lengths that are said twice, codings other than `chunked`, spaces around names.
struct HTTPHead: Sendable, Equatable {
  struct Field: Sendable, Equatable {
    /// In lowercase.
    let name: String
    let value: String
  }

  /// What follows a head.
  enum Body: Sendable, Equatable {
    case none
    case bytes(Int)
    case chunks
  }

  /// Why a head is refused.
  enum Defect: Error, Equatable {
    case line(String)
    case field(String)
    case version
    case host
    case length
    case coding
    case expectation
    case upgrade
  }

  let method: String
  /// The path as it was sent.
  let path: String
  /// Of the version 1.1, which can send chunks and more than one request.
  let isPersistent: Bool
  let fields: [Field]
  private(set) var body = Body.none

  /// Fields of a head, at most.
  private static let fieldLimit = 100

  /// Reads a head without the empty line behind it.
  init(_ bytes: ArraySlice<UInt8>) throws(Defect) {
    var lines = try Self.lines(bytes)
    guard let first = lines.popFirst() else { throw .line("there is none") }
    let parts = first.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .line("it has to have three parts") }
    guard (1...16).contains(parts[0].count), parts[0].allSatisfy({ (0x41...0x5A).contains($0) })
    else { throw .line("the method is none") }
    guard parts[1].first == 0x2F, parts[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 })
    else { throw .line("the target is not a path") }
    let version = String(decoding: parts[2], as: UTF8.self)
    guard ["HTTP/1.1", "HTTP/1.0"].contains(version) else { throw .version }
    method = String(decoding: parts[0], as: UTF8.self)
    path = String(decoding: parts[1].prefix { $0 != 0x3F }, as: UTF8.self)
    isPersistent = version == "HTTP/1.1"
    guard lines.count <= Self.fieldLimit else { throw .field("there are too many") }
    fields = try lines.map { line throws(Defect) in try Self.field(line) }
    try check()
  }

  /// The first value of a field.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  private func values(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  private mutating func check() throws(Defect) {
    guard values("host").count == 1 || !isPersistent && values("host").isEmpty else { throw .host }
    guard values("upgrade").isEmpty else { throw .upgrade }
    guard values("expect").allSatisfy({ $0.lowercased() == "100-continue" }) else {
      throw .expectation
    }
    let (lengths, codings) = (values("content-length"), values("transfer-encoding"))
    guard lengths.count + codings.count <= 1 else { throw .length }
    if let coding = codings.first {
      guard isPersistent, coding.lowercased() == "chunked" else { throw .coding }
      body = .chunks
    } else if let text = lengths.first {
      guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(Self.isDigit),
        let length = Int(text)
      else { throw .length }
      body = length == 0 ? .none : .bytes(length)
    }
  }

  /// Lines, each of which ends with CR and LF; other control characters stand in none.
  private static func lines(
    _ bytes: ArraySlice<UInt8>
  ) throws(Defect) -> ArraySlice<ArraySlice<UInt8>> {
    var lines: [ArraySlice<UInt8>] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let isLast = line.endIndex == bytes.endIndex
      guard isLast || line.last == 0x0D else { throw .line("one ends without a carriage return") }
      let text = isLast ? line : line.dropLast()
      guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw .line("one has a control character")
      }
      lines.append(text)
    }
    return lines[...]
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(Defect) -> Field {
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
      line[..<colon].allSatisfy(isTokenByte)
    else { throw .field("one has no name, or a name that none may have") }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var value = line[(colon + 1)...].drop(while: isSpace)
    while let last = value.last, isSpace(last) { value.removeLast() }
    return Field(
      name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
      value: String(decoding: value, as: UTF8.self))
  }

  /// Of a token, RFC 9110, section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension HTTPHead.Defect {
  /// What is wrong, for who has sent the request.
  var error: ServingError {
    let text =
      switch self {
      case .line(let what): "Of its lines, \(what)."
      case .field(let what): "Of its fields, \(what)."
      case .version: "The version has to be HTTP/1.1 or HTTP/1.0."
      case .host: "There has to be one Host field."
      case .length: "The length of the body has to be said once, as a number."
      case .coding: "A body may be chunked, and in HTTP/1.1 alone."
      case .expectation: "Nothing but 100-continue can be expected."
      case .upgrade: "The protocol cannot be another."
      }
    return ServingError(.invalidRequest, "The request is not as this server reads HTTP. \(text)")
  }
}
