import AdapterStore
import Adapters
import Foundation
import LanguageModels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import fmadapter

/// What adapters carry for guessing: made, checked, shown, compiled and used.
@Suite(.waits) struct DraftCommandTests {
  private let sample: SampleBase
  private let data: String
  private let built: String

  init() throws {
    sample = try SampleBase()
    data = try sample.folder.write(
      """
      {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "one two three"}]}
      {"messages": [{"role": "user", "content": "b"}, {"role": "assistant", "content": "four five"}]}
      {"messages": [{"role": "user", "content": "c"}, {"role": "assistant", "content": "one two three"}]}

      """, to: "data.jsonl")
    built = sample.folder.path("built.fmadapter")
  }

  private func build() throws {
    try tool(
      "draft", "build", sample.package, "--base", sample.base, "--data", data, "-o", built
    ).expectSuccess()
  }

  private func tool(_ arguments: String...) throws -> ProcessResult {
    try Tool.run(arguments, store: sample.folder)
  }

  @Test func aSuffixStoreIsBuiltCheckedAndShown() throws {
    let made = try tool(
      "draft", "build", sample.package, "--base", sample.base, "--data", data, "-o", built,
      "--json"
    ).expectSuccess().object()
    #expect(made["path"] as? String == built && made["texts"] as? Int == 2)
    let suffixes = try SuffixTexts(
      bytes: .init(FileSystem.read(built + "/draft_suffixes.bin", limit: 1 << 20)))
    // The marks before an answer are kept with it, so that both begin alike.
    #expect(suffixes.texts.map(\.count).sorted() == [1, 2])
    #expect(suffixes.tokenCount == made["tokens"] as? Int)
    try tool("check", built, "--base", sample.base).expectSuccess()
    let info =
      try tool("info", built, "--json").expectSuccess().object()["suffixes"] as? [String: Any]
    #expect(info?["textCount"] as? Int == 2 && info?["longest"] as? Int == suffixes.longest)
    let text = try tool("info", built).text
    #expect(text.contains("  2 texts, \(suffixes.tokenCount) tokens, the longest "))
    let before = try FileSystem.read(built + "/draft_suffixes.bin", limit: 1 << 20)
    // Nothing is replaced unasked; the same bytes once more, in place, where it was asked.
    try tool("draft", "build", built, "--base", sample.base, "--data", data)
      .expectStatus(
        2,
        error:
          "\(built)/draft_suffixes.bin: exists already; --force replaces it, -o writes another "
          + "package")
    let forced = try tool("draft", "build", built, "--base", sample.base, "--data", data, "--force")
    #expect(forced.text == built + "\n", "\(forced.errorText)")
    #expect(try FileSystem.read(built + "/draft_suffixes.bin", limit: 1 << 20) == before)
  }

  @Test func theMostFrequentAnswersStayWithinTheLimit() throws {
    let made = try tool(
      "draft", "build", sample.package, "--base", sample.base, "--data", data, "-o", built,
      "--limit", "22", "--json"
    ).expectSuccess().object()
    #expect(made["texts"] as? Int == 1)
    try tool(
      "draft", "build", sample.package, "--base", sample.base, "--data", data, "-o",
      built + "2", "--limit", "1"
    ).expectStatus(
      4,
      error: "the suffix store cannot be made: there are 0 tokens, not between 1 and 1,048,576; "
        + "give data with answers, or another --limit")
  }

  @Test func whatIsMissingIsSaid() throws {
    let data = try tool("draft", "build", sample.package)
    #expect(
      data.status == 2
        && data.errorText.hasPrefix("fmadapter: error: --data is needed: --data <file>\n"))
    let output = try tool("draft", "build", "echo", "--data", self.data).expectStatus(2)
    #expect(
      output.errorText.hasPrefix(
        "fmadapter: error: an installed adapter is never changed; give a package to write: -o <folder>\n"
      ))
    try build()
    try tool(
      "draft", "build", sample.package, "--base", sample.base, "--data", self.data, "-o", built
    ).expectStatus(2)
  }

  @Test func aTextIsTheSameWithAndWithoutAStore() throws {
    try build()
    func answer(_ options: String...) throws -> [String: Any] {
      try Tool.run(
        ["run", built, "--base", sample.base, "a", "--json", "--seed", "3", "--max-tokens", "40"]
          + options, store: sample.folder
      ).expectSuccess().object()
    }
    let (with, without) = (try answer(), try answer("--draft", "off"))
    #expect(with["text"] as? String == without["text"] as? String)
    #expect(without["proposedTokens"] as? Int == 0)
  }

  @Test func aDraftIsCompiledOnceAndAnewWhereItHasTo() throws {
    try build()
    try tool("base", "install", sample.base).expectSuccess()
    try tool("install", built).expectSuccess()
    let first = try tool("compile", "echo", "--json").expectSuccess().object()
    #expect(first["outcome"] as? String == "compiled")
    #expect((first["passRatios"] as? [Double])?.count == 16)
    #expect((first["proposals"] as? [Any])?.count == 5)
    let path = try #require(first["path"] as? String)
    #expect(FilePath.name(of: path) == first["key"] as? String)

    let again = try tool("compile", "echo")
    #expect(again.status == 0 && again.errorText == "compiled already, in \(path)\n")
    #expect(try tool("list").text.hasSuffix("ready, compiled\n"))
    #expect(try tool("list", "--json").text.contains("\"compiled\" : true"))
    let info = try tool("info", "echo").text
    #expect(info.contains("\nCompiled for this machine\n  processor   "), "\(info)")
    try tool("verify").expectSuccess()
    #expect(try tool("df").text.contains("compiled"))

    // Another processor's kernels cost something else.
    let plain = try Tool.launch(
      ["compile", "echo", "--json"], store: sample.folder,
      environment: ["FMADAPTER_CPU": "plain"]
    ).expectSuccess().object()
    if first["processor"] as? String != "plain" {
      #expect(plain["outcome"] as? String == "compiled")
      #expect(plain["key"] as? String != first["key"] as? String)
    }
    // A figure that changed is noticed.
    let record = path + "/draft.json"
    let text = try String(contentsOfFile: record, encoding: .utf8)
    try text.replacing("\"secondsPerToken\" : ", with: "\"secondsPerToken\" : 1")
      .write(toFile: record, atomically: false, encoding: .utf8)
    let damaged = try tool("verify").expectStatus(5)
    #expect(damaged.text.contains("draft.json: it cannot be read: it is not what was written\n"))
    // Of a machine without certificates it says more.
    #expect([5, 8].contains(try tool("doctor").status))
    #expect(try tool("list").text.hasSuffix("ready\n"))
    let rebuilt = try tool("compile", "echo")
    #expect(rebuilt.errorText.hasSuffix("what was there was damaged; compiled anew, in \(path)\n"))
    try tool("verify").expectSuccess()
    try Data("{".utf8).write(to: URL(fileURLWithPath: record))
    try tool("verify", "--repair").expectSuccess()
    #expect(try FileSystem.info(path) == nil)
    // Without its adapter it is of no more use.
    try tool("compile", "echo").expectSuccess()
    try tool("remove", "echo").expectSuccess()
    try tool("prune", "--yes").expectSuccess()
    #expect(try FileSystem.info(path) == nil)
  }

  @Test func twoProcessesCompileOnce() async throws {
    try build()
    let (built, base, folder) = (built, sample.base, sample.folder)
    let results = try await withThrowingTaskGroup(of: ProcessResult.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try Tool.run(["compile", built, "--base", base, "--json"], store: folder)
        }
      }
      return try await group.reduce(into: [ProcessResult]()) { $0.append($1) }
    }
    let outcomes = try results.map { try $0.expectSuccess().object()["outcome"] as? String }
    #expect(outcomes.filter { $0 == "compiled" }.count == 1, "\(outcomes)")
    #expect(outcomes.filter { $0 == "kept" }.count == 2, "\(outcomes)")
  }

  @Test func whatCarriesNothingHasNothingToCompile() throws {
    let result = try tool("compile", sample.package, "--base", sample.base)
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(
      result.errorText
        == "\(sample.package) carries neither a draft model nor a suffix store: there is nothing to compile; "
        + "'fmadapter draft build' makes a suffix store\n")
  }

  @Test func aDraftOfApplesIsForApplesSystems() throws {
    try FileManager.default.copyItem(atPath: sample.package, toPath: built)
    try sample.folder.write("program(1.0)", to: "built.fmadapter/draft.mil")
    try sample.folder.write(
      [0, 0, 0, 0, 2, 0, 0, 0] + [UInt8](repeating: 0, count: 56),
      to: "built.fmadapter/draft_weights.bin")
    try tool("compile", built, "--base", sample.base).expectStatus(
      6,
      error:
        "\(built): its draft is for Apple's runtime, which compiles it on OS 26 by itself and runs "
        + "nowhere else; make one for here with 'fmadapter draft build', or give a small GGUF model with "
        + "'fmadapter run --draft'")
  }

  @Test func aDraftModelIsCompiledToo() throws {
    try FileManager.default.copyItem(atPath: sample.package, toPath: built)
    try FileManager.default.copyItem(atPath: sample.base, toPath: built + "/draft.gguf")
    let result = try tool("compile", built, "--base", sample.base, "--json").expectSuccess()
      .object()
    #expect((result["draftRatio"] as? Double ?? 0) > 0)
    let text = try tool("info", built).text
    #expect(text.contains("  gguf, llama, "))
  }

  /// A model that is not quantized is rounded once, held against its digest, and made anew where it was damaged.
  @Test func aDraftInFullPrecisionIsRounded() throws {
    try FileManager.default.copyItem(atPath: sample.package, toPath: built)
    try FileManager.default.copyItem(atPath: sample.base, toPath: built + "/draft.gguf")
    try tool("base", "install", sample.base).expectSuccess()
    try tool("install", built).expectSuccess()
    func answer(_ draft: String) throws -> String? {
      let words = ["run", "echo", "a", "--json", "--seed", "3", "--max-tokens", "30", "--draft"]
      return try Tool.run(words + [draft], store: sample.folder).object()["text"] as? String
    }
    let plain = try answer("off")
    let path = try #require(
      try tool("compile", "echo", "--json").expectSuccess().object()["path"] as? String)
    let model = path + "/draft.gguf"
    let types = try GGUFFile(path: model).tensors.map(\.type)
    #expect(types.contains(.q8_0))
    #expect(try tool("compile", "echo").errorText == "compiled already, in \(path)\n")
    #expect(try answer("auto") == plain)
    try tool("verify").expectSuccess()

    var bytes = try FileSystem.read(model, limit: 1 << 24)
    bytes[bytes.count - 9] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: model))
    let damaged = try tool("verify")
    #expect(
      damaged.status == 5
        && damaged.text.contains("draft.gguf: it cannot be read: it is not what was written"))
    let rebuilt = try tool("compile", "echo")
    #expect(rebuilt.errorText.hasSuffix("what was there was damaged; compiled anew, in \(path)\n"))
    try tool("verify").expectSuccess()
    // What cannot be read at all is not used.
    try Data(bytes.prefix(100)).write(to: URL(fileURLWithPath: model))
    #expect(try answer("auto") == plain)
    try tool("verify", "--repair").expectSuccess()
    #expect(try FileSystem.info(path) == nil)
  }

  @Test func aDraftThatLacksTensorsIsRefused() throws {
    try FileManager.default.copyItem(atPath: sample.package, toPath: built)
    var bytes = try FileSystem.read(sample.base, limit: 1 << 20)
    // The number of layers stands behind its key and the key's type.
    let key = try #require(bytes.firstRange(of: Array("llama.block_count".utf8)))
    bytes[key.upperBound + 4] = 2
    try sample.folder.write(bytes, to: "built.fmadapter/draft.gguf")
    for words in [["check", built], ["install", built], ["publish", built + "-site", built]] {
      let result = try Tool.run(words + ["--json"], store: sample.folder)
      #expect(result.status == 4, "\(words)")
      #expect((result.text + result.errorText).contains("draft.layers"), "\(words)")
    }
    let compiled = try tool("compile", built, "--base", sample.base).expectStatus(6)
    #expect(compiled.errorText.contains("its draft cannot be compiled: \(built)/draft.gguf: "))
    // Without guesses it runs.
    try tool(
      "run", built, "--base", sample.base, "a", "--max-tokens", "2", "--draft", "off"
    ).expectSuccess()
  }

  @Test func anApplicationCompilesAsOftenAsItMay() async throws {
    try build()
    let other = sample.folder.path("other.fmadapter")
    try FileManager.default.copyItem(atPath: sample.package, toPath: other)
    try FileManager.default.copyItem(atPath: sample.base, toPath: other + "/draft.gguf")
    let store = AdapterStore(root: sample.folder.path("store"), tool: "tests")
    let model = try BaseModel(path: sample.base)
    let policy = CompilationPolicy(limit: 1, application: "app")
    #expect(
      try await store.compile(package: built, for: model, policy: policy)?.outcome == .compiled)
    #expect(try await store.compile(package: built, for: model, policy: policy)?.outcome == .kept)
    let error = await #expect(throws: StoreError.self) {
      try await store.compile(package: other, for: model, policy: policy)
    }
    #expect(error?.code == .compilationLimit && error?.subject == "app")
    let until = try Date(String(#require(error?.remedy).suffix(20)), strategy: .iso8601)
    #expect((86_000...86_401).contains(until.timeIntervalSinceNow))
    // Others are not held up.
    var free = policy
    free.application = "other"
    #expect(try await store.compile(package: other, for: model, policy: free)?.outcome == .compiled)
    #expect(store.compiledCosts(package: other, for: model) != nil)
  }

  @Test func aCancelledCompilationLeavesNothing() async throws {
    try build()
    let store = AdapterStore(root: sample.folder.path("store"), tool: "tests")
    let model = try BaseModel(path: sample.base)
    let job = Task { [built] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.compile(package: built, for: model)
    }
    await #expect(throws: StoreError.cancelled) { try await job.value }
    #expect(store.compiledCosts(package: built, for: model) == nil)
  }
}
