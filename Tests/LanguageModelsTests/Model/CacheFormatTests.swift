import Foundation
import Kernels
import TestSupport
import Testing

@testable import LanguageModels

/// What it costs to keep keys and values in fewer bits.
@Suite struct CacheFormatTests {
  private static let text = """
    The harbor was quiet when the ferry came in. Mila counted the crates twice, wrote the number on a slip of paper, and \
    gave it to Otto, who kept the lantern lit until the last of them was ashore. "Eleven," she said, "and one of them is \
    wet." They opened it at the table by the window: books about birds, a map of the northern islands, and a letter that \
    nobody had asked for. In the morning the letter was gone. Summarise what happened, name the people, and say where the \
    map might lead. On 12 May 2021 the museum paid 340 euros for a clock with two hands and no face; the seller wanted \
    {"name": "clock", "price": 340, "tags": ["brass", "broken"]} in writing, and got it.
    """

  private static func logits(_ model: BaseModel, _ format: CacheFormat) throws -> [[Float]] {
    let tokens = Array(try model.tokenizer().encode(text).prefix(runsAllTests ? 200 : 120))
    var rows: [[Float]] = []
    try ModelSession(model, cache: format).evaluate(tokens) { rows.append($1) }
    return rows
  }

  /// Σ p log(p / q) of two rows of logits, in nats.
  private static func divergence(_ p: [Float], _ q: [Float]) -> Double {
    func logs(_ row: [Float]) -> [Double] {
      let top = Double(row.max() ?? 0)
      let total = row.reduce(0) { $0 + exp(Double($1) - top) }
      return row.map { Double($0) - top - log(total) }
    }
    return zip(logs(p), logs(q)).reduce(0) { $0 + exp($1.0) * ($1.0 - $1.1) }
  }

  /// The bundled base gives nearly the same distributions over 8 bits as over 32, for half of the memory of 16.
  ///
  /// Its weights are taken as F32: over quantized ones the rounding of activations makes more of any difference, also of
  /// that between F16 and F32.
  @Test func eightBitsChangeLittle() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let folder = try TemporaryDirectory()
    try BaseQuantizer(plan: TensorTypePlan(type: .f32, embedding: .f32))
      .quantize(base, to: folder.path("f32.gguf"))
    let model = try BaseModel(path: folder.path("f32.gguf"))
    let exact = try Self.logits(model, .f32)
    let limits: [CacheFormat: Double] = [.f16: 1e-5, .q8: 1e-3]
    for (format, limit) in limits {
      let divergences = zip(exact, try Self.logits(model, format)).map(Self.divergence)
      let mean = divergences.reduce(0, +) / Double(divergences.count)
      print("KL divergence of \(format) from f32: mean \(mean), most \(divergences.max() ?? 0)")
      #expect(mean < limit, "\(format)")
      #expect(mean > 0, "\(format) is not what it says")
    }
    let bytes = try CacheFormat.allCases.map {
      try ModelSession(model, cache: $0).cache.bytesPerToken
    }
    #expect(bytes[1] * 2 == bytes[0])
    #expect(Double(bytes[2]) / Double(bytes[1]) < 0.54)
  }
}
