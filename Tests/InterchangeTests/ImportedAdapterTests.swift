import Adapters
import Foundation
import Interchange
import LanguageModels
import TensorFiles
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
    let adapter = AppliedAdapter(try Adapter(package: package, for: model.contract))
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
    let exported = try Adapter(package: InterchangeFixture.afmPackage, for: model.contract)
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
    let adapter = try Adapter(package: path, for: InterchangeFixture.model("qwen2").contract)
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
    let pickled = try folder.write("", to: "pickled/adapter_model.bin")
    #expect(
      failure { _ = try ForeignForm(of: folder.path("pickled")) }?.description
        == "\(pickled): pickled weights can run any program when they are read, so they are not; save the adapter as safetensors"
    )
    #expect(
      failure { _ = try ForeignForm(of: InterchangeFixture.afmPackage) }?.description
        == "\(InterchangeFixture.afmPackage): this is a package already; 'fmadapter install' takes it as it is"
    )
  }
}
