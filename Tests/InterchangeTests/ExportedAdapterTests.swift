import Adapters
import Foundation
import Interchange
import Kernels
import LanguageModels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@Suite struct ExportedAdapterTests {
  /// The package of what peft wrote, for the base that it is for.
  private struct Sample {
    let folder = Result { try TemporaryDirectory() }
    let base: ExchangeBase
    let adapter: Adapter

    init(_ name: String, base architecture: String? = nil) throws {
      let model = try InterchangeFixture.model(architecture ?? name)
      base = try ExchangeBase(model)
      let imported = try ImportedAdapter(path: InterchangeFixture.path("peft/\(name)"), for: base)
      let path = try imported.write(name: "sample", to: folder.get().path("sample"))
      adapter = try Adapter(package: path, for: model.contract())
    }

    func export(_ form: ForeignForm, as name: String = "export") throws -> String {
      let path = try folder.get().path(name)
      try ExportedAdapter(adapter, for: base, as: form).write(to: path)
      return path
    }
  }

  /// The tensors by name: shape, and values in half precision.
  private struct Values: Equatable {
    let shape: [Int]
    let halves: [UInt8]

    init(shape: [Int], type: TensorType, bytes: TensorBytes) {
      self.shape = shape
      halves = quantize(.f16, values: dequantize(type, bytes: bytes))
    }
  }

  private static func safetensors(_ path: String) throws -> [String: Values] {
    try Dictionary(
      uniqueKeysWithValues: SafetensorsFile(path: path).tensors.map { tensor in
        (
          tensor.name,
          Values(
            shape: tensor.shape, type: try #require(tensor.type.tensorType), bytes: tensor.bytes)
        )
      })
  }

  private static func gguf(_ file: GGUFFile) -> [String: Values] {
    Dictionary(
      uniqueKeysWithValues: file.tensors.map {
        ($0.name, Values(shape: $0.dimensions, type: $0.type, bytes: $0.bytes))
      })
  }

  @Test(arguments: InterchangeFixture.names)
  func aPEFTFolderHasTheTensorsThatPEFTWrote(name: String) throws {
    let sample = try Sample(name)
    let path = try sample.export(.peft)
    let (ours, theirs) = (
      try Self.safetensors(path + "/adapter_model.safetensors"),
      try Self.safetensors(InterchangeFixture.path("peft/\(name)/adapter_model.safetensors"))
    )
    #expect(ours == theirs)
    let text = try String(contentsOfFile: path + "/adapter_config.json", encoding: .utf8)
    #expect(text.contains("\"lora_alpha\": 6,"))
    #expect(text.contains("\"r\": 4,"))
    #expect(text.contains("\"rank_pattern\": {}"))
  }

  @Test(arguments: InterchangeFixture.names)
  func aGGUFFileHasTheTensorsThatLlamaCppWrote(name: String) throws {
    let sample = try Sample(name)
    let ours = try GGUFFile(path: try sample.export(.gguf, as: "export.gguf"))
    let theirs = try GGUFFile(path: InterchangeFixture.path("gguf/\(name).gguf"))
    #expect(Self.gguf(ours) == Self.gguf(theirs))
    for key in ["general.architecture", "general.type", "adapter.type"] {
      #expect(try ours.metadata.string(key) == theirs.metadata.string(key))
    }
    #expect(try ours.metadata.float("adapter.lora.alpha") == 6)
    #expect(ours.tensors.allSatisfy { $0.type == .f32 })
    let folder = try sample.folder.get()
    let halves = folder.path("halves.gguf")
    try ExportedAdapter(sample.adapter, for: sample.base, as: .gguf)
      .write(to: halves, storesHalves: true)
    let file = try GGUFFile(path: halves)
    #expect(Self.gguf(file) == Self.gguf(theirs))
    #expect(file.tensors.allSatisfy { $0.type == .f16 })
  }

  @Test(arguments: ["llama", "qwen2", "qwen3"])
  func aFolderForMLXHasTheTensorsThatMLXWrote(name: String) throws {
    let sample = try Sample(name)
    let path = try sample.export(.mlx)
    #expect(
      try Self.safetensors(path + "/adapters.safetensors")
        == Self.safetensors(InterchangeFixture.path("mlx/\(name)/adapters.safetensors")))
    let text = try String(contentsOfFile: path + "/adapter_config.json", encoding: .utf8)
    #expect(text.contains("\"scale\": 1.5"))
    #expect(text.contains("\"num_layers\": 2"))
  }

  /// Every architecture that a form knows, with an A for each projection: fused matrices come apart again.
  @Test(
    arguments: [
      "llama", "mistral", "qwen2", "qwen3", "phi3", "smollm3", "gemma2", "gemma3", "granite",
      "qwen3moe", "lfm2", "qwen35", "gemma4", "gemma4-keys", "gemma4-experts",
    ], [ForeignForm.peft, .gguf, .mlx])
  func thereAndBackIsTheSameToTheBit(name: String, form: ForeignForm) throws {
    let folder = try TemporaryDirectory()
    let model = try InterchangeFixture.model(name)
    let adapter = try InterchangeFixture.package(for: model, in: folder)
    let path = folder.path("export")
    try ExportedAdapter(adapter, for: ExchangeBase(model), as: form).write(to: path)
    let back = try ImportedAdapter(path: path, for: ExchangeBase(model))
    #expect(back.rank == adapter.rank)
    #expect(abs(back.alpha - adapter.alpha) < 1e-6)
    #expect(
      InterchangeFixture.factors(back.layers) == InterchangeFixture.factors(adapter.layers))
  }

  /// Ranks and scales by pattern come out as they went in.
  @Test func patternsAreWrittenAgain() throws {
    let sample = try Sample("llama-patterns", base: "llama")
    let path = try sample.export(.peft)
    let back = try ImportedAdapter(path: path, for: sample.base)
    #expect(
      InterchangeFixture.factors(back.layers) == InterchangeFixture.factors(sample.adapter.layers))
    let ranks = try Self.safetensors(path + "/adapter_model.safetensors").filter {
      $0.key.contains("lora_A")
    }.map { $0.value.shape[0] }
    #expect(ranks.sorted() == [2, 2, 4, 4, 4, 4, 6])
  }

  @Test func checkpointsOfTheToolkitAreOnlyRead() throws {
    let sample = try Sample("llama")
    let error = #expect(throws: InterchangeError.onlyRead(.toolkit)) {
      try sample.export(.toolkit)
    }
    #expect(
      error?.description
        == "adapters of Apple's toolkit are only read; write another form, or a package")
  }

  @Test func basesOfAFMHaveNamesInGGUFAlone() throws {
    let folder = try TemporaryDirectory()
    let model = try InterchangeFixture.afm(folder)
    let base = try ExchangeBase(model)
    let adapter = try Adapter(package: InterchangeFixture.afmPackage, for: model.contract())
    try ExportedAdapter(adapter, for: base, as: .gguf).write(to: folder.path("a.gguf"))
    let back = try ImportedAdapter(path: folder.path("a.gguf"), for: base)
    #expect(
      InterchangeFixture.factors(back.layers) == InterchangeFixture.factors(adapter.layers))
    for form in [ForeignForm.peft, .mlx] {
      let error = failure { _ = try ExportedAdapter(adapter, for: base, as: form) }
      #expect(
        error?.description == "\(form.title) has no names for a base of afm; write it as gguf")
    }
    let path = InterchangeFixture.path("peft/qwen2")
    let error = failure { _ = try ImportedAdapter(path: path, for: base) }
    #expect(
      error?.description
        == "\(path): the adapter is one of PEFT, which has no names for a base of afm; "
        + "give the base that it was trained on")
  }

  @Test func nothingIsReplacedThatIsNoExport() throws {
    let sample = try Sample("qwen2")
    let folder = try sample.folder.get()
    for form in [ForeignForm.peft, .mlx, .gguf] {
      let path = try sample.export(form, as: "\(form)")
      let export = try ExportedAdapter(sample.adapter, for: sample.base, as: form)
      #expect(failure { try export.write(to: path) } == .exists(path: path))
      try export.write(to: path, replacing: true)
    }
    try folder.write("dear", to: "home/letters.txt")
    let home = folder.path("home")
    try FileSystem.createDirectory(folder.path("raw"))
    try folder.write("dear", to: [0xFF], in: "raw")
    // A file by a name that the folder of an export has is no such folder.
    let file = try folder.write("{}", to: "adapter_config.json")
    let kept: [(form: ForeignForm, path: String, name: String)] = [
      (.peft, home, "letters.txt"), (.mlx, home, "letters.txt"), (.gguf, home, "home"),
      (.peft, folder.path("raw"), "\\xFF"),
      (.peft, file, "adapter_config.json"), (.mlx, file, "adapter_config.json"),
    ]
    for (form, path, name) in kept {
      let export = try ExportedAdapter(sample.adapter, for: sample.base, as: form)
      let found = failure { try export.write(to: path, replacing: true) }
      #expect(found == .holdsOthers(path: path, name: name))
      #expect(
        found?.description
          == "\(path): there is “\(name)”, which no export writes; remove it, or give another path")
    }
    #expect(FileManager.default.fileExists(atPath: home + "/letters.txt"))
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left.filter { $0.hasPrefix(".") }.isEmpty)
  }
}
