import Foundation
import SystemFiles
import Testing

@testable import Interchange

/// Streams that zlib wrote, with blocks of every type, and streams that are none.
@Suite struct InflaterTests {
  private static let note =
    String(repeating: "the train to the mountains, ", count: 6) + "and soup. "
  /// Letters without an order, then a repetition.
  private static let mixed: String = {
    let letters = (0..<220).map { (index: Int) -> UInt8 in
      let letter = (index * index * 7 + index / 3) % 23
      return UInt8(65 + letter)
    }
    let end = "the train to the mountains"
    return String(decoding: letters, as: UTF8.self) + end + end
  }()

  @Test(arguments: [
    ("stored", "AQMA/P9hYmM=", "abc"),
    ("fixed codes", "K8lIVSgpSszMUyjJVygBcnLzS/NKgPxiHTB3sMgl5qUoFOeXFugpAAA=", note),
    (
      "codes of its own",
      "zcw7DoAgEADRq3CVVRA2CC7hV1uYaCEkivdXD2Bv+TLJgBp8og6stxmm4LiIHMykyPYSEFOflMoCRiNGDJly0hYdST0QSYM+Gu+EhH9O2rqwdsxbYa2yF3u9Snt8fpcb",
      mixed
    ),
    ("nothing", "AwA=", ""),
  ])
  func zlibIsUnderstood(_ kind: String, _ stream: String, _ text: String) throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: stream)))
    #expect(try Inflater.inflate(bytes, size: text.utf8.count) == Array(text.utf8), "\(kind)")
    for end in bytes.indices {
      #expect(throws: Inflater.Defect.self, "\(kind) to \(end)") {
        try Inflater.inflate(Array(bytes[..<end]), size: text.utf8.count)
      }
    }
  }

  @Test(
    arguments: [
      ([0x07], 9, "it is damaged (zlib's error -3)"),
      ([0x01, 3, 0, 0, 0, 1, 2, 3], 9, "it is damaged (zlib's error -3)"),
      ([0x03, 0x02], 9, "it is damaged (zlib's error -3)"),
      ([0x01, 3, 0, 0xFC, 0xFF, 1, 2, 3], 2, "it stands for more than 2 bytes"),
      ([0x01, 3, 0, 0xFC, 0xFF, 1, 2, 3], 4, "it stands for 3 bytes, not 4"),
      ([0x03], 9, "it was cut"),
      ([], 9, "it was cut"),
    ] as [([UInt8], Int, String)])
  func whatIsNoStreamIsRefused(_ bytes: [UInt8], _ size: Int, _ problem: String) {
    let error = #expect(throws: Inflater.Defect.self) { try Inflater.inflate(bytes, size: size) }
    #expect(error?.problem == problem)
  }

  @Test func anEntryIsDecompressedWhereThatIsAskedFor() throws {
    let stream = [UInt8](
      try #require(Data(base64Encoded: "K8lIVSgpSszMUyjJVygBcnLzS/NKgPxiHTB3sMgl5qUoFOeXFugpAAA=")))
    let bytes = TensorBytes(
      Archive(entries: [("a/b", stream)], method: 8, content: Array(Self.note.utf8)).bytes)
    let archive = try ZipArchive(bytes, path: "P", inflates: true)
    #expect(archive.names(ofSize: Self.note.utf8.count) == ["a/b"])
    #expect(try archive.entry("a/b")?.array == Array(Self.note.utf8))
    #expect(throws: InterchangeError.self) { try ZipArchive(bytes, path: "P") }
  }
}
