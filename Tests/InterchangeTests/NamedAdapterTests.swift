import Interchange
import SystemFiles
import TensorFiles
import TestSupport
import Testing

/// Tensors that have the name that an adapter had in training.
@Suite struct NamedAdapterTests {
  /// A folder of PEFT with one pair, whose factors have these names of adapters.
  private func error(_ first: String, _ second: String) throws -> InterchangeError? {
    let directory = try TemporaryDirectory()
    try directory.write(
      #"{"peft_type": "LORA", "r": 2, "lora_alpha": 4}"#, to: "lora/adapter_config.json")
    let stem = "base_model.model.model.layers.0.self_attn.q_proj.lora_"
    var writer = SafetensorsWriter()
    for (name, shape) in [("A\(first)", [2, 48]), ("B\(second)", [48, 2])] {
      let values = [Float](repeating: 0.5, count: 96)
      writer.append(
        "\(stem)\(name).weight", .float32, shape: shape, TensorBytes(littleEndian(values)))
    }
    try writer.write(to: directory.path("lora/adapter_model.safetensors"))
    let base = try InterchangeFixture.base("llama")
    return failure { _ = try ImportedAdapter(path: directory.path("lora"), for: base) }
  }

  /// `default` is left out by PEFT when it saves, and every other name by some trainers only.
  @Test(arguments: ["", ".default", ".my_adapter"]) func aNameThatAllHaveIsPassedOver(
    _ name: String
  ) throws {
    #expect(try error(name, name) == nil)
  }

  @Test func twoNamesAreTwoAdapters() throws {
    guard case .severalAdapters(_, let names)? = try error(".mine", ".other") else {
      return #expect(Bool(false), "not refused")
    }
    #expect(names == ["mine", "other"])
  }
}
