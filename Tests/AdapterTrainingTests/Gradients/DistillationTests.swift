import Foundation
import Kernels
import LanguageModels
import TensorFiles
import TestSupport
import Testing
import Tokenization

@testable import AdapterTraining

/// What `tools/fixtures/make_gradient_fixtures.py` made of models all of whose weights learn from a teacher.
struct DistillationFixture {
  /// The first of them is in the layout of drafts; of the others there are the gradients of norms and biases.
  static let names = ["mistral", "qwen2", "qwen3", "gemma2"]

  private struct Stated: Decodable {
    struct Sequence: Decodable {
      let tokens: [Token]
      let targets: [Token]
    }
    let sequences: [Sequence]
    let tokens: [Int]
    let losses: [String: [Double]]
  }

  let model: BaseModel
  let weights: DraftWeights
  let batch: TrainingBatch
  let teacher: TeacherRows
  let gradients: SafetensorsFile
  /// By their direction.
  let losses: [String: [Double]]

  init(_ name: String) throws {
    let path = Fixtures.path("AdapterTrainingTests", "gradients/\(name).distilled")
    let stated = try JSONDecoder().decode(
      Stated.self, from: Data(contentsOf: URL(fileURLWithPath: path + ".json")))
    losses = stated.losses
    model = try BaseModel(
      path: Fixtures.path("LanguageModelsTests", "transformers/\(name).gguf"))
    gradients = try SafetensorsFile(path: path + ".safetensors")
    batch = TrainingBatch(
      stated.sequences.map { sequence in
        let trained = sequence.targets.indices.filter { sequence.targets[$0] >= 0 }
        return TrainingSequence(
          TokenizedExample(
            line: 1, tokens: sequence.tokens, trained: trained.map { $0 + 1..<$0 + 2 }),
          limit: 1000)
      })
    let teacher = try #require(Self.matrix(gradients, "teacher"))
    self.teacher = TeacherRows(
      logarithms: Self.logarithms(teacher),
      best: (0..<teacher.rows).map { row in
        let values = teacher.values[teacher.range(row)]
        return values.indices.max { values[$0] < values[$1] }.map { $0 - values.startIndex }
      })
    weights = Self.weights(model, outputs: stated.tokens)
  }

  static func matrix(_ file: SafetensorsFile, _ name: String) -> FloatMatrix? {
    file.tensor(named: name).map { tensor in
      FloatMatrix(
        WeightMatrix(
          type: .f32, rows: tensor.shape.count > 1 ? tensor.shape[0] : 1,
          columns: tensor.shape.last ?? 0, bytes: tensor.bytes))
    }
  }

  private static func logarithms(_ logits: FloatMatrix) -> FloatMatrix {
    var result = logits
    for row in 0..<logits.rows {
      let range = logits.range(row)
      let sum = logits.values[range].reduce(0) { $0 + Mathematics.exponential($1) }
      for index in range { result.values[index] -= Mathematics.logarithm(sum) }
    }
    return result
  }

  private static func weights(_ model: BaseModel, outputs: [Int]) -> DraftWeights {
    var tensors = model.file.tensors.filter { $0.name != "output.weight" }.map { tensor in
      (
        name: tensor.name,
        values: FloatMatrix(
          WeightMatrix(
            type: tensor.type, rows: tensor.rows, columns: tensor.columns, bytes: tensor.bytes))
      )
    }
    let head = model.weights.output
    tensors.append(
      (
        "output.weight",
        FloatMatrix(
          rows: outputs.count, columns: head.columns,
          values: outputs.flatMap { head.floats(row: $0) })
      ))
    return DraftWeights(tensors)
  }

  func pass(_ loss: DistillationLoss = .reverse, threads: Int = 1) -> DraftPass {
    DraftPass(
      configuration: model.configuration, rotary: model.weights.rotary, loss: loss,
      operations: Operations(pool: WorkerPool(threads: threads)))
  }
}

@Suite struct DistillationTests {
  @Test(arguments: DistillationFixture.names)
  func gradientsOfAllWeightsAreThoseOfPyTorch(name: String) throws {
    let fixture = try DistillationFixture(name)
    let result = try fixture.pass().run(
      fixture.batch, fixture.weights, fixture.teacher, total: fixture.teacher.best.count)
    let expected = try #require(fixture.losses["reverse-kl"]?.first)
    let loss = result.loss / Double(fixture.teacher.best.count)
    #expect(abs(loss - expected) < 1e-4 * expected, "\(loss) \(expected)")
    let gradients = try #require(result.gradients)
    var compared = 0
    for name in gradients.names {
      guard let wanted = DistillationFixture.matrix(fixture.gradients, name) else { continue }
      compared += 1
      let found = try #require(gradients[name])
      let most = wanted.values.map(abs).max() ?? 0
      let worst = zip(found.values, wanted.values).map { abs($0 - $1) / most }.max() ?? .infinity
      #expect(worst < 2e-5 && found.values.count == wanted.values.count, "\(name) \(worst)")
    }
    // All but the teacher.
    #expect(compared == fixture.gradients.tensors.count - 1 && compared > 8)
    if name == "mistral" { #expect(compared == gradients.names.count) }
  }

  @Test(arguments: DistillationFixture.names, DistillationLoss.allCases)
  func bothDirectionsAreThoseOfPyTorch(name: String, loss: DistillationLoss) throws {
    let fixture = try DistillationFixture(name)
    let count = Double(fixture.teacher.best.count)
    let result = try fixture.pass(loss).run(
      fixture.batch, fixture.weights, fixture.teacher, total: nil)
    let expected = try #require(fixture.losses[loss.rawValue]?.first)
    #expect(abs(result.loss / count - expected) < 1e-4 * expected)
    #expect(result.gradients == nil)
  }

  @Test(arguments: DistillationLoss.allCases)
  func tenStepsAreThoseOfPyTorch(loss: DistillationLoss) throws {
    let fixture = try DistillationFixture("mistral")
    let (pass, count) = (fixture.pass(loss), fixture.teacher.best.count)
    var weights = fixture.weights
    var optimizer = AdamW(weights, weightDecay: 0.01)
    let rate = LearningRate(highest: 0.01, warmup: 2, steps: 10)
    for (step, expected) in try #require(fixture.losses[loss.rawValue]).enumerated() {
      let result = try pass.run(fixture.batch, weights, fixture.teacher, total: count)
      let found = result.loss / Double(count)
      #expect(abs(found - expected) < 1e-3 * expected, "step \(step): \(found) \(expected)")
      let gradients = try #require(result.gradients)
      optimizer.step(
        &weights, gradients, scale: Float(min(1, 1 / gradients.norm)), rate: rate.at(step))
    }
  }

  /// Rows are judged a few at a time, and the same in any number of threads.
  @Test func roomAndThreadsDoNotMatter() throws {
    let fixture = try DistillationFixture("mistral")
    let results = try [1, 3].map { threads in
      try fixture.pass(threads: threads).run(
        fixture.batch, fixture.weights, fixture.teacher, total: 5)
    }
    #expect(results[0].loss == results[1].loss && results[0].gradients == results[1].gradients)
    let x = FloatMatrix(
      rows: fixture.teacher.best.count, columns: 32,
      values: (0..<fixture.teacher.best.count * 32).map { Float($0 % 13) / 7 - 1 })
    let output = try #require(fixture.weights["output.weight"])
    let found = try [1, 1 << 20].map { room in
      var sum = FloatMatrix(rows: output.rows, columns: output.columns)
      var head = DistillationHead(
        weights: output, loss: .reverse, operations: Operations(pool: WorkerPool(threads: 1)))
      head.room = room
      return (try head.run(x, fixture.teacher, weight: 0.1, &sum), sum)
    }
    #expect(found[0].0.sum == found[1].0.sum && found[0].0.agrees == found[1].0.agrees)
    #expect(found[0].0.gradient == found[1].0.gradient)
    for (a, b) in zip(found[0].1.values, found[1].1.values) { #expect(abs(a - b) < 1e-5) }
  }

  @Test func cancelledBetweenLayers() throws {
    let fixture = try DistillationFixture("mistral")
    #expect(throws: BaseModelError.cancelled) {
      try fixture.pass().run(
        fixture.batch, fixture.weights, fixture.teacher, total: 1, isCancelled: { true })
    }
  }
}
