import Adapters
import Foundation
import Interchange
import LanguageModels
import SystemFiles
import TestSupport
import Testing

@Suite struct AdapterShelfTests {
  private let folder: TemporaryDirectory
  private let base: ExchangeBase
  private let adapter: Adapter

  init() throws {
    folder = try TemporaryDirectory()
    let model = try InterchangeFixture.model("llama")
    base = try ExchangeBase(model)
    let imported = try ImportedAdapter(path: InterchangeFixture.path("peft/llama"), for: base)
    let package = try imported.write(name: "sample", to: folder.path("sample"))
    adapter = try Adapter(package: package, for: model.contract())
  }

  private var path: String { folder.path("shelf") }

  private func export(_ model: String) throws -> ExportedAdapter {
    var export = try ExportedAdapter(adapter, for: base, as: .peft, isEven: true)
    export.baseModel = model
    return export
  }

  private func entries() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private func settings(_ name: String) throws -> [String: Any] {
    let file = URL(fileURLWithPath: "\(path)/\(name)/adapter_config.json")
    return try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
  }

  @Test func adaptersComeStayAreReplacedAndGo() throws {
    let shelf = try #require(try AdapterShelf(path: path))
    #expect(try shelf.put(export("a/b"), as: "one") == .added)
    #expect(try shelf.put(export("a/b"), as: "two") == .added)
    #expect(try settings("one")["base_model_name_or_path"] as? String == "a/b")
    let before = try FileSystem.info(path + "/one/adapter_model.safetensors")
    #expect(try shelf.put(export("a/b"), as: "one") == .unchanged)
    #expect(try FileSystem.info(path + "/one/adapter_model.safetensors") == before)
    #expect(try shelf.put(export("a/c"), as: "one") == .replaced)
    #expect(try settings("one")["base_model_name_or_path"] as? String == "a/c")
    #expect(try shelf.keep(only: ["one", "other"]) == ["two"])
    #expect(try entries() == ["one"])
  }

  /// Other people's folders stay, and nothing takes their place.
  @Test func whatWasNotPutThereStays() throws {
    let shelf = try #require(try AdapterShelf(path: path))
    try folder.write("x", to: "shelf/theirs/adapter_config.json")
    try folder.write("x", to: "shelf/note")
    for name in ["theirs", "note"] {
      #expect(throws: InterchangeError.holdsOthers(path: path, name: name)) {
        try shelf.put(try export("a/b"), as: name)
      }
    }
    #expect(try shelf.put(export("a/b"), as: "one") == .added)
    try folder.write("x", to: "shelf/one/more")
    #expect(throws: InterchangeError.holdsOthers(path: path + "/one", name: "more")) {
      try shelf.put(try export("a/c"), as: "one")
    }
    #expect(try shelf.keep(only: ["one"]).isEmpty)
    #expect(try entries() == ["note", "one", "theirs"])
  }

  @Test func oneProcessAtATimeChangesItAndCleansUp() throws {
    try folder.write("x", to: "shelf/.fmadapter.0123.partial/adapter_config.json")
    let shelf = try #require(try AdapterShelf(path: path))
    #expect(try entries().isEmpty)
    #expect(try AdapterShelf(path: path) == nil)
    withExtendedLifetime(shelf) {}
  }

  /// Programs that read one rank for all get one, and the factors that PEFT's own folders have where they are as high.
  @Test func everyProjectionHasOneRank() throws {
    let shelf = try #require(try AdapterShelf(path: path))
    _ = try shelf.put(export("a/b"), as: "one")
    let found = try settings("one")
    #expect(found["r"] as? Int == adapter.rank)
    #expect((found["rank_pattern"] as? [String: Any])?.isEmpty == true)
    let again = try ImportedAdapter(path: path + "/one", for: base)
      .write(name: "sample", to: folder.path("again"))
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: again + "/adapter_weights.bin"))
        == Data(
          contentsOf: URL(fileURLWithPath: folder.path("sample.fmadapter/adapter_weights.bin"))))
  }
}
