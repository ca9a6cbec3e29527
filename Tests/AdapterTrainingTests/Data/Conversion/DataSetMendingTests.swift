import AdapterTraining
import Testing

/// Data sets that are written otherwise than one value a line in UTF-8, or of which lines are left out.
@Suite struct DataSetMendingTests {
  private static let object =
    #"{"messages": [{"role": "user", "content": "é?"}, {"role": "assistant", "content": "A"}]}"#
  private static let list =
    #"[{"role": "user", "content": "é?"}, {"role": "assistant", "content": "A"}]"#

  private func converted(
    _ bytes: [UInt8], encoding: String? = nil, skips: Bool = false
  ) throws -> (text: String, result: DataConversion.Result) {
    var conversion = DataConversion()
    (conversion.encoding, conversion.skips) = (encoding, skips)
    var written: [UInt8] = []
    let result = try conversion.run(bytes, named: "a.jsonl") { written += $0 }
    return (String(decoding: written, as: UTF8.self), result)
  }

  private static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
  }

  private static func wide(_ text: String) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  static let ways: [(id: String, encoding: String?, write: @Sendable (String) -> [UInt8])] = [
    ("a byte order mark", nil, { Array("\u{FEFF}\($0)\n\($0)\n".utf8) }),
    ("UTF-16", nil, { wide("\($0)\n\($0)\n") }),
    ("UTF-16 by its name", "utf-16", { wide("\($0)\n\($0)\n") }),
    ("Latin-1", "windows-1252", { latin("\($0)\n\($0)\n") }),
    ("two values on a line", nil, { Array("\($0) \($0)\n".utf8) }),
    ("line ends of CR", nil, { Array("\($0)\r\($0)\r".utf8) }),
    ("line ends of CR and LF", nil, { Array("\($0)\r\n\($0)\r\n".utf8) }),
    (
      "a value on several lines", nil, { Array("\($0)\n\($0.replacing(": ", with: ":\n"))\n".utf8) }
    ),
  ]

  @Test(arguments: ways.indices, [object, list])
  func whatIsWrittenOtherwiseIsMended(_ index: Int, _ line: String) throws {
    let way = Self.ways[index]
    for skips in [false, true] {
      let (text, result) = try converted(
        way.write(line), encoding: way.encoding, skips: skips)
      #expect(text == "\(line)\n\(line)\n", "\(way.id)")
      #expect(result.examples == 2)
    }
  }

  @Test(arguments: [object, list], [false, true])
  func whatIsAsItShouldBeStays(_ line: String, _ skips: Bool) throws {
    let error = #expect(throws: DataSetError.self) {
      try converted(Array("\(line)\n\(line)\n".utf8), skips: skips)
    }
    #expect(error == .isDataSet(path: "a.jsonl", skips: skips))
  }

  /// One is broken off, one has no answer, and of one nothing is to be learnt.
  @Test(arguments: [object, list]) func linesAreLeftOut(_ line: String) throws {
    let ignored = line.replacing(#""A""#, with: #""A", "weight": 0"#)
    let broken = line.prefix { $0 != "é" } + "\n"
    let unanswered = line.replacing("assistant", with: "user") + "\n"
    let bytes = Array("\(line)\n\(ignored)\n\(broken)\(unanswered)\(line)\n".utf8)
    let (text, result) = try converted(bytes, skips: true)
    #expect(text == "\(line)\n\(line)\n")
    #expect(result.skipped == 2 && result.notToLearn == 1)
    // Nobody has to ask for leaving out what is not to be learnt.
    #expect(try converted(Array("\(line)\n\(ignored)\n".utf8)).text == line + "\n")
  }
}
