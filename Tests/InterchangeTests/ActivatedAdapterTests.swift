import Adapters
import Foundation
import Interchange
import JSON
import LanguageModels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

/// Adapters that begin at their invocation (aLoRA): what peft computes with one, and how other forms state it.
@Suite struct ActivatedAdapterTests {
  private struct Reference: Decodable {
    let prompt: [Int32]
    let logits: [[Float]]
  }

  private static let invocation: [Int32] = [100, 7, 100]
  private static let key = "adapter.alora.invocation_tokens"

  private let folder: TemporaryDirectory
  private let model: BaseModel
  private let base: ExchangeBase

  init() throws {
    folder = try TemporaryDirectory()
    model = try InterchangeFixture.model("llama")
    base = try ExchangeBase(model)
  }

  /// The package of the fixture in a form.
  private func adapter(_ form: ForeignForm = .peft) throws -> Adapter {
    let path = InterchangeFixture.Case(form: form, name: "llama-activated").path
    let imported = try ImportedAdapter(path: path, for: base)
    #expect(imported.invocation == Self.invocation)
    let package = try imported.write(name: "activated", to: folder.path("\(form)"))
    return try Adapter(package: package, for: model.contract())
  }

  /// With the invocation once, twice, overlapping itself, at the start, and never.
  @Test func logitsAreThoseOfPEFT() throws {
    let references = try JSONDecoder().decode(
      [Reference].self,
      from: Data(
        contentsOf: URL(fileURLWithPath: InterchangeFixture.path("peft/llama-activated.json"))))
    #expect(references.count == 5)
    let adapter = AppliedAdapter(try adapter())
    for (index, reference) in references.enumerated() {
      let logits = try InterchangeFixture.logits(model, [adapter], reference.prompt)
      #expect(InterchangeFixture.worst(logits, reference.logits) < 2e-4, "\(index)")
      let plain = try InterchangeFixture.logits(model, [], reference.prompt)
      let isNever = index == 4
      #expect((InterchangeFixture.worst(plain, reference.logits) < 2e-4) == isNever, "\(index)")
    }
  }

  /// What llama.cpp's converter wrote is the same package.
  @Test func theFileOfLlamaCppIsTheSame() throws {
    let (one, other) = (try adapter(), try adapter(.gguf))
    #expect(one.contentHash == other.contentHash && one.scale == other.scale)
    #expect(other.metadata.settings.invocation == Self.invocation)
  }

  @Test(arguments: [ForeignForm.peft, .gguf]) func thereAndBackItBeginsAtTheSame(
    _ form: ForeignForm
  ) throws {
    let (adapter, path) = (try adapter(), folder.path("export"))
    try ExportedAdapter(adapter, for: base, as: form).write(to: path)
    let back = try ImportedAdapter(path: path, for: base)
    #expect(back.invocation == Self.invocation)
    #expect(
      InterchangeFixture.factors(back.layers) == InterchangeFixture.factors(adapter.layers))
  }

  @Test func itIsStatedAsOtherProgramsReadIt() throws {
    let (adapter, path) = (try adapter(), folder.path("export"))
    try ExportedAdapter(adapter, for: base, as: .peft).write(to: path + ".peft")
    let text = try String(contentsOfFile: path + ".peft/adapter_config.json", encoding: .utf8)
    let settings = try JSONDocument(parsing: Array(text.utf8)).root.object
    let theirs = InterchangeFixture.path("peft/llama-activated/adapter_config.json")
    let stated = try JSONDocument(parsing: FileSystem.read(theirs, limit: 1 << 20)).root.object
    let key = "alora_invocation_tokens"
    #expect(settings?[key] == stated?[key] && settings?[key]?.array?.count == 3)
    try ExportedAdapter(adapter, for: base, as: .gguf).write(to: path + ".gguf")
    let files = [path + ".gguf", InterchangeFixture.path("gguf/llama-activated.gguf")]
    let values = try files.map { try GGUFFile(path: $0).metadata.encoded(Self.key) }
    #expect(values.allSatisfy { $0?.type == .array })
    #expect(values[0]?.bytes.array == values[1]?.bytes.array)
  }

  @Test func whatCannotSayWhereItBeginsIsRefused() throws {
    let adapter = try adapter()
    let name = adapter.identifier.description
    func problem(_ body: () throws -> Void) -> String? {
      guard case .activated(name, let problem) = failure(body) else { return nil }
      return problem
    }
    #expect(
      problem { _ = try ExportedAdapter(adapter, for: base, as: .mlx) }
        == "which mlx-lm does not know")
    #expect(
      problem { _ = try MergedBase([(adapter, 1)], into: model) } == "and weights act on all tokens"
    )
    let plain = try InterchangeFixture.package(for: model, in: folder)
    for adapters in [[adapter, plain], [plain, adapter]] {
      let parts = adapters.map { (adapter: $0, weight: 1.0) }
      #expect(problem { _ = try AdapterMerger(parts) } == "and not all others begin there")
    }
    let both = try AdapterMerger([(adapter, 0.5), (adapter, 0.25)])
    let merged = try Adapter(
      package: both.write(name: "both", to: folder.path("both")), for: model.contract())
    #expect(merged.metadata.settings.invocation == Self.invocation)
  }

  @Test(arguments: [
    ("[]", "has 0 tokens, but has to have 1 to 256"),
    ("[1, 160]", "has the token 160, which is none of the base's 160"),
    ("[-1]", "has the token -1, which is none of the base's 160"),
    ("[1.5]", "has something else than whole numbers in it"), ("7", "is an integer, not an array"),
  ])
  func badTokensOfPEFTAreRefused(_ value: String, _ problem: String) throws {
    let source = InterchangeFixture.path("peft/llama-activated")
    let weights = try FileSystem.read(source + "/adapter_model.safetensors", limit: 1 << 24)
    try folder.write(weights, to: "bad/adapter_model.safetensors")
    let text = try String(contentsOfFile: source + "/adapter_config.json", encoding: .utf8)
    let bad = text.replacing(#/"alora_invocation_tokens": \[[^\]]*\]/#) { _ in
      "\"alora_invocation_tokens\": \(value)"
    }
    #expect(bad != text)
    let settings = try folder.write(bad, to: "bad/adapter_config.json")
    let error = failure { _ = try ImportedAdapter(path: folder.path("bad"), for: base) }
    #expect(
      error == .setting(path: settings, key: "alora_invocation_tokens", problem: problem))
  }
}
