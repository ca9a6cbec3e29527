import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct BaseCommandTests {
  private static let checkpoint = Fixtures.path("LanguageModelsTests", "afm-tiny")
  private static let signature = "808de18c9c13f789b90640c7fa5f5dda1b81a1b9"

  @Test(
    .disabled(
      if: FileSystem.canRename(
        from: FileManager.default.temporaryDirectory.path, into: "/dev/shm"),
      "/dev/shm is no other disk here"))
  func aLinkThatHadToBeACopyIsToldOf() throws {
    let sample = try SampleBase()
    let elsewhere = "/dev/shm/fmadapter-test-\(UUID().uuidString).gguf"
    defer { try? FileSystem.removeTree(elsewhere) }
    try FileSystem.copyFile(sample.base, to: elsewhere)
    let words = ["base", "install", "--link", elsewhere]
    let copied = try Tool.run(words, store: sample.folder).expectSuccess()
    #expect(copied.errorText.contains("warning: \(elsewhere) was copied"), "\(copied.errorText)")
    #expect(try !Tool.run(words, store: sample.folder).errorText.contains("warning"))
    let other = try TemporaryDirectory()
    let linked = try Tool.run("base", "install", "--link", sample.base, store: other)
    #expect(linked.status == 0 && !linked.errorText.contains("warning"), "\(linked.errorText)")
  }

  /// Adapters do not run on a base that they were not made for.
  @Test func aLinkedFileThatWasWrittenOverIsRefused() throws {
    let sample = try SampleBase()
    for words in [["base", "install", "--link", sample.base], ["install", sample.package]] {
      try Tool.run(words, store: sample.folder).expectSuccess()
    }
    let uses = [
      ["run", "echo", "hi", "-n", "1"], ["run", "--no-adapter", "hi", "-n", "1"], ["base", "info"],
      ["logits", "--tokens", "1", "--json"],
    ]
    for words in uses { try Tool.run(words, store: sample.folder).expectSuccess() }
    let file = try #require(FileHandle(forUpdatingAtPath: sample.base))
    let end = try file.seekToEnd()
    try file.seek(toOffset: end - 1)
    let last = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: end - 1)
    try file.write(contentsOf: Data([last ^ 1]))
    try file.close()
    for words in uses {
      let result = try Tool.run(words, store: sample.folder)
      #expect(result.status == 5, "\(words)")
      #expect(
        result.errorText.contains("the file has changed since the base was installed"),
        "\(words): \(result.errorText)")
    }
  }

  @Test func whatIsConvertedIsCalledByItsSignature() throws {
    let folder = try TemporaryDirectory()
    let converted = try Tool.run("base", "convert", Self.checkpoint, "-o", folder.path("tiny.gguf"))
      .expectSuccess()
    #expect(converted.text == Self.signature + "\n")
  }

  /// One step from a downloaded folder to a base in use, that answers.
  @Test func aHuggingFaceFolderIsInstalled() throws {
    let store = try TemporaryDirectory()
    let folder = Fixtures.path("LanguageModelsTests", "hugging-face/granite")
    let installed = try Tool.run("base", "install", folder, "--type", "q8_0", store: store)
      .expectSuccess()
    #expect(installed.errorText.contains("installed granite (granite, "))
    let again = try Tool.run("base", "install", folder, "--type", "q8_0", store: store)
    #expect(again.errorText.contains("is installed already"), "\(again.errorText)")
    #expect(again.text == installed.text)
    let other = try Tool.run("base", "install", folder, "--type", "f16", store: store)
    #expect(other.status == 5 && other.errorText.contains("--replace"), "\(other.errorText)")
    let raw = ["run", "--raw", "--seed", "1", "--max-tokens", "3", "--base", "granite", "a b"]
    try Tool.run(raw, store: store).expectSuccess()
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.path("store/ingest")).isEmpty)
  }

  @Test(arguments: [true, false])
  func aBaseWithoutAnEndIsWarnedOf(hasEnd: Bool) throws {
    let store = try TemporaryDirectory()
    let folder = try store.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/qwen2-window"), to: "qwen")
    for name in [
      "config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json",
    ] {
      let path = folder + "/" + name
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try text.replacing("\"eos_token", with: hasEnd ? "\"eos_token" : "\"other")
        .replacing("<|im_end|>", with: "<|im_stop|>")
        .write(toFile: path, atomically: true, encoding: .utf8)
    }
    let output = store.path("qwen.gguf")
    let warning =
      "\(output) has no token that ends an answer, so answers go on to their limit; name one as "
      + "eos_token in tokenizer_config.json, and convert the model again"
    let converted = try Tool.run("base", "convert", folder, "-o", output).expectSuccess()
    #expect(converted.errorText.contains(warning) != hasEnd, "\(converted.errorText)")
    let installed = try Tool.run("base", "install", folder, store: store)
    #expect(installed.errorText.contains("has no token that ends") != hasEnd)
  }

  @Test func whatIsNoFolderOfAModelIsNotInstalled() throws {
    let store = try TemporaryDirectory()
    let empty = try TemporaryDirectory()
    let missing = try Tool.run("base", "install", empty.path(""), store: store)
    #expect(
      missing.status == 3 && missing.errorText.contains("config.json"), "\(missing.errorText)")
    for (arguments, message) in [
      (
        ["--type", "q8_0", "x.gguf"],
        "--type is for a folder; 'fmadapter base quantize' makes a file smaller"
      ),
      (["--link", empty.path("")], "--link, --sha256 and --require-digest are for files"),
    ] {
      let result = try Tool.run(["base", "install"] + arguments, store: store)
      #expect(result.status == 2 && result.errorText.contains(message), "\(result.errorText)")
    }
  }

  @Test func quantizingKeepsTheSignature() throws {
    let sample = try SampleBase()
    let output = sample.folder.path("small.gguf")
    let result = try Tool.run("base", "quantize", sample.base, "-o", output, "--type", "Q8_0")
    #expect(result.text == SampleBase.signature + "\n")
    #expect(result.errorText.hasPrefix("wrote \(output) ("))
    let info = try Tool.run("base", "info", output, "--json").object()
    #expect(info["signature"] as? String == SampleBase.signature)
  }

  @Test func anInstalledBaseIsQuantizedByItsName() throws {
    let sample = try SampleBase().install()
    func quantized(_ base: String) throws -> Data {
      let output = sample.folder.path("\(base.count).gguf")
      try Tool.run(
        "base", "quantize", base, "-o", output, "--type", "Q8_0", store: sample.folder
      ).expectSuccess()
      return try Data(contentsOf: URL(fileURLWithPath: output))
    }
    #expect(try quantized("sample") == quantized(sample.base))
    let unknown = try Tool.run(
      "base", "quantize", "nix", "-o", "x", "--type", "Q8_0", store: sample.folder
    ).expectStatus(3)
    #expect(unknown.errorText.hasPrefix("fmadapter: error: no base 'nix' is installed"))
  }

  @Test func infoShowsTheShapes() throws {
    let sample = try SampleBase()
    let text = try Tool.run("base", "info", sample.base).text
    for line in [
      "name         sample", "signature    \(SampleBase.signature)",
      "             claimed by the file", "kind         llama",
      "heads        4 of 4, 2 for keys and values", "context      256 tokens",
      "vocabulary   261 tokens", "tensors      11 F32",
    ] { #expect(text.contains(line + "\n"), "\(line)") }
  }

  @Test func aBaseIsReplacedOnlyWhenAskedAndAClaimIsShown() throws {
    let sample = try SampleBase().install()
    let other = sample.folder.path("small.gguf")
    try Tool.run("base", "quantize", sample.base, "-o", other, "--type", "F16").expectSuccess()
    let refused = try Tool.run("base", "install", other, store: sample.folder).expectStatus(5)
    #expect(
      refused.errorText.hasPrefix("fmadapter: error: 'sample' (F32, "), "\(refused.errorText)")
    for text in [
      " bytes), SHA-256 ", ") is installed as the base \(SampleBase.signature), and 'small' (F16, ",
      "is no more than its claim; to replace the one by the other, say --replace\n",
    ] { #expect(refused.errorText.contains(text), "\(refused.errorText)") }
    #expect(try Tool.run("base", "list", store: sample.folder).text.contains("\nsample  "))
    let replaced = try Tool.run("base", "install", other, "--replace", store: sample.folder)
      .expectSuccess()
    #expect(replaced.errorText.hasPrefix("replaced 'sample' (F32, "), "\(replaced.errorText)")
    #expect(replaced.errorText.contains(") by 'small' (F16, "))
    #expect(
      try Tool.run("base", "list", store: sample.folder).text.hasSuffix(
        "  in use, signature claimed\n"))
    let info = try Tool.run("base", "info", store: sample.folder)
    #expect(info.text.contains("claimed by the file; its contents"))
  }

  @Test func theBaseInUseIsAChoice() throws {
    let sample = try SampleBase()
    let other = try SampleBase(signature: String(repeating: "d", count: 40))
    try sample.install()
    try Tool.run("base", "install", other.base, store: sample.folder).expect(
      saying: "another base is in use; 'fmadapter base use ddddddd' changes that")
    try Tool.run("base", "use", "dddd", store: sample.folder).expectSuccess()
    #expect(try Tool.run("list", store: sample.folder).text.contains("other base"))
    #expect(try Tool.run("base", "list", store: sample.folder).text.contains("ddddddd    llama"))
    try Tool.run("base", "remove", "dddd", store: sample.folder).expectSuccess(
      saying: "\nsample (\(SampleBase.signature)) is in use now")
    #expect(try !Tool.run("doctor", store: sample.folder).text.contains("current."))
    #expect(try Tool.run("list", store: sample.folder).text.hasSuffix("ready\n"))
    try Tool.run("base", "remove", "cccc", store: sample.folder).expect(
      saying: "\nno base is installed now; 'fmadapter base install' installs one")
  }

  @Test(
    arguments: [
      (["base", "convert", "/nowhere", "-o", "x"], Int32(3)),
      (["base", "quantize", "/etc/passwd", "-o", "x", "--type", "q4_0"], 4),
      (["base", "install", "/etc/passwd"], 4),
      (["base", "info", "/nowhere.gguf"], 3),
      (["base", "quantize", "x", "-o", "y", "--type", "q9"], 2),
    ] as [([String], Int32)])
  func failuresHaveTheirCodes(_ words: [String], _ status: Int32) throws {
    let result = try Tool.run(words).expectStatus(status)
    #expect(result.output.isEmpty)
    #expect(result.errorText.hasPrefix("fmadapter: error: "))
  }

  @Test func anUnwritableOutputIsAStorageError() throws {
    let sample = try SampleBase()
    let result = try Tool.run(
      "base", "quantize", sample.base, "-o", "/proc/nowhere/x.gguf", "--type", "f16")
    #expect([3, 8].contains(result.status))
    #expect(result.errorText.contains("/proc/nowhere"))
  }

  @Test func infoAndListAgreeOnTheName() throws {
    let sample = try SampleBase().install()
    let list = try Tool.run("base", "list", store: sample.folder).text
    let info = try Tool.run("base", "info", store: sample.folder).text
    #expect(list.contains("\nsample  ccccccc"))
    #expect(info.hasPrefix("name         sample\n"))
    let other = sample.folder.path("other.gguf")
    try FileManager.default.copyItem(atPath: sample.base, toPath: other)
    #expect(
      try Tool.run("base", "info", other).text.hasPrefix(
        "name         other\nmodel        sample\n"))
  }

  @Test func quantizingReplacesNothingUnaskedAndSaysWhatIsQuantized() throws {
    let sample = try SampleBase()
    let (once, twice) = (sample.folder.path("once.gguf"), sample.folder.path("twice.gguf"))
    let line = ["base", "quantize", sample.base, "-o", once, "--type"]
    let first = try Tool.run(line + ["f16"]).expectSuccess()
    #expect(!first.errorText.contains("quantized already"))
    try Tool.run(line + ["q8_0"]).expectStatus(
      2,
      error: "\(once): exists already; give another path, or --force to replace it")
    try Tool.run(line + ["q8_0", "--force"]).expectSuccess()
    let loss = "\(once) is quantized already (Q8_0): what that lost stays lost"
    let second = ["base", "quantize", once, "-o", twice, "--type"]
    try Tool.run(second + ["q4_0"]).expectStatus(
      2,
      error: "\(loss), and this would lose more; quantize the original, or say --requantize")
    let told = try Tool.run(second + ["q4_0", "--requantize"]).expectSuccess()
    #expect(
      told.errorText.hasPrefix("fmadapter: warning: \(loss), and this loses more\n"))
    let back = try Tool.run(second + ["f32", "--force"]).expectSuccess()
    #expect(back.errorText.hasPrefix("fmadapter: warning: \(loss)\n"))
    let same = try Tool.run(second + ["q8_0", "--force"])
    #expect(same.status == 0 && !same.errorText.contains("warning"))
  }
}
