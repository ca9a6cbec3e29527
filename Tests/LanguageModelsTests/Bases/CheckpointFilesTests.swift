import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels

/// What is given in the place of a checkpoint.
@Suite struct CheckpointFilesTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func failure(_ path: String) -> String {
    do {
      try BaseConverter(plan: .init(type: .f16)).convert(path, to: folder.path("out.gguf"))
    } catch {
      return "\(error)".replacing(folder.path, with: ".")
    }
    return "no error"
  }

  @Test func aGGUFFileIsABaseAlready() throws {
    let path = try folder.write("GGUF and more", to: "model.gguf")
    #expect(
      failure(path)
        == "./model.gguf: this is a GGUF file already; install it as it is")
  }

  @Test func anAdapterIsNoModel() throws {
    try folder.write("{}", to: "lora/adapter_config.json")
    #expect(
      failure(folder.path("lora"))
        == "./lora: this is an adapter, not a model; import it as a package")
    let whole = try folder.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/granite"), to: "whole")
    try folder.write("{}", to: "whole/adapter_config.json")
    #expect(failure(whole) == "no error")
  }

  /// `models--owner--name`, which has the files of each revision behind links.
  @Test func cachesOfTheHubHaveSnapshots() throws {
    let cache = folder.path("models--x--y")
    try folder.write("ref", to: "models--x--y/refs/main")
    try folder.write("{}", to: "models--x--y/snapshots/0a/README.md")
    let problem =
      "./models--x--y: this is a folder of the hub's cache, which keeps a model's files in snapshots/; "
    #expect(failure(cache) == problem + "download the model again: none is there")
    try folder.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/granite"), to: "models--x--y/snapshots/1b")
    #expect(failure(cache) == problem + "give ./models--x--y/snapshots/1b")
    #expect(failure(folder.path("models--x--y/snapshots/1b")) == "no error")
  }

  @Test func settingsNameAType() throws {
    try folder.write("{\"hidden_size\": 64}", to: "untyped/config.json")
    #expect(
      failure(folder.path("untyped"))
        == "./untyped/config.json: the settings name no “model_type”, as those of a Hugging Face model do, "
        + "and there is no base.safetensors of an AFM checkpoint; copy config.json from where the model "
        + "comes from")
  }

  @Test(arguments: [
    ("{\"a\": 1,\n\"b\": }", "line 2: found '}', expected a value"), ("[1]", "it is an array"),
    ("", "line 1: the text ends inside a value"),
  ])
  func settingsAreJSON(text: String, problem: String) throws {
    try folder.write(text, to: "broken/config.json")
    #expect(
      failure(folder.path("broken"))
        == "./broken/config.json: the file is not a JSON object of settings: \(problem); "
        + "save the checkpoint again")
  }

  /// What Python writes beside numbers is read, and is none.
  @Test(arguments: ["NaN", "Infinity", "-Infinity"])
  func numbersOfPythonAreRead(number: String) throws {
    let path = try folder.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/granite"), to: "granite")
    let settings = String(
      decoding: try FileSystem.read(path + "/config.json", limit: 1 << 20), as: UTF8.self)
    func set(_ key: String) throws {
      let start = try #require(settings.firstIndex(of: "{"))
      let rest = settings[settings.index(after: start)...]
      try folder.write(
        "{\"\(key)\": [\(number)], \"\(key)_too\": \(number),\(rest)", to: "granite/config.json")
    }
    try set("time_step_limit")
    #expect(failure(path) == "no error")
    try folder.write(
      settings.replacing(
        "\"residual_multiplier\": ", with: "\"residual_multiplier\": \(number), \"x\": "),
      to: "granite/config.json")
    #expect(
      failure(path)
        == "./granite/config.json: the setting “residual_multiplier” is not a number above 0; save the "
        + "checkpoint again")
  }

  @Test(arguments: [
    ("hugging-face/granite", "model.safetensors"), ("hugging-face/granite", "config.json"),
    ("hugging-face/granite", "tokenizer.json"), ("afm-tiny", "base.safetensors"),
  ])
  func pointersOfGitAreNamed(fixture: String, file: String) throws {
    let path = try folder.copy(Fixtures.url("LanguageModelsTests", fixture), to: "clone")
    try folder.write(
      "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n", to: "clone/\(file)")
    #expect(
      failure(path)
        == "./clone/\(file): this is a pointer of Git LFS: the file itself was never downloaded; fetch "
        + "it with 'git lfs pull'")
  }
}
