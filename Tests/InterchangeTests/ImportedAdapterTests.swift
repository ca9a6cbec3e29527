import Adapters
import Foundation
import Interchange
import LanguageModels
import TestSupport
import Testing

@Suite struct ImportedAdapterTests {
  /// What peft, llama.cpp's converter and mlx-lm wrote of one adapter are the same package, to the bit.
  @Test(arguments: InterchangeFixture.cases)
  func otherProgramsFilesAreReadToTheBit(_ example: InterchangeFixture.Case) throws {
    let imported = try ImportedAdapter(
      path: example.path, for: InterchangeFixture.base(example.name))
    #expect(imported.form == example.form)
    #expect(imported.rank == 4)
    #expect(imported.alpha == 6)
    #expect(imported.remarks.isEmpty)
    let factors = InterchangeFixture.factors(imported.layers)
    let expected = try InterchangeFixture.expected(example.name)
    #expect(factors == expected)
  }

  /// Ranks and alphas by pattern, and rsLoRA, against what peft computes with them.
  @Test func patternsAreWhatPEFTMakesOfThem() throws {
    struct Reference: Decodable {
      let prompt: [Int32]
      let logits: [[Float]]
    }
    let model = try InterchangeFixture.model("llama")
    let imported = try ImportedAdapter(
      path: InterchangeFixture.path("peft/llama-patterns"), for: ExchangeBase(model))
    #expect(imported.rank == 6)
    #expect(
      imported.remarks == [
        "5 projections had another scale, which is now a part of B",
        "6 projections had a lower rank than 6, and zeros were added",
        "1 projection of other layers had no change, and zeros were added",
      ])
    let reference = try JSONDecoder().decode(
      Reference.self,
      from: Data(
        contentsOf: URL(fileURLWithPath: InterchangeFixture.path("peft/llama-patterns.json"))))
    let folder = try TemporaryDirectory()
    let package = try imported.write(name: "patterns", to: folder.path("patterns"))
    let adapter = AppliedAdapter(try Adapter(package: package, for: model.contract()))
    let adapted = try InterchangeFixture.logits(model, [adapter], reference.prompt)
    // Scales that are no powers of two are rounded into B: half precision has 11 bits.
    #expect(InterchangeFixture.worst(adapted, reference.logits) < 0.02)
    let base = try InterchangeFixture.logits(model, [], reference.prompt)
    #expect(InterchangeFixture.worst(base, reference.logits) > 0.3)
  }

  @Test func theToolkitsCheckpointIsWhatTheToolkitExports() throws {
    let folder = try TemporaryDirectory()
    let model = try InterchangeFixture.afm(folder)
    let imported = try ImportedAdapter(
      path: InterchangeFixture.path("toolkit/adapter-final.pt"), for: ExchangeBase(model))
    let exported = try Adapter(package: InterchangeFixture.afmPackage, for: model.contract())
    #expect(imported.rank == 8)
    #expect(imported.alpha == 16)
    #expect(
      InterchangeFixture.factors(imported.layers) == InterchangeFixture.factors(exported.layers))
  }

  @Test func thePackageSaysWhatItIs() throws {
    let folder = try TemporaryDirectory()
    let imported = try ImportedAdapter(
      path: InterchangeFixture.path("peft/qwen2"), for: InterchangeFixture.base("qwen2"))
    let path = try imported.write(
      name: "helper", author: "somebody", description: "helps", license: "MIT",
      version: AdapterVersion("1.2.3"), to: folder.path("helper"))
    let adapter = try Adapter(package: path, for: InterchangeFixture.model("qwen2").contract())
    #expect(adapter.identifier.name == "helper")
    #expect(adapter.metadata.author == "somebody")
    #expect(adapter.metadata.description == "helps")
    #expect(adapter.metadata.license == "MIT")
    #expect(adapter.metadata.version == AdapterVersion("1.2.3"))
    #expect(adapter.metadata.settings.architecture == "qwen2")
    #expect(adapter.alpha == 6)
    let again = failure { try imported.write(name: "helper", to: folder.path("helper")) }
    #expect(again == .package(.exists(path: path)))
    try imported.write(name: "helper", to: path, replacing: true)
  }

  /// What PEFT saved before it had safetensors.
  @Test func adaptersOfPEFTMayBePickled() throws {
    func factor(_ name: String, _ key: Int, _ sizes: String, _ strides: String) -> String {
      "X\(Unicode.Scalar(UInt8(name.utf8.count)))\0\0\0\(name)ctorch._utils\n_rebuild_tensor_v2\n("
        + "(X\u{7}\0\0\0storagectorch\nFloatStorage\nX\u{1}\0\0\0\(key)X\u{6}\0\0\0cuda:0K\u{60}tQK\0"
        + "(\(sizes)t(\(strides)t\u{89}ccollections\nOrderedDict\n)RtR"
    }
    let stem = "base_model.model.model.layers.0.self_attn.o_proj.lora_"
    let pickle =
      "\u{80}\u{2}}(" + factor(stem + "A.weight", 0, "K\u{2}K\u{30}", "K\u{30}K\u{1}")
      + factor(stem + "B.weight", 1, "K\u{30}K\u{2}", "K\u{2}K\u{1}") + "u."
    let values = littleEndian((0..<96).map { Float($0) / 64 })
    let entries = [
      ("m/data.pkl", pickle.unicodeScalars.map { UInt8($0.value) }), ("m/data/0", values),
      ("m/data/1", values),
    ]
    let folder = try TemporaryDirectory()
    let settings = #"{"peft_type": "LORA", "r": 2, "lora_alpha": 4}"#
    try folder.write(settings, to: "lora/adapter_config.json")
    let path = try folder.write(Archive(entries: entries).bytes, to: "lora/adapter_model.bin")
    let base = try InterchangeFixture.base("llama")
    let imported = try ImportedAdapter(path: folder.path("lora"), for: base)
    #expect(imported.form == .peft && imported.rank == 2 && imported.alpha == 4)
    let expected = littleEndianHalves((0..<96).map { Float($0) / 64 })
    #expect(imported.layers[0][.output]?.b.array == expected)
    #expect(imported.layers[0][.output]?.a.array == expected)

    try folder.write([0x80, 2, 0x63], to: "lora/adapter_model.bin")
    let error = failure { _ = try ImportedAdapter(path: folder.path("lora"), for: base) }
    #expect(error?.description.hasPrefix(path) == true)
    #expect(
      error?.description.hasSuffix("; copy it again, or save the adapter as safetensors") == true)
  }

  @Test func theFormIsToldByWhatIsThere() throws {
    for example in InterchangeFixture.cases {
      #expect(try ForeignForm(of: example.path) == example.form)
    }
    #expect(
      try ForeignForm(of: InterchangeFixture.path("toolkit/adapter-final.pt")) == .toolkit)
    let folder = try TemporaryDirectory()
    let text = try folder.write("text", to: "a.txt")
    #expect(
      failure { _ = try ForeignForm(of: text) }?.description == """
        \(text): not an adapter in a form that is known, but a file of another kind; give a folder of PEFT \
        (adapter_config.json and adapter_model.safetensors) or of mlx-lm (adapter_config.json and \
        adapters.safetensors), a LoRA in GGUF, or an adapter-final.pt of Apple's toolkit
        """)
    try folder.write("{}", to: "bare/adapter_config.json")
    let bare = folder.path("bare")
    #expect(
      failure { _ = try ForeignForm(of: bare) }?.description
        == "\(bare): there is no adapter_model.safetensors or adapters.safetensors; copy it from where the adapter comes from"
    )
    try folder.write("", to: "weights/adapter_model.safetensors")
    let weights = folder.path("weights")
    #expect(
      failure { _ = try ForeignForm(of: weights) }?.description
        == "\(weights): there is no adapter_config.json; copy it from where the adapter comes from")
    try folder.write("", to: "pickled/adapter_model.bin")
    try folder.write("{}", to: "pickled/adapter_config.json")
    #expect(try ForeignForm(of: folder.path("pickled")) == .peft)
    #expect(
      failure { _ = try ForeignForm(of: InterchangeFixture.afmPackage) }?.description
        == "\(InterchangeFixture.afmPackage): this is a package already; install it as it is"
    )
  }
}
