import SystemFiles
import TensorFiles

/// The bytes of a text one after the other, and the line that comes next; no more of a file is in
/// memory than a piece.
///
/// A text in UTF-16, known by its byte order mark or else by its ASCII, becomes UTF-8; half a pair of surrogates
/// becomes a byte that is none of it.
struct ByteCursor {
  private enum Source {
    case file(TextReader)
    case bytes([UInt8])
  }

  private enum ByteOrder { case little, big }

  /// The line of the next byte, from 1.
  private(set) var line = 1
  /// Bytes of the file, or of the text that is in memory.
  let size: Int
  /// Whether a data set has other bytes, as far as the text was read: there is a byte order mark, another encoding than UTF-8, or
  /// a carriage return.
  private(set) var isForeign: Bool
  private var source: Source
  private var order: ByteOrder?
  private var piece: [UInt8] = []
  private var index = 0
  /// The bytes of the file, or of the text that is in memory, that the piece was made of.
  private var taken = 0..<0
  private var isStart = true

  // Even, so that no unit of UTF-16 is divided.
  private static let pieceSize = 256 << 10

  /// Starts behind a byte order mark.
  init(_ file: FileReader) throws(FileError) {
    try self.init(.file(TextReader(file)), file.size, false)
  }

  /// As above, of bytes that are in memory, and `isForeign` where they lay there otherwise.
  init(_ bytes: [UInt8], isForeign: Bool = false) throws(FileError) {
    try self.init(.bytes(bytes), bytes.count, isForeign)
  }

  private init(_ source: Source, _ size: Int, _ isForeign: Bool) throws(FileError) {
    (self.source, self.size, self.isForeign) = (source, size, isForeign)
    guard try fill() else { return }
    if piece.starts(with: [0xEF, 0xBB, 0xBF]) { (index, self.isForeign) = (3, true) }
    if order != nil { self.isForeign = true }
  }

  /// Bytes that have been read.
  var position: Int {
    taken.lowerBound + (piece.isEmpty ? 0 : taken.count * index / piece.count)
  }

  /// The next byte, which stays; nil at the end of the text.
  mutating func peek() throws(FileError) -> UInt8? { try fill() ? piece[index] : nil }

  /// The next byte; nil at the end of the text.
  mutating func next() throws(FileError) -> UInt8? {
    guard try fill() else { return nil }
    defer { index += 1 }
    if piece[index] == UInt8(ascii: "\n") { line += 1 }
    if piece[index] == UInt8(ascii: "\r") { isForeign = true }
    return piece[index]
  }

  private mutating func fill() throws(FileError) -> Bool {
    guard index == piece.count else { return true }
    let start = taken.upperBound
    var (bytes, end) = try read(Self.pieceSize, from: start)
    guard !bytes.isEmpty else {
      if case .file(let text) = source { try text.checkUnchanged() }
      return false
    }
    if isStart { (order, isStart) = (Self.order(of: bytes), false) }
    if let order, let last = Self.units(bytes.suffix(2), order).last, UTF16.isLeadSurrogate(last) {
      let (rest, next) = try read(2, from: end)
      (bytes, end) = (bytes + rest, next)
    }
    (taken, index) = (start..<end, 0)
    piece = order.map { Self.converted(bytes, $0) } ?? bytes
    return true
  }

  /// The next bytes, no more than `size`, and where they end; `start` is where those before them did.
  private mutating func read(
    _ size: Int, from start: Int
  ) throws(FileError) -> (bytes: [UInt8], end: Int) {
    switch source {
    case .file(var text):
      let bytes = try text.read(size)
      source = .file(text)
      return (bytes, text.position)
    case .bytes(let bytes):
      let end = min(start + size, bytes.count)
      return (Array(bytes[start..<end]), end)
    }
  }
}

extension ByteCursor {
  private static func order(of bytes: [UInt8]) -> ByteOrder? {
    if bytes.starts(with: [0xFF, 0xFE]) { return .little }
    if bytes.starts(with: [0xFE, 0xFF]) { return .big }
    // Each line of UTF-16 has zeros, and UTF-8 has hardly any.
    guard bytes.contains(0), BinaryKind.name(of: bytes) == nil else { return nil }
    func count(_ order: ByteOrder) -> Int { units(bytes[...], order).count(where: isText) }
    let (little, big) = (count(.little), count(.big))
    let pairs = units(bytes[...], .little).count { isText($0 & 0xFF) && isText($0 >> 8) }
    if pairs > max(little, big), isUTF8(bytes) { return nil }
    return little > 2 * big ? .little : big > 2 * little ? .big : nil
  }

  private static func isText(_ unit: UInt16) -> Bool { unit > 8 && unit < 0x7F }

  /// Whether the bytes are UTF-8, but for a last character that is cut.
  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    (0..<4).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }

  private static func units(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) -> [UInt16] {
    stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { place in
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return order == .little ? second << 8 | first : first << 8 | second
    }
  }

  /// The same text in UTF-8.
  private static func converted(_ bytes: [UInt8], _ order: ByteOrder) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var units = units(bytes[...], order).makeIterator()
    var parser = Unicode.UTF16.ForwardParser()
    parsing: while true {
      switch parser.parseScalar(from: &units) {
      case .valid(let scalar):
        if let bytes = UTF8.encode(UTF16.decode(scalar)) { text.append(contentsOf: bytes) }
      case .error: text.append(0xFF)
      case .emptyInput: break parsing
      }
    }
    if !bytes.count.isMultiple(of: 2) { text.append(0xFF) }
    return text
  }
}
