import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

/// Experts beside a feed-forward network.
@Suite struct ParallelExpertsTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func logits(_ tiny: TinyModel) throws -> [Float]? {
    let session = try ModelSession(tiny.open(in: folder))
    try session.evaluate([1, 2, 3, 4])
    return session.logits
  }

  @Test func expertsAreRead() throws {
    let model = try TinyModel.parallelExperts(hidden: 64).open(in: folder)
    #expect(
      model.configuration.experts
        == ExpertSettings(count: 5, used: 2, hiddenWidth: 64, normalizes: true))
    #expect(try TinyModel(.gemma4).open(in: folder).configuration.experts == nil)
    // Of a layer's experts a pass reads two, and adapters change the network beside them.
    let layer = model.weights.layers[0]
    #expect(layer.expertMatrices(nil).count == 3 * 2)
    #expect(layer.expertMatrices(.max).count == 3 * 5)
    #expect(layer.shapes[.gate]?.rows == 64)
  }

  static let defects: [(String, GGUFValue?, String)] = [
    ("expert_used_count", .uint32(6), "is 6, but has to be between 1 and 5."),
    ("expert_used_count", nil, "is missing; convert the model again."),
    ("expert_feed_forward_length", nil, "is missing; convert the model again."),
    ("expert_count", .uint32(5000), "is 5000, but has to be between 1 and 4096."),
  ]

  @Test(arguments: defects)
  func defectsAreNamed(key: String, value: GGUFValue?, message: String) throws {
    var tiny = TinyModel.parallelExperts()
    tiny.set("gemma4." + key, value)
    let error = #expect(throws: BaseModelError.self) { try tiny.open(in: folder) }
    #expect(
      error?.description
        == "\(folder.path("base.gguf")): the metadata key 'gemma4.\(key)' \(message)")
  }

  @Test(
    arguments: [
      "ffn_gate_inp.weight", "ffn_gate_inp.scale", "ffn_down_exps.weight", "ffn_down.weight",
      "pre_ffw_norm_2.weight", "post_ffw_norm_1.weight", "post_ffw_norm_2.weight",
    ])
  func tensorsThatAreNeeded(name: String) throws {
    var tiny = TinyModel.parallelExperts()
    tiny.tensors.removeAll { $0.name == "blk.1." + name }
    #expect(
      throws: BaseModelError.missingTensor(
        file: folder.path("base.gguf"), tensor: "blk.1." + name)
    ) { try tiny.open(in: folder) }
  }

  @Test func expertsThatNoKeyAsksForAreRefused() throws {
    var tiny = TinyModel.parallelExperts()
    tiny.set("gemma4.expert_count", nil)
    #expect(
      throws: BaseModelError.unknownTensor(
        file: folder.path("base.gguf"), tensor: "blk.0.ffn_gate_inp.weight")
    ) { try tiny.open(in: folder) }
  }

  @Test func gateAndUpMayBeTensorsOfTheirOwn() throws {
    var tiny = TinyModel.parallelExperts()
    let expected = try logits(tiny)
    for layer in 0..<3 {
      let stem = "blk.\(layer).ffn_"
      let place = try #require(tiny.tensors.firstIndex { $0.name == stem + "gate_up_exps.weight" })
      let (_, dimensions, values) = tiny.tensors.remove(at: place)
      let half = dimensions[0] * dimensions[1] / 2
      for (name, first) in [("gate", 0), ("up", half)] {
        let starts = stride(from: first, to: values.count, by: 2 * half)
        let part: [Float] = starts.flatMap { Array(values[$0..<$0 + half]) }
        tiny.tensors.append(
          ("\(stem)\(name)_exps.weight", [dimensions[0], dimensions[1] / 2, 5], part))
      }
    }
    #expect(try logits(tiny) == expected)
  }

  @Test func withoutScalesExpertsCountAsTheyAre() throws {
    var tiny = TinyModel.parallelExperts()
    let scaled = try logits(tiny)
    for index in tiny.tensors.indices where tiny.tensors[index].name.hasSuffix("exps.scale") {
      tiny.tensors[index].values = [1, 1, 1, 1, 1]
    }
    let expected = try logits(tiny)
    tiny.tensors.removeAll { $0.name.hasSuffix("exps.scale") }
    #expect(try logits(tiny) == expected)
    #expect(scaled != expected)
  }

  /// The router, the experts and the network beside them read three norms of the same.
  @Test func importanceIsThatOfWhatEachReads() throws {
    let model = try TinyModel.parallelExperts(width: 32, hidden: 64).open(in: folder)
    let matrix = try ImportanceMatrix(
      measuring: model, over: (0..<16).map { $0 * 7 % 48 }, length: 8, begin: nil, text: "text")
    func entry(_ name: String) throws -> ImportanceMatrix.Entry {
      try #require(matrix.entries["blk.1.\(name).weight"])
    }
    let (router, network) = (try entry("ffn_gate_inp"), try entry("ffn_gate"))
    #expect(router.counts == [16] && network.counts == [16])
    #expect(router.sums.count == 32 && router.sums != network.sums)
    for (name, columns) in [("ffn_gate_up_exps", 32), ("ffn_down_exps", 64)] {
      let experts = try entry(name)
      #expect(experts.sums.count == 5 * columns)
      #expect(experts.counts.count == 5 && experts.counts.reduce(0, +) == 2 * 16)
    }
  }

  /// What chooses experts stays exact.
  @Test func typesOfTheTensors() {
    let tensors = [
      ("blk.0.ffn_gate_up_exps.weight", [256, 512, 5]),
      ("blk.0.ffn_down_exps.weight", [256, 256, 5]),
      ("blk.0.ffn_gate_inp.weight", [256, 5]), ("blk.0.ffn_gate_inp.scale", [256]),
      ("blk.0.ffn_down_exps.scale", [5]),
    ]
    #expect(
      TensorTypePlan(type: .q4_K).types(of: tensors) == [.q4_K, .q4_K, .f32, .f32, .f32])
  }
}
