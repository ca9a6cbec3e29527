import Foundation
import TestSupport
import Testing

// The documentation shows these functions.
// docs:begin
import Adapters
import Interchange
import LanguageModels

func bring(_ folder: String, base: String, to package: String) throws -> String {
  let model = try BaseModel(path: base)
  let imported = try ImportedAdapter(path: folder, for: ExchangeBase(model))
  imported.remarks.forEach { print($0) }
  return try imported.write(name: "helper", to: package)
}

func take(_ package: String, base: String, to folder: String) throws {
  let model = try BaseModel(path: base)
  let adapter = try Adapter(package: package, for: model.contract())
  try ExportedAdapter(adapter, for: ExchangeBase(model), as: .peft).write(to: folder)
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let folder = try TemporaryDirectory()
    let base = Fixtures.path("LanguageModelsTests", "transformers/qwen3.gguf")
    let package = try bring(
      InterchangeFixture.path("peft/qwen3"), base: base, to: folder.path("helper"))
    try take(package, base: base, to: folder.path("out"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(names.sorted() == ["adapter_config.json", "adapter_model.safetensors"])
  }
}
