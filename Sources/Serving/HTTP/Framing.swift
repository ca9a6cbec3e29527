/// Where a body ends has to be said in one way, as what stands in front of the server may read it in another (RFC 9112, section 6.3).
///
/// The library takes the first of several fields, and any coding but `chunked` for a body without an end; so none of this comes to it.
enum Framing {
  /// What is wrong with the head of a request; nil where nothing is.
  static func defect(of head: HTTPHead) -> String? {
    func values(_ name: String) -> [String] { head.fields.filter { $0.name == name }.map(\.value) }
    let (lengths, codings) = (values("content-length"), values("transfer-encoding"))
    if head.version != "HTTP/1.1", head.version != "HTTP/1.0" { return "the version is not known." }
    if values("host").count != 1, head.version == "HTTP/1.1" || !values("host").isEmpty {
      return "there has to be one Host field."
    }
    if lengths.count + codings.count > 1 {
      return "the length of the body is said more than once."
    }
    if let coding = codings.first, coding.lowercased() != "chunked" || head.version != "HTTP/1.1" {
      return "a body may be chunked, and in HTTP/1.1 only."
    }
    if let length = lengths.first, !isLength(length) { return "Content-Length is no number." }
    if head.fields.contains(where: { !isName($0.name) || !isValue($0.value) }) {
      return "a field has a name or a value that none may have."
    }
    if !head.target.hasPrefix("/") || !head.target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      return "the target is not a path."
    }
    return nil
  }

  /// Bytes that a body has by its head; nil where that is not said.
  static func length(of head: HTTPHead) -> Int? {
    head.fields.first { $0.name == "content-length" }.flatMap { Int($0.value) }
  }

  private static func isLength(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 18 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// A token, RFC 9110, section 5.6.2.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }

  private static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
  }
}

/// The head of a request as it was sent.
struct HTTPHead: Sendable {
  let method: String
  /// The path, as it was sent, without the query.
  let target: String
  let version: String
  /// Names in lowercase.
  let fields: [(name: String, value: String)]
}
