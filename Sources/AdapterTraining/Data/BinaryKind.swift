import SystemFiles

/// What others keep records in that is no text, known by its first bytes.
enum BinaryKind {
  private static let starts: [(bytes: [UInt8], name: String)] = [
    (Array("PAR1".utf8), "a Parquet file"), (Array("ARROW1".utf8), "an Arrow file"),
    (Array("PK\u{3}\u{4}".utf8), "a workbook or another ZIP archive"),
    ([0xD0, 0xCF, 0x11, 0xE0], "a workbook of an old Excel"),
    ([0x1F, 0x8B], "compressed with gzip"),
    ([0x28, 0xB5, 0x2F, 0xFD], "compressed with Zstandard"),
  ]

  /// Bytes that tell.
  static let length = 6

  /// The name of a kind whose files begin with `start`; nil for any other.
  static func name(of start: [UInt8]) -> String? {
    starts.first { start.starts(with: $0.bytes) }?.name
  }

  /// The name of the kind of the file at `path`; nil for a text, compressed or not, and for what cannot be read.
  static func name(ofFile path: String) -> String? {
    guard let file = try? FileReader(path: path) else { return nil }
    var text = TextReader(file)
    return (try? text.read(length)).flatMap(name(of:))
  }
}
