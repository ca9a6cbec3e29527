import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import Adapters

/// A small draft model in GGUF, as far as a check looks at it, to be bent and written.
struct SampleDraft {
  var architecture: String? = "llama"
  var pieces: [String]? = ["a", "b", "c", "d", "e", "f"]
  /// The tokens of `output.weight`; nil for no table.
  var tokens: [Int32]?
  /// Values of a row.
  var width = 4
  /// Rows of the embedding; none for no embedding.
  var rows = 6
  /// Rows of `output.weight`; none for no such tensor.
  var outputs = 0
  /// A value of the embedding.
  var odd: Float = 0.5

  /// The content of the file.
  var bytes: [UInt8] {
    do {
      let directory = try TemporaryDirectory()
      let path = try write(to: directory.path("draft.gguf"))
      return try FileSystem.read(path, limit: 1 << 20)
    } catch { fatalError("\(error)") }
  }

  func write(to path: String) throws -> String {
    var head = GGUFWriter()
    if let architecture { head.set("general.architecture", .text(architecture)) }
    if let pieces { head.set("tokenizer.ggml.tokens", .strings(pieces.map { Array($0.utf8) })) }
    if let tokens { head.set("fmadapter.draft.tokens", .integers(tokens)) }
    let tensors = [("token_embd.weight", rows), ("output.weight", outputs)].filter { $0.1 > 0 }
    for (name, rows) in tensors {
      head.append(.init(name: name, type: .f32, dimensions: [width, rows]))
    }
    var file = try GGUFStream(head, path: path)
    for (name, rows) in tensors {
      var values = [Float](repeating: 0.25, count: rows * width)
      if name == "token_embd.weight" { values[9] = odd }
      try file.write(values.flatMap { BlobBytes.little($0.bitPattern) })
    }
    try file.commit()
    return path
  }
}

extension SuffixTexts {
  /// Two texts of the sample draft's tokens.
  static let sample = SuffixTexts.of([Text([1, 2, 3], count: 4), Text([0, 5])])

  static func of(_ texts: [Text]) -> SuffixTexts {
    do {
      let directory = try TemporaryDirectory()
      let file = try GGUFFile(path: SampleDraft().write(to: directory.path("draft.gguf")))
      let digest = try #require(VocabularyDigest(file))
      return try SuffixTexts(texts, vocabularySize: digest.count, vocabularyDigest: digest.hex)
    } catch { fatalError("\(error)") }
  }
}
