import TensorFiles
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
        == "./model.gguf: this is a GGUF file already; 'fmadapter base install' takes it as it is")
  }

  @Test func anAdapterIsNoModel() throws {
    try folder.write("{}", to: "lora/adapter_config.json")
    #expect(
      failure(folder.path("lora"))
        == "./lora: this is an adapter, not a model; 'fmadapter import' makes a package of it")
    let whole = try folder.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/granite"), to: "whole")
    try folder.write("{}", to: "whole/adapter_config.json")
    #expect(failure(whole) == "no error")
  }

  @Test(arguments: [
    ("hugging-face/granite", "model.safetensors"), ("afm-tiny", "base.safetensors"),
  ])
  func pointersOfGitAreNamed(fixture: String, file: String) throws {
    let path = try folder.copy(Fixtures.url("LanguageModelsTests", fixture), to: "clone")
    try folder.write(
      "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n", to: "clone/\(file)")
    #expect(
      failure(path)
        == "./clone/\(file): this is a pointer of Git LFS: the weights were never downloaded; fetch "
        + "them with 'git lfs pull'")
  }
}
