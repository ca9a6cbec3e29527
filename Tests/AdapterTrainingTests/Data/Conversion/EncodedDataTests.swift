import Foundation
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct EncodedDataTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// What a file of these bytes becomes.
  private func converted(
    _ bytes: [UInt8], _ name: String = "x.csv", _ adjust: (inout DataConversion) -> Void
  ) throws -> String {
    let path = folder.path(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    var conversion = DataConversion()
    adjust(&conversion)
    var text = ""
    _ = try conversion.run(path) { text += String(decoding: $0, as: UTF8.self) }
    return text
  }

  /// As programs write it that leave the byte order mark out.
  @Test(arguments: [false, true]) func theOrderOfUTF16IsFound(_ swapped: Bool) throws {
    let bytes = "prompt\tcompletion\r\n一二三\t一\r\n".utf16.flatMap { unit in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return swapped ? bytes.reversed() : bytes
    }
    #expect(try converted(bytes, "x.txt") { _ in }.contains("一二三"))
  }

  /// As what is exported of a database may have it.
  @Test func aZeroMakesNoUTF16() throws {
    let text = try converted(Array("prompt,completion\nдом\0,house\n".utf8)) { _ in }
    #expect(text.contains("house"))
  }

  @Test func otherEncodingsAreRead() throws {
    let bytes = Array("prompt;completion\r\nna".utf8) + [0xEF] + Array("ve;5 ".utf8) + [0x80, 0x0A]
    let text = try converted(bytes) { $0.encoding = "windows-1252" }
    #expect(text.contains("naïve") && text.contains("5 €"))
    let error = #expect(throws: DataSetError.self) {
      try converted(bytes) { $0.encoding = "utf-8" }
    }
    #expect(error == .encoding(path: folder.path("x.csv"), .invalid(name: "utf-8", offset: 21)))
  }

  @Test func whatIsTooLargeIsNotRead() throws {
    let path = try folder.write([], to: "x.csv")
    truncate(path, 1 << 30 | 1)
    var conversion = DataConversion()
    conversion.encoding = "gbk"
    #expect(throws: DataSetError.encoding(path: path, .tooLarge(size: 1 << 30 | 1))) {
      try conversion.run(path) { _ in }
    }
  }

  /// As a program on macOS may write the names of columns.
  @Test func namesMayBeComposedOrNot() throws {
    let text = try converted(Array("pre\u{301}nom,re\u{301}ponse\na,b\n".utf8)) {
      $0.prompt = "pr\u{E9}nom"
      $0.answer = "re\u{301}ponse"
    }
    #expect(text.contains("\"b\""))
  }
}
