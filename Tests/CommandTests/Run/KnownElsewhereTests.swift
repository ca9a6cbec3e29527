import TestSupport
import Testing

@testable import fmadapter

/// What people of other programs type first.
@Suite(.waits) struct KnownElsewhereTests {
  @Test(arguments: [
    (["-m", "x.gguf"], "'-m'; did you mean '--base'?"),
    (["-hf", "x/y", "hi you"], "'-hf'; install it first"),
    (["-ngl", "99", "hi you"], "'-ngl'; everything runs on the processor"),
    (["-p", "hi you"], "'-p'; the prompt is a word by itself"),
    (["--temp", "0.7", "hi you"], "'--temp'; did you mean '--temperature'?"),
    (["--system", "Be brief", "hi you"], "'--system'; did you mean '--instructions'?"),
  ])
  func optionsOfOtherProgramsLeadOn(_ words: [String], _ message: String) throws {
    try Tool.run(["run"] + words).expectStatus(2, saying: "there is no option \(message)")
  }

  /// Other programs are started with the name of a model.
  @Test func basesAreNoAdapters() throws {
    let sample = try SampleBase().install()
    let folder = try TemporaryDirectory()
    try folder.write("{}", to: "config.json")
    let isBase = "is a base, not an adapter; give it with --base"
    for (words, status, message) in [
      (["run", "sample", "hi"], Int32(3), "sample \(isBase)"),
      (["info", "sample"], 3, "sample \(isBase)"),
      (["run", sample.base, "hi"], 4, "sample.gguf \(isBase)"),
      (["run", folder.path, "hi"], 4, "is a model's folder, not an adapter; 'fmadapter base "),
      (["run", sample.folder.path, "hi"], 3, ": there is no metadata.json in it, so"),
      (["run", "hf:a/b", "hi"], 3, "fetch it with 'fmadapter install', or a base with "),
      (["base", "install", "a/b"], 3, "; for a model of the Hugging Face Hub write hf:a/b"),
      (["base", "install", "ab"], 3, "; 'fmadapter base list --suggest' names models"),
    ] {
      let result = try Tool.run(words, store: sample.folder)
      #expect(result.status == status, "\(words)")
      #expect(result.errorText.contains(message), "\(result.errorText)")
    }
  }
}
