import Adapters
import Foundation
import JSON
import Kernels
import LanguageModels
import TensorFiles
import TestSupport
import Tokenization

@testable import AdapterTraining

/// What `tools/fixtures/make_gradient_fixtures.py` made: sequences, and the gradients that PyTorch gives for them.
struct GradientFixture {
  static let names = [
    "llama", "llama-linear", "mistral", "qwen2", "qwen3", "qwen3-yarn", "phi3", "phi3-long",
    "smollm3", "gemma2", "gemma3", "granite", "qwen3moe", "qwen3moe-shares",
    "lfm2", "lfm2-taps", "qwen2-window", "qwen35", "gemma4", "gemma4-keys",
    "gemma4-experts",
    "afm",
  ]
  /// Trained with a share of the values left out, by masks of our own generator.
  static let dropped = ["llama.dropout", "qwen2.dropout"]
  static let share = 0.25

  private struct Stated: Decodable {
    struct Sequence: Decodable {
      let tokens: [Token]
      let targets: [Token]
    }
    let sequences: [Sequence]
    let loss: Double
    let losses: [Double]
    let rank: Int
    let alpha: Float
  }

  let model: BaseModel
  let factors: AdapterFactors
  let gradients: AdapterFactors
  let batch: TrainingBatch
  let loss: Double
  /// Before each of ten steps of AdamW.
  let losses: [Double]
  let scale: Float
  let examples: [TokenizedExample]
  private let folder: TemporaryDirectory

  init(_ name: String) throws {
    folder = try TemporaryDirectory()
    let path = Fixtures.path("AdapterTrainingTests", "gradients/\(name)")
    let stated = try JSONDecoder().decode(
      Stated.self, from: Data(contentsOf: URL(fileURLWithPath: path + ".json")))
    (loss, losses) = (stated.loss, stated.losses)
    scale = stated.alpha / Float(stated.rank)
    let base = String(name.prefix { $0 != "." })
    model = try Self.model(base, folder)
    factors = try Self.factors(base, model, rank: stated.rank)
    gradients = try Self.read(
      path + ".safetensors", shapes: model.contract().layers, rank: stated.rank, type: .f32)
    examples = stated.sequences.map { sequence in
      TokenizedExample(
        line: 1, tokens: sequence.tokens,
        trained: sequence.targets.enumerated().filter { $1 >= 0 }.map {
          $0.offset + 1..<$0.offset + 2
        })
    }
    batch = TrainingBatch(examples.map { TrainingSequence($0, limit: 1000) })
  }

  /// The two sequences behind each other in one.
  var packed: TrainingBatch {
    var sequence = TrainingSequence()
    for part in batch.sequences {
      let trained = part.targets.indices.filter { part.targets[$0] != nil }.map { $0 + 1..<$0 + 2 }
      sequence.append(TokenizedExample(line: 1, tokens: part.tokens, trained: trained), limit: 1000)
    }
    return TrainingBatch([sequence])
  }

  static func model(_ name: String, _ folder: TemporaryDirectory) throws -> BaseModel {
    guard name == "afm" else {
      return try BaseModel(
        path: Fixtures.path("LanguageModelsTests", "transformers/\(name).gguf"))
    }
    try BaseConverter(plan: TensorTypePlan(type: .f32)).convert(
      Fixtures.path("LanguageModelsTests", "afm-tiny"), to: folder.path("base.gguf"))
    return try BaseModel(path: folder.path("base.gguf"))
  }

  static func factors(_ name: String, _ model: BaseModel, rank: Int) throws -> AdapterFactors {
    guard name == "afm" else {
      return try read(
        Fixtures.path("LanguageModelsTests", "transformers/\(name).adapter.safetensors"),
        shapes: model.contract().layers, rank: rank, type: .f16)
    }
    let package = Fixtures.path("AdaptersTests", "afm-tiny.fmadapter")
    return AdapterFactors(try Adapter(package: package, for: model.contract()).layers)
  }

  static func read(
    _ path: String, shapes: [[LoRATarget: MatrixShape]], rank: Int, type: TensorType
  ) throws -> AdapterFactors {
    let file = try SafetensorsFile(path: path)
    var factors = AdapterFactors(shapes, rank: rank, targets: Set(LoRATarget.allCases))
    try factors.update { layer, target, pair in
      guard let a = file.tensor(named: "blk.\(layer).\(target.rawValue).a"),
        let b = file.tensor(named: "blk.\(layer).\(target.rawValue).b")
      else { throw CocoaError(.fileReadCorruptFile) }
      pair.a = FloatMatrix(
        WeightMatrix(type: type, rows: pair.a.rows, columns: pair.a.columns, bytes: a.bytes))
      pair.b = FloatMatrix(
        WeightMatrix(type: type, rows: pair.b.rows, columns: pair.b.columns, bytes: b.bytes))
    }
    return factors
  }
}

extension AdapterFactors {
  /// Largest difference of any value of a matrix, as a share of the largest value of that matrix.
  func worst(beside expected: AdapterFactors) -> Float {
    var worst: Float = 0
    for (found, expected) in zip(matrices, expected.matrices) {
      let most = expected.map(abs).max() ?? 0
      for (a, b) in zip(found, expected) {
        let share = abs(a - b) / most
        // Written so that not-a-number is a difference, too.
        if !(share <= worst) { worst = share }
      }
    }
    return worst
  }
}
