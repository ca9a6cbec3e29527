import Adapters
import Foundation
import Interchange
import JSON
import LanguageModels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

/// Files of each form with one thing wrong, and what is said about it.
@Suite struct BadFileTests {
  /// A folder of PEFT with one pair, to be changed.
  private struct Folder {
    let directory: TemporaryDirectory
    var path: String { directory.path("lora") }
    var weights: String { directory.path("lora/adapter_model.safetensors") }
    var configuration: String { directory.path("lora/adapter_config.json") }

    static let stem = "base_model.model.model.layers.0.self_attn.q_proj.lora_"
    static let settings = "\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 4"

    init(
      _ settings: String = Folder.settings,
      a: (name: String, shape: [Int]) = (stem + "A.weight", [2, 48]),
      b: (name: String, shape: [Int]) = (stem + "B.weight", [48, 2]),
      value: Float = 0.25
    ) throws {
      directory = try TemporaryDirectory()
      try directory.write("{\(settings)}", to: "lora/adapter_config.json")
      var writer = SafetensorsWriter()
      for (name, shape) in [a, b] where !name.isEmpty {
        var values = [Float](repeating: 0.5, count: shape.reduce(1, *))
        if values.count > 7 { values[7] = value }
        writer.append(name, .float32, shape: shape, TensorBytes(littleEndian(values)))
      }
      try writer.write(to: weights)
    }

    func error() throws -> String {
      let base = try InterchangeFixture.base("llama")
      let error = try #require(failure { _ = try ImportedAdapter(path: path, for: base) })
      return error.description.replacing(path, with: "P")
    }
  }

  @Test func theFolderIsFineAsItIs() throws {
    let folder = try Folder()
    let imported = try ImportedAdapter(
      path: folder.path, for: InterchangeFixture.base("llama"))
    #expect(imported.rank == 2)
    #expect(imported.alpha == 4)
    #expect(
      imported.remarks == ["1 projection of other layers had no change, and zeros were added"])
    // What is left out comes back as left out: PEFT would make factors for every layer of a name.
    let model = try InterchangeFixture.model("llama")
    let package = try imported.write(name: "one", to: folder.directory.path("one"))
    let adapter = try Adapter(package: package, for: model.contract())
    let export = folder.directory.path("export")
    try ExportedAdapter(adapter, for: ExchangeBase(model), as: .peft).write(to: export)
    let text = try String(contentsOfFile: export + "/adapter_config.json", encoding: .utf8)
    #expect(text.contains("\"model.layers.0.self_attn.q_proj\"\n"))
    #expect(!text.contains("layers.1"))
    let mlx = folder.directory.path("mlx")
    try ExportedAdapter(adapter, for: ExchangeBase(model), as: .mlx).write(to: mlx)
    let file = try SafetensorsFile(path: mlx + "/adapters.safetensors")
    #expect(file.tensors.count == 2)
  }

  /// As a compiled or distributed model names its parts, and a state that was saved by hand.
  @Test(arguments: [
    "base_model.model._orig_mod.model.layers.0._orig_mod.self_attn.q_proj.lora_",
    "_fsdp_wrapped_module.base_model.model.model.layers.0._checkpoint_wrapped_module.self_attn.q_proj.lora_",
  ])
  func whatAModelWasWrappedInIsLeftOutOfNames(stem: String) throws {
    for weight in ["weight", "default.weight"] {
      let folder = try Folder(
        a: (stem + "A." + weight, [2, 48]), b: (stem + "B." + weight, [48, 2]))
      let imported = try ImportedAdapter(
        path: folder.path, for: InterchangeFixture.base("llama"))
      #expect(imported.layers[0][.query]?.rank == 2)
    }
  }

  struct Setting: Sendable, CustomTestStringConvertible {
    let settings: String
    let text: String
    var testDescription: String { settings }
  }

  private static let again = "; save the adapter again"
  private static let without = ", which a package cannot say; train or save the adapter without it"

  @Test(arguments: [
    Setting(
      settings: "", text: "the setting “peft_type” is missing" + again),
    Setting(
      settings: "\"peft_type\": \"IA3\"",
      text: "the setting “peft_type” asks for “IA3”, not LORA" + without),
    Setting(
      settings: "\"peft_type\": \"LORA\", \"lora_alpha\": 1",
      text: "the setting “r” is missing" + again),
    Setting(
      settings: "\"peft_type\": \"LORA\", \"r\": 0, \"lora_alpha\": 1",
      text: "the setting “r” is not a whole number above 0" + again),
    Setting(
      settings: "\"peft_type\": \"LORA\", \"r\": 2",
      text: "the setting “lora_alpha” is missing" + again),
    Setting(
      settings: "\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": \"4\"",
      text: "the setting “lora_alpha” is a string, not a number" + again),
    Setting(
      settings: "\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 0",
      text: "the setting “lora_alpha” is 0, so that the adapter changes nothing" + again),
    Setting(
      settings: "\"peft_type\": \"LORA\", \"r\": 2, \"lora_alpha\": 1e999",
      text: "the setting “lora_alpha” is not finite" + again),
    Setting(
      settings: Folder.settings + ", \"use_rslora\": 1",
      text: "the setting “use_rslora” is an integer, not a boolean" + again),
    Setting(
      settings: Folder.settings + ", \"rank_pattern\": [1]",
      text: "the setting “rank_pattern” is an array, not an object" + again),
    Setting(
      settings: Folder.settings + ", \"alpha_pattern\": {\"q_(?>proj)\": 1}",
      text:
        "“alpha_pattern.q_(?>proj)” is a regular expression that PEFT takes, with more than is read of such here; write the names of the modules instead, such as q_proj or layers.0.self_attn.q_proj"
    ),
    Setting(
      settings: Folder.settings + ", \"init_lora_weights\": \"olora\"",
      text: "the setting “init_lora_weights” asks for a start that changes the base as well"
        + without),
    Setting(
      settings: Folder.settings + ", \"use_new_thing\": true",
      text: "the setting “use_new_thing” asks for something that is not known here" + without),
    Setting(
      settings: Folder.settings + ", \"target_parameters\": [\"x\"]",
      text: "the setting “target_parameters” asks for single parameters" + without),
    Setting(
      settings: Folder.settings + ", \"layer_replication\": [[0, 2]]",
      text: "the setting “layer_replication” asks for repeated layers" + without),
  ])
  func aSettingIsNamed(_ example: Setting) throws {
    let folder = try Folder(example.settings)
    #expect(try folder.error() == "P/adapter_config.json: " + example.text)
  }

  @Test func patternsAreNotWithoutBound() throws {
    let patterns = (0...4096).map { "\"p\($0)\": 1" }.joined(separator: ", ")
    let folder = try Folder(Folder.settings + ", \"rank_pattern\": {\(patterns)}")
    #expect(
      try folder.error()
        == "P/adapter_config.json: the setting “rank_pattern” has more than 4,096 patterns; save the adapter again"
    )
  }

  @Test func settingsHaveToBeAnObject() throws {
    let folder = try Folder()
    try folder.directory.write("[1]", to: "lora/adapter_config.json")
    #expect(
      try folder.error()
        == "P/adapter_config.json: not a JSON object of settings: it is an array; save the adapter again"
    )
    try folder.directory.write("{\"r\": 8, \"r\": 16}", to: "lora/adapter_config.json")
    #expect(
      try folder.error()
        == "P/adapter_config.json: the setting “r” stands twice; save the adapter again")
    try folder.directory.write("{\n\"r\": }", to: "lora/adapter_config.json")
    #expect(
      try folder.error()
        == "P/adapter_config.json: not a JSON object of settings: line 2: found '}', expected a value; save the adapter again"
    )
  }

  private static let place =
    "; give the base that it was trained on, or an adapter of projections alone"

  @Test(arguments: [
    ("model.layers.2.self_attn.q_proj.lora_A.weight", "the base has 2 layers"),
    ("model.layers.0.self_attn.x_proj.lora_A.weight", "this base has no such projection"),
    ("model.layers.0.mlp.experts.0.up_proj.lora_A.weight", "experts cannot be changed"),
    ("model.layers.0.router.proj.lora_A.weight", "what chooses experts cannot be changed"),
    (
      "model.vision_tower.encoder.layers.9.q_proj.lora_A.weight",
      "what sees or hears is no part of a base"
    ),
    ("lm_head.lora_A.weight", "embeddings and the output head cannot be changed"),
    (
      "model.embed_tokens.lora_embedding_A", "embeddings and the output head cannot be changed"
    ),
    (
      "model.layers.0.self_attn.q_proj.lora_magnitude_vector",
      "it is a magnitude of DoRA, which a package cannot say"
    ),
    ("model.layers.0.self_attn.q_proj.bias", "it is a bias, and a package has none"),
    (
      "model.norm.weight",
      "it is a module that was saved whole, and a package has changes alone"
    ),
    ("something", "it is no factor of a LoRA"),
  ])
  func aTensorWithoutAPlaceIsAnError(name: String, reason: String) throws {
    let folder = try Folder(a: ("base_model.model." + name, [2, 48]))
    #expect(
      try folder.error()
        == "P/adapter_model.safetensors: tensor “base_model.model.\(name)” has no place: \(reason)"
        + Self.place)
  }

  @Test func shapesAndRanksHaveToFit() throws {
    let (a, b) = (Folder.stem + "A.weight", Folder.stem + "B.weight")
    let file = "P/adapter_model.safetensors: tensor “"
    let other = "; give the base that it was trained on"
    #expect(
      try Folder(a: (a, [2, 40])).error() == file
        + "\(a)” has the shape [2, 40] where this base asks for (rank, 48)" + other)
    #expect(
      try Folder(b: (b, [40, 2])).error() == file
        + "\(b)” has the shape [40, 2] where this base asks for (48, rank)" + other)
    #expect(
      try Folder(b: (b, [96])).error() == file
        + "\(b)” has the shape [96] where this base asks for two sizes above 0" + other)
    // What a process of ZeRO-3 has of weights that are elsewhere.
    #expect(
      try Folder(a: (a, [0]), b: (b, [0])).error() == file
        + "\(a)” has no values, as DeepSpeed's ZeRO-3 leaves it where each process keeps a part; gather the weights and save the adapter again, for one with stage3_gather_16bit_weights_on_model_save"
    )
    #expect(
      try Folder(b: (b, [48, 3])).error() == file
        + "\(a)” is of rank 2, but the other factor of rank 3; save the adapter again")
    #expect(
      try Folder(a: (a, [3, 48]), b: (b, [48, 3])).error() == file
        + "\(a)” is of rank 3, but the settings state 2; use the files of one adapter")
    #expect(
      try Folder(b: ("", [])).error() == file
        + "\(a)” is there without “B”; copy or save the adapter again")
    #expect(
      try Folder(a: ("", []), b: ("", [])).error()
        == "P: there are no factors in it; save the adapter again")
  }

  @Test(arguments: [Float.nan, .infinity, 65_520])
  func valuesHaveToBeFiniteInHalfPrecision(_ value: Float) throws {
    #expect(
      try Folder(value: value).error()
        == "P/adapter_model.safetensors: value 7 of tensor “\(Folder.stem)A.weight” is infinite, not a number, or beyond the 65,504 of half precision; train again with a lower rate"
    )
  }

  @Test func aCutFileIsNamedWithItsByte() throws {
    let folder = try Folder()
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.weights))
    try handle.truncate(atOffset: 300)
    #expect(try folder.error().contains("P/adapter_model.safetensors: byte "))
    try FileManager.default.removeItem(atPath: folder.configuration)
    #expect(
      try folder.error()
        == "P: there is no adapter_config.json; copy it from where the adapter comes from")
  }

  /// What peft itself saves with each feature that no package has.
  @Test(arguments: [
    ("dora", "use_dora", "DoRA"), ("bias", "bias", "biases"), ("lora-bias", "lora_bias", "biases"),
    ("saved", "modules_to_save", "modules that are saved whole"),
    ("pissa", "init_lora_weights", "a start that changes the base as well"),
  ])
  func whatPEFTSavesBesidesIsRefusedByName(name: String, key: String, feature: String) throws {
    let path = InterchangeFixture.path("refused/\(name)")
    let base = try InterchangeFixture.base("llama")
    let error = failure { _ = try ImportedAdapter(path: path, for: base) }
    #expect(
      error
        == .unsupported(path: path + "/adapter_config.json", key: key, feature: feature))
  }

  @Test(arguments: ["head", "embedding"])
  func embeddingsAreRefused(name: String) throws {
    let path = InterchangeFixture.path("refused/\(name)")
    let base = try InterchangeFixture.base("llama")
    guard
      case .unmatchedTensor(_, _, let reason)? = failure({
        _ = try ImportedAdapter(path: path, for: base)
      })
    else {
      Issue.record("not refused")
      return
    }
    #expect(
      [
        "embeddings and the output head cannot be changed",
        "it is a module that was saved whole, and a package has changes alone",
      ].contains(reason))
  }
}

/// GGUF files and folders of mlx-lm with one thing wrong.
@Suite struct OtherBadFileTests {
  private static func gguf(
    _ keys: [(String, GGUFValue)], tensor: String = "blk.0.attn_q.weight.lora_a"
  ) throws -> String {
    let folder = try TemporaryDirectory()
    let path = folder.path("a.gguf")
    var head = GGUFWriter()
    for (key, value) in keys { head.set(key, value) }
    head.append(.init(name: tensor, type: .f32, dimensions: [48, 2]))
    var stream = try GGUFStream(head, path: path)
    try stream.write(littleEndian([Float](repeating: 1, count: 96)))
    try stream.commit()
    let base = try InterchangeFixture.base("llama")
    let error = try #require(failure { _ = try ImportedAdapter(path: path, for: base) })
    return error.description.replacing(path, with: "P")
  }

  private static let keys: [(String, GGUFValue)] = [
    ("general.type", .text("adapter")), ("adapter.type", .text("lora")),
    ("general.architecture", .text("llama")), ("adapter.lora.alpha", .float32(4)),
  ]

  @Test func aGGUFFileHasToBeALoRAForSuchABase() throws {
    let model =
      "P: not an adapter in a form that is known, but a model in GGUF; give a folder of PEFT"
    #expect(try Self.gguf([("general.architecture", .text("llama"))]).hasPrefix(model))
    #expect(
      try Self.gguf(Self.keys.map { ($0, $0 == "general.type" ? .text("model") : $1) })
        .hasPrefix(model))
    #expect(
      try Self.gguf(Self.keys.map { ($0, $0 == "general.type" ? .text("mmproj") : $1) })
        == "P: the setting “general.type” is “mmproj”, but has to be “adapter”; save the adapter again"
    )
    #expect(
      try Self.gguf(Self.keys.map { ($0, $0 == "adapter.type" ? .text("vera") : $1) })
        == "P: the setting “adapter.type” is “vera”, but has to be “lora”; save the adapter again")
    #expect(
      try Self.gguf(Self.keys.map { ($0, $0 == "general.architecture" ? .text("qwen2") : $1) })
        == "P: the adapter is for a base of qwen2, but this base is of llama; give the base that it was trained on"
    )
    #expect(
      try Self.gguf(Self.keys.map { ($0, $0 == "adapter.lora.alpha" ? .float32(.nan) : $1) })
        == "P: the setting “adapter.lora.alpha” is not finite; save the adapter again")
    #expect(
      try Self.gguf(Self.keys + [("adapter.alora.invocation_tokens", .integers([1]))])
        == "P: the setting “adapter.alora.invocation_tokens” is no array of unsigned integers of 32 bits; save the adapter again"
    )
    #expect(
      try Self.gguf(Self.keys + [("adapter.alora.invocation_tokens", .uint32(1))])
        == "P: the setting “adapter.alora.invocation_tokens” is no array of unsigned integers of 32 bits; save the adapter again"
    )
    #expect(
      try Self.gguf(Self.keys + [("adapter.alora.invocation_tokens", .unsignedIntegers([160]))])
        == "P: the setting “adapter.alora.invocation_tokens” has the token 160, which is none of the base's 160; save the adapter again"
    )
  }

  @Test func aGGUFFilesTensorsAreFactors() throws {
    #expect(
      try Self.gguf(Self.keys)
        == "P: tensor “blk.0.attn_q.weight.lora_a” is there without “B”; copy or save the adapter again"
    )
    let place =
      "; give the base that it was trained on, or an adapter of projections alone"
    #expect(
      try Self.gguf(Self.keys, tensor: "blk.0.attn_norm.weight")
        == "P: tensor “blk.0.attn_norm.weight” has no place: it is no factor of a LoRA" + place)
    #expect(
      try Self.gguf(Self.keys, tensor: "blk.7.attn_q.weight.lora_b")
        == "P: tensor “blk.7.attn_q.weight.lora_b” has no place: the base has 2 layers" + place)
    #expect(
      try Self.gguf(Self.keys, tensor: "token_embd.weight.lora_a")
        == "P: tensor “token_embd.weight.lora_a” has no place: embeddings and the output head cannot be changed"
        + place)
  }

  private static func mlx(_ settings: String) throws -> String {
    let folder = try TemporaryDirectory()
    let path = try folder.copy(
      URL(fileURLWithPath: InterchangeFixture.path("mlx/llama")), to: "lora")
    try folder.write(settings, to: "lora/adapter_config.json")
    let base = try InterchangeFixture.base("llama")
    let error = try #require(failure { _ = try ImportedAdapter(path: path, for: base) })
    return error.description.replacing(path, with: "P")
  }

  @Test func aFolderOfMLXHasToSayItsScale() throws {
    let file = "P/adapter_config.json: the setting “"
    #expect(
      try Self.mlx("{\"fine_tune_type\": \"dora\"}") == file
        + "fine_tune_type” asks for DoRA, which a package cannot say; train or save the adapter without it"
    )
    #expect(
      try Self.mlx("{}") == file + "lora_parameters” is missing; save the adapter again")
    #expect(
      try Self.mlx("{\"lora_parameters\": {\"rank\": 4}}") == file
        + "lora_parameters.scale” is missing; save the adapter again")
    #expect(
      try Self.mlx("{\"lora_parameters\": {\"rank\": 3, \"scale\": 1}}")
        == "P/adapters.safetensors: tensor “model.layers.0.self_attn.q_proj.lora_a” is of rank 4, but the settings state 3; use the files of one adapter"
    )
  }
}
