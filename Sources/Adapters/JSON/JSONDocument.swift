/// A parsed JSON text together with what a message about it needs: the line of each key, and repeated keys.
public struct JSONDocument: Sendable {
  /// A key that stands twice in one object; the first one counts.
  public struct Duplicate: Sendable, Equatable {
    /// Path of the key, as in `creatorDefined.seed`.
    public let path: String
    /// Line of the second occurrence, from 1.
    public let line: Int
  }

  /// The one value of the text.
  public let root: JSONValue
  /// Repeated keys in file order.
  public let duplicates: [Duplicate]
  private let lines: [String: Int]

  /// Parses UTF-8 JSON of at most `limit` bytes, nested at most 64 deep.
  ///
  /// - Throws: where and why the text is not JSON. A repeated key is no error here; see `duplicates`.
  public init(parsing bytes: [UInt8], limit: Int = 8 << 20) throws(JSONError) {
    try self.init(parsing: bytes, limit: limit, findsPlaces: true)
  }

  /// As above; without places no key has a line, and repeated keys are named without their path, in half the time.
  package init(
    parsing bytes: [UInt8], limit: Int = 8 << 20, findsPlaces: Bool
  ) throws(JSONError) {
    guard bytes.count <= limit else {
      throw JSONError(reason: .tooLarge(bytes: bytes.count, limit: limit), offset: limit, line: 1)
    }
    var parser = JSONParser(bytes: bytes, findsPlaces: findsPlaces)
    root = try parser.parseDocument()
    duplicates = parser.duplicates
    lines = parser.lines
  }

  /// Line of the key at `path`, such as `creatorDefined.fmadapter.alpha`.
  public func line(of path: String) -> Int? { lines[path] }
}
