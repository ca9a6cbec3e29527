import Foundation
import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

/// What `tools/fixtures/make_importance.py` made: matrices of llama.cpp's, and what it makes of weights by them.
@Suite struct ImportanceMatrixTests {
  static let names = ["dense", "experts"]

  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func path(_ name: String) -> String {
    Fixtures.path("LanguageModelsTests", "importance/\(name)")
  }

  /// What `base imatrix` makes of the fixture's text.
  private func measure(_ name: String, threads: Int = 2) throws -> ImportanceMatrix {
    let model = try BaseModel(path: path("\(name).gguf"))
    let tokenizer = try model.tokenizer()
    let begin = try #require(tokenizer.beginToken)
    let text = try FileSystem.read(path("text.txt"), limit: 1 << 16)
    return try ImportanceMatrix(
      measuring: model, over: [begin] + tokenizer.encode(text, special: false), length: 64,
      begin: begin, text: "text.txt", threads: threads)
  }

  @Test(arguments: names, ["gguf", "dat"])
  func readsBothForms(name: String, form: String) throws {
    let matrix = try ImportanceMatrix(path: path("\(name).imatrix.\(form)"))
    #expect(matrix.entries.count == (name == "dense" ? 7 : 8))
    #expect(matrix.chunks == 9)
    #expect(matrix.chunkLength == (form == "gguf" ? 64 : 0))
    #expect(matrix.texts == ["Tests/LanguageModelsTests/Fixtures/importance/text.txt"])
    let today = try ImportanceMatrix(path: path("\(name).imatrix.gguf"))
    for (tensor, entry) in matrix.entries {
      let count = entry.sums.count
      let found = try matrix.columns(of: tensor, count: count)
      let expected = try today.columns(of: tensor, count: count)
      let isClose = zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-6 * $1 }
      #expect(isClose, "\(tensor)")
    }
  }

  /// llama.cpp rounds what it multiplies to halves beside weights in F16, so sums differ in the fourth digit.
  @Test(arguments: names) func measuresWhatLlamaCppMeasures(name: String) throws {
    let (own, other) = (
      try measure(name), try ImportanceMatrix(path: path("\(name).imatrix.gguf"))
    )
    #expect(Set(own.entries.keys) == Set(other.entries.keys))
    #expect(own.chunks == other.chunks && own.chunkLength == other.chunkLength)
    for (tensor, entry) in other.entries {
      let found = try #require(own.entries[tensor])
      #expect(found.counts == entry.counts, "\(tensor)")
      #expect(found.sums.count == entry.sums.count)
      let difference = zip(found.sums, entry.sums).reduce(0) { $0 + abs($1.0 - $1.1) }
      #expect(difference <= 2e-3 * entry.sums.reduce(0, +), "\(tensor)")
    }
  }

  @Test func doesNotDependOnThreads() throws {
    #expect(try measure("experts", threads: 1) == measure("experts", threads: 3))
  }

  @Test(arguments: names, [TensorType.q4_0, .q2_K, .q4_K, .q5_K, .q6_K])
  func givesLlamaCppsBlocks(name: String, type: TensorType) throws {
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: path("\(name).json"))))
    let digests = try #require((json as? [String: [String: String]])?[type.name])
    #expect(digests.count == (name == "dense" ? 5 : 5) + (type == .q4_0 ? 2 : 0))
    let output = folder.path("out.gguf")
    let matrix = try ImportanceMatrix(path: path("\(name).imatrix.gguf"))
    try BaseQuantizer(plan: .init(type: type), importance: matrix)
      .quantize(path("\(name).gguf"), to: output)
    let file = try GGUFFile(path: output)
    for (tensor, digest) in digests {
      let bytes = try #require(file.tensor(named: tensor)?.bytes)
      #expect(SHA256.hex(bytes) == digest, "\(tensor)")
    }
    #expect(try file.metadata.string("quantize.imatrix.file") == "\(name).imatrix.gguf")
    #expect(try file.metadata.string("quantize.imatrix.dataset") == "text.txt")
    #expect(
      try file.metadata.integer("quantize.imatrix.entries_count") == matrix.entries.count)
    #expect(try file.metadata.integer("quantize.imatrix.chunks_count") == 9)
    #expect(
      BaseSignature.compute(file)
        == BaseSignature.compute(try GGUFFile(path: path("\(name).gguf"))))
    // Without a matrix nothing is said of one.
    let again = folder.path("again.gguf")
    try BaseQuantizer(plan: .init(type: type)).quantize(output, to: again)
    #expect(try GGUFFile(path: again).metadata["quantize.imatrix.file"] == nil)
  }

  @Test func whatIsWrittenIsRead() throws {
    let matrix = try measure("experts")
    try matrix.write(to: folder.path("own.gguf"))
    var read = try ImportanceMatrix(path: folder.path("own.gguf"))
    read.path = ""
    #expect(read == matrix)
    let (own, other) = (
      try GGUFFile(path: folder.path("own.gguf")),
      try GGUFFile(path: path("experts.imatrix.gguf"))
    )
    #expect(own.tensors.map(\.name) == other.tensors.map(\.name))
    #expect(own.tensors.map(\.dimensions) == other.tensors.map(\.dimensions))
    #expect(own.metadata.keys == other.metadata.keys)
  }

  /// Errors in columns that matter become smaller, by what they count.
  @Test func largeInputsAreServedBetter() throws {
    let matrix = try ImportanceMatrix(path: path("dense.imatrix.gguf"))
    func error(_ importance: ImportanceMatrix?, _ name: String) throws -> Double {
      let output = folder.path("out.gguf")
      try BaseQuantizer(plan: .init(type: .q4_K), importance: importance)
        .quantize(path("dense.gguf"), to: output)
      let (before, after) = (
        try #require(GGUFFile(path: path("dense.gguf")).tensor(named: name)),
        try #require(GGUFFile(path: output).tensor(named: name))
      )
      let columns = try matrix.columns(of: name, count: before.columns)
      let pairs = zip(
        dequantize(before.type, bytes: before.bytes), dequantize(after.type, bytes: after.bytes))
      return pairs.enumerated().reduce(0) { sum, pair in
        let difference = Double(pair.element.0 - pair.element.1)
        return sum + difference * difference * Double(columns[pair.offset % before.columns])
      }
    }
    for name in ["blk.0.attn_q.weight", "blk.0.ffn_up.weight"] {
      #expect(try error(matrix, name) < 0.9 * error(nil, name))
    }
  }

  @Test func expertsThatNothingCameToCountAlike() throws {
    let matrix = ImportanceMatrix(
      entries: ["x": .init(sums: [2, 4, 0, 0], counts: [2, 0])])
    #expect(try matrix.columns(of: "x", count: 2, matrices: 2) == [1, 2, 1, 1])
  }
}

/// One input for each way in which a matrix is wrong.
@Suite struct ImportanceDefectTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(
    metadata: [String] = ["imatrix.chunk_count", "imatrix.chunk_size"],
    _ tensors: [(String, TensorType, [Float])]
  ) throws -> String {
    var head = GGUFWriter()
    for key in metadata { head.set(key, .uint32(1)) }
    for (name, type, values) in tensors {
      head.append(.init(name: name, type: type, dimensions: [values.count]))
    }
    let path = folder.path("matrix.gguf")
    var stream = try GGUFStream(head, path: path)
    for (_, type, values) in tensors { try stream.write(Kernels.quantize(type, values: values)) }
    try stream.commit()
    return path
  }

  private func text(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was thrown"
    } catch {
      return "\(error)".replacing(folder.path("x").dropLast(), with: "")
    }
  }

  @Test(
    arguments: [
      ([], "the importance matrix has no entries"),
      (
        [("x.in_sum2", .f32, [1])], "of 'x' there are only sums or only counts"
      ),
      ([("x.counts", .f32, [1])], "of 'x' there are only sums or only counts"),
      (
        [("x.in_sum2", .f16, [1]), ("x.counts", .f32, [1])],
        "'x.in_sum2' is stored as F16, but has to be F32"
      ),
      (
        [("x.in_sum2", .f32, [1, 2, 3]), ("x.counts", .f32, [1, 1])],
        "of 'x' there are 2 counts for 3 sums"
      ),
      (
        [("x.in_sum2", .f32, [1, -2]), ("x.counts", .f32, [1])],
        "value 1 of 'x' is negative, infinite or not a number"
      ),
      (
        [("x.in_sum2", .f32, [1, 2]), ("x.counts", .f32, [.nan])],
        "value 0 of 'x' is negative, infinite or not a number"
      ),
    ] as [([(String, TensorType, [Float])], String)])
  func brokenFiles(tensors: [(String, TensorType, [Float])], expected: String) throws {
    let path = try write(tensors)
    #expect(
      text { _ = try ImportanceMatrix(path: path) }
        == "matrix.gguf: \(expected); make it again.")
  }

  @Test func missingKeys() throws {
    let path = try write(
      metadata: ["imatrix.chunk_count"], [("x.in_sum2", .f32, [1]), ("x.counts", .f32, [1])])
    #expect(
      text { _ = try ImportanceMatrix(path: path) }
        == "matrix.gguf: the metadata key 'imatrix.chunk_size' of an importance matrix is missing; "
        + "make it again.")
  }

  /// The old form has no mark: every number is held against what is left.
  @Test func theOldFormCutOrOfSomethingElse() throws {
    let whole = try Fixtures.bytes("LanguageModelsTests", "importance/dense.imatrix.dat")
    let path = folder.path("old.dat")
    // The end, with the number of pieces and the text, may be missing.
    let body = whole.count - 8 - "Tests/LanguageModelsTests/Fixtures/importance/text.txt".utf8.count
    for count in Array(0..<200) + Array(stride(from: 200, to: whole.count, by: 97)) {
      try Data(whole.prefix(count)).write(to: URL(fileURLWithPath: path))
      let found = text { _ = try ImportanceMatrix(path: path) }
      #expect(
        found.hasSuffix(
          ": this is not an importance matrix, or it is damaged; make it again.")
          == (count != body && count != body + 4), "\(count)")
    }
    for bytes in [Array("A text that is none.".utf8), [UInt8](repeating: 255, count: 64)] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(
        text { _ = try ImportanceMatrix(path: path) }
          == "old.dat: byte 0: this is not an importance matrix, or it is damaged; make it again.")
    }
  }

  private func quantize(
    _ type: TensorType = .q4_0, _ change: (inout ImportanceMatrix) -> Void
  ) -> String {
    let base = Fixtures.path("LanguageModelsTests", "importance/dense.gguf")
    return text {
      var matrix = try ImportanceMatrix(
        path: Fixtures.path("LanguageModelsTests", "importance/dense.imatrix.gguf"))
      matrix.path = "matrix.gguf"
      change(&matrix)
      try BaseQuantizer(plan: .init(type: type), importance: matrix)
        .quantize(base, to: folder.path("out.gguf"))
    }.replacing(base, with: "base.gguf")
  }

  @Test func matricesOfOtherBases() throws {
    #expect(
      quantize { $0.entries["blk.0.attn_v.weight"] = nil }
        == "matrix.gguf: there is no entry of the tensor 'blk.0.attn_v.weight'; make one from this base."
    )
    // Types that do not weigh errors are no excuse.
    for type in [TensorType.q4_0, .q8_0, .f16] {
      #expect(
        quantize(type) { $0.entries["blk.0.attn_v.weight"] = .init(sums: [1, 2], counts: [1]) }
          == "matrix.gguf: the entry of 'blk.0.attn_v.weight' has 2 values, but the base asks for 256; "
          + "make one from this base.")
    }
    #expect(
      quantize { $0.entries["blk.7.attn_v.weight"] = .init(sums: [1, 2], counts: [1]) }
        == "matrix.gguf: there is an entry of 'blk.7.attn_v.weight', which base.gguf does not have, so "
        + "it is of another model; make one from this base.")
    #expect(try FileSystem.info(folder.path("out.gguf")) == nil)
    // The head may have an entry, and need not; what is not quantized needs none.
    #expect(
      quantize { $0.entries["output.weight"] = .init(sums: [1, 2], counts: [1]) }
        == "nothing was thrown")
  }

  @Test func textsThatAreTooShort() throws {
    let model = try BaseModel(
      path: Fixtures.path("LanguageModelsTests", "importance/dense.gguf"))
    func measure(_ count: Int, _ length: Int) -> String {
      text {
        _ = try ImportanceMatrix(
          measuring: model, over: Array(repeating: 5, count: count), length: length, begin: nil,
          text: "")
      }
    }
    #expect(
      measure(63, 64)
        == "The context is 64 tokens, but has to be at most 63: the text has 63 tokens, and the base "
        + "sees 128.")
    #expect(measure(300, 129).contains("at most 128: the text has 300 tokens"))
    #expect(measure(0, 1).contains("at most 0"))
    #expect(
      text {
        _ = try ImportanceMatrix(
          measuring: model, over: Array(repeating: 5, count: 64), length: 64, begin: nil, text: "",
          isCancelled: { true })
      } == "\(BaseModelError.cancelled)")
  }
}
