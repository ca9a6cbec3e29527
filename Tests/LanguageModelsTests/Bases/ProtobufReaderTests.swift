import Testing

@testable import LanguageModels

@Suite struct ProtobufReaderTests {
  private func fields(_ bytes: [UInt8]) throws -> [(Int, ProtobufField.Value)] {
    var reader = ProtobufReader(bytes, 0..<bytes.count)
    var result: [(Int, ProtobufField.Value)] = []
    while let field = try reader.next() { result.append((field.number, field.value)) }
    return result
  }

  @Test func readsEveryWireType() throws {
    let result = try fields([
      8, 0x96, 1, 0x12, 2, 7, 8, 0x1D, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0,
    ])
    #expect(result.map(\.0) == [1, 2, 3, 4])
    #expect(result.map(\.1) == [.integer(150), .bytes(5..<7), .fixed32(1), .fixed64(2)])
  }

  @Test(
    arguments: [
      ("group", [0x0B], 0), ("field number 0", [0, 1], 0),
      ("endless number", [8] + [UInt8](repeating: 0x80, count: 11), 1),
      ("cut number", [8, 0x80], 1), ("cut text", [0x0A, 2, 1], 0), ("cut fixed", [0x0D, 1, 2], 1),
      ("huge length", [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], 0),
    ] as [(String, [UInt8], Int)])
  func namesTheByte(what: String, bytes: [UInt8], offset: Int) {
    let error = #expect(throws: ProtobufReader.Defect.self) { try fields(bytes) }
    #expect(error?.offset == offset, "\(what)")
  }
}
