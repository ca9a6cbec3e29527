/// Where a part of a text came from.
struct TextSource: Hashable, Sendable {
  /// What a message has beside what it says.
  enum Part: UInt32 {
    case text, thoughts, calls
  }

  /// 0 is the template, 1 data of no message, 4 and up the messages, with the part in the lowest two bits.
  private let rawValue: UInt32

  private init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Written by the author of the template, so that marks in it are marks.
  static let template = TextSource(rawValue: 0)
  /// Handed to the template: text, whatever it looks like.
  static let data = TextSource(rawValue: 1)

  /// Data from the message with this index.
  static func message(_ index: Int, _ part: Part = .text) -> TextSource {
    TextSource(rawValue: UInt32(index + 1) << 2 | part.rawValue)
  }

  /// Whether marks are read in the part.
  var isTemplate: Bool { rawValue == 0 }
  /// Index of the message that the part is from, or nil.
  var message: Int? { rawValue < 4 ? nil : Int(rawValue >> 2) - 1 }
  /// What of a message the part is; nil where it is from none.
  var part: Part? { rawValue < 4 ? nil : Part(rawValue: rawValue & 3) }
}

/// A text as UTF-8 in which every byte knows where it came from.
///
/// It compares as Python's strings do, scalar by scalar: neither normalization nor the source of a part matters.
struct SourcedText: Sendable {
  /// A part from one source, up to the byte `end`.
  struct Run: Sendable, Equatable {
    var end: Int
    var source: TextSource
  }

  private(set) var bytes: [UInt8] = []
  /// Parts in order; neighbours have different sources, and the last ends where the text does.
  private(set) var runs: [Run] = []
  /// Whether the filter `safe` or `escape` made the text, which then escapes what is added to it.
  var isMarkup = false

  init() {}

  init(_ text: String, _ source: TextSource) {
    self.init(Array(text.utf8), source)
  }

  init(_ bytes: some Sequence<UInt8>, _ source: TextSource) {
    self.bytes = Array(bytes)
    if !self.bytes.isEmpty { runs = [Run(end: self.bytes.count, source: source)] }
  }

  var isEmpty: Bool { bytes.isEmpty }
  var string: String { String(decoding: bytes, as: UTF8.self) }
  /// Number of Unicode scalars.
  var count: Int { bytes.count { !Self.continues($0) } }

  /// Whether a byte is not the first one of its scalar.
  static func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}

extension SourcedText {
  /// Adds `other` at the end.
  mutating func append(_ other: SourcedText) {
    let start = bytes.count
    bytes += other.bytes
    for run in other.runs { extend(to: start + run.end, run.source) }
  }

  mutating func append(_ text: String, _ source: TextSource) {
    append(text.utf8, source)
  }

  mutating func append(_ text: some Sequence<UInt8>, _ source: TextSource) {
    bytes += text
    extend(to: bytes.count, source)
  }

  private mutating func extend(to end: Int, _ source: TextSource) {
    guard end > runs.last?.end ?? 0 else { return }
    if runs.last?.source == source {
      runs[runs.count - 1].end = end
    } else {
      runs.append(Run(end: end, source: source))
    }
  }

  /// The part between two offsets in bytes.
  subscript(range: Range<Int>) -> SourcedText {
    var part = SourcedText()
    part.isMarkup = isMarkup
    part.bytes = Array(bytes[range])
    var index = firstRun(after: range.lowerBound)
    while index < runs.count, part.runs.last?.end ?? 0 < range.count {
      let end = min(runs[index].end, range.upperBound) - range.lowerBound
      part.extend(to: end, runs[index].source)
      index += 1
    }
    return part
  }

  /// The source of the byte at `offset`; of an empty text the template.
  func source(at offset: Int) -> TextSource {
    let index = firstRun(after: offset)
    return index < runs.count ? runs[index].source : runs.last?.source ?? .template
  }

  /// Index of the first run that ends behind `offset`.
  private func firstRun(after offset: Int) -> Int {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension SourcedText {
  /// The scalar at a byte offset and the offset behind it.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, end: Int) {
    let first = bytes[offset]
    if first < 0x80 { return (Unicode.Scalar(first), offset + 1) }
    var end = offset + 1
    var value = UInt32(first) & (first >= 0xF0 ? 0x07 : first >= 0xE0 ? 0x0F : 0x1F)
    while end < bytes.count, Self.continues(bytes[end]) {
      value = value << 6 | UInt32(bytes[end] & 0x3F)
      end += 1
    }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", end)
  }

  /// The scalar that ends at a byte offset and the offset where it starts.
  func scalar(before offset: Int) -> (scalar: Unicode.Scalar, start: Int) {
    var start = offset - 1
    while start > 0, Self.continues(bytes[start]) { start -= 1 }
    return (scalar(at: start).scalar, start)
  }

  /// The scalars with their offsets, read as they are asked for.
  struct Scalars: Sequence, IteratorProtocol {
    fileprivate let text: SourcedText
    private var offset = 0

    fileprivate init(of text: SourcedText) { self.text = text }

    mutating func next() -> (scalar: Unicode.Scalar, range: Range<Int>)? {
      guard offset < text.bytes.count else { return nil }
      let (start, (scalar, end)) = (offset, text.scalar(at: offset))
      offset = end
      return (scalar, start..<end)
    }
  }

  var scalars: Scalars { Scalars(of: self) }

  /// The byte offset of the scalar with index `index`; the end for the number of scalars and beyond.
  func offset(ofScalar index: Int) -> Int {
    var left = index
    for offset in bytes.indices where !Self.continues(bytes[offset]) {
      if left == 0 { return offset }
      left -= 1
    }
    return bytes.count
  }

  /// Each scalar as a text of its own.
  var characters: [SourcedText] { scalars.map { self[$0.range] } }
}

extension SourcedText: Hashable {
  static func == (left: SourcedText, right: SourcedText) -> Bool { left.bytes == right.bytes }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// The order of Python's strings, which UTF-8 keeps.
  static func < (left: SourcedText, right: SourcedText) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
