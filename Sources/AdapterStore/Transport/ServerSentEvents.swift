/// Reads a stream of server-sent events as its bytes come, wherever they are cut.
///
/// Source: WHATWG, HTML, 9.2.6. Only the data of events is read; names, identities and comments mean nothing here.
package struct ServerSentEvents: Sendable {
  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var followsReturn = false
  private var isFirst = true

  /// Bytes of one event at most.
  package static let limit = 16 << 20

  /// What a stream can begin with.
  package static let beginnings = ["data:", "event:", "id:", "retry:", ":", "\u{FEFF}"]

  /// An event that has no end.
  package struct Endless: Error {}

  /// Nothing has come yet.
  package init() {}

  /// Takes bytes; the data of each event that they complete.
  ///
  /// - Throws: ``Endless``, for an event that is longer than ``limit``.
  package mutating func append(_ bytes: [UInt8]) throws(Endless) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n"), followsReturn {
        followsReturn = false
        continue
      }
      followsReturn = byte == UInt8(ascii: "\r")
      if followsReturn || byte == UInt8(ascii: "\n") {
        if let event = endLine() { events.append(event) }
      } else {
        line.append(byte)
        guard line.count + (data?.count ?? 0) <= Self.limit else { throw Endless() }
      }
    }
    return events
  }

  /// The event that a line ends, if it is an empty one.
  private mutating func endLine() -> [UInt8]? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirst, line.starts(with: "\u{FEFF}".utf8) { line.removeFirst(3) }
    isFirst = false
    guard !line.isEmpty else {
      defer { data = nil }
      return data
    }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    guard name.elementsEqual("data".utf8) else { return nil }
    var value = line.dropFirst(name.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    // In place: an event may be of millions of lines.
    if data == nil { data = [] } else { data?.append(UInt8(ascii: "\n")) }
    data?.append(contentsOf: value)
    return nil
  }
}
