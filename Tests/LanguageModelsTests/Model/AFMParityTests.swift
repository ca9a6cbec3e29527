import Adapters
import Foundation
import TestSupport
import Testing

@testable import LanguageModels

/// Our forward pass against Apple's tamm 0.1.0, through our converter and our adapter reader.
@Suite struct AFMParityTests {
  private struct Reference: Decodable {
    let tokens: [Int32]
    let baseLogits: [[Float]]
    let adaptedLogits: [[Float]]
    let baseGreedy: [Int32]
    let adaptedGreedy: [Int32]
  }

  private struct Fixture {
    let folder: TemporaryDirectory
    let model: BaseModel
    let adapter: AppliedAdapter
    let reference: Reference

    init() throws {
      folder = try TemporaryDirectory()
      try BaseConverter(plan: TensorTypePlan(type: .f32)).convert(
        Fixtures.path("LanguageModelsTests", "afm-tiny"), to: folder.path("base.gguf"))
      model = try BaseModel(path: folder.path("base.gguf"))
      adapter = AppliedAdapter(
        try Adapter(
          package: Fixtures.path("AdaptersTests", "afm-tiny.fmadapter"), for: model.contract()))
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      reference = try decoder.decode(
        Reference.self,
        from: Data(contentsOf: Fixtures.url("LanguageModelsTests", "afm-tiny/reference.json")))
    }
  }

  @Test func baseLogits() throws {
    let fixture = try Fixture()
    let worst = try worstDifference(
      ModelSession(fixture.model), fixture.reference.tokens, fixture.reference.baseLogits)
    #expect(worst < 1e-3, "worst \(worst)")
  }

  @Test func adaptedLogits() throws {
    let fixture = try Fixture()
    let session = try ModelSession(fixture.model, adapters: [fixture.adapter])
    let worst = try worstDifference(
      session, fixture.reference.tokens, fixture.reference.adaptedLogits)
    #expect(worst < 1e-3, "worst \(worst)")
  }

  @Test func greedyContinuations() throws {
    let fixture = try Fixture()
    let reference = fixture.reference
    let base = try greedy(
      ModelSession(fixture.model), reference.tokens, count: reference.baseGreedy.count)
    #expect(base == reference.baseGreedy)
    let adapted = try greedy(
      ModelSession(fixture.model, adapters: [fixture.adapter]), reference.tokens,
      count: reference.adaptedGreedy.count)
    #expect(adapted == reference.adaptedGreedy)
  }

  /// The last layers have no keys and values: an adapter has no pairs for them either.
  @Test func contract() throws {
    let fixture = try Fixture()
    let contract = try fixture.model.contract()
    #expect(contract.signature == "808de18c9c13f789b90640c7fa5f5dda1b81a1b9")
    #expect(contract.architecture == "afm")
    #expect(contract.layers.map(\.count) == [7, 7, 7, 5, 5])
    #expect(contract.layers[0][.key] == MatrixShape(rows: 32, columns: 64))
    #expect(contract.layers[4][.down] == MatrixShape(rows: 64, columns: 208))
    #expect(fixture.adapter.layers.map(\.count) == [7, 7, 7, 5, 5])
    #expect(fixture.adapter.scale == 2)
  }
}
