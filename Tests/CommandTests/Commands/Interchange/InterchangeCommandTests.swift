import Adapters
import Foundation
import TensorFiles
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct InterchangeCommandTests {
  private let sample: SampleBase

  init() throws {
    sample = try SampleBase(adapters: ["echo", "other"]).install()
  }

  private func run(_ words: String...) throws -> ProcessResult {
    try Tool.run(words, store: sample.folder)
  }

  private func weights(_ package: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: package + "/adapter_weights.bin"))
  }

  @Test(arguments: ["peft", "gguf", "mlx"])
  func thereAndBack(form: String) throws {
    let path = sample.folder.path("out" + (form == "gguf" ? ".gguf" : ""))
    let export = try run("export", "echo", "--to", form, "-o", path).expectSuccess()
    #expect(export.text == path + "\n")
    let back = try run("import", path, "-o", sample.folder.path("back"), "--json").expectSuccess()
    let report = try back.object()
    #expect(report["path"] as? String == sample.folder.path("back.fmadapter"))
    #expect(report["form"] as? String == form)
    #expect(report["identifier"] as? String == "fmadapter-back-ccccccc")
    #expect(report["rank"] as? Int == 2)
    #expect(report["alpha"] as? Double == 4)
    #expect(report["remarks"] as? [String] == [])
    #expect(try weights(sample.folder.path("back.fmadapter")) == weights(sample.package))
  }

  /// A package keeps none, so prompts are the base's.
  @Test func chatTemplatesOfTheBaseAreCompared() throws {
    let path = sample.folder.path("out")
    try run("export", "echo", "--to", "peft", "-o", path).expectSuccess()
    let base = try GGUFFile(path: sample.base)
    let template = try #require(try base.metadata.string("tokenizer.chat_template"))
    let back = sample.folder.path("back")
    for (text, isOther) in [
      (template, false), ("\n\(template)\n", false), ("{{ messages }}", true),
    ] {
      try sample.folder.write(text, to: "out/chat_template.jinja")
      let result = try run("import", path, "-o", back, "--force").expectSuccess()
      #expect(
        result.errorText.contains(
          "fmadapter: warning: \(path) has another chat template than the base, so that") == isOther
      )
    }
    try sample.folder.write("[", to: "out/tokenizer_config.json")
    try run("import", path, "-o", back, "--force").expectSuccess()
  }

  @Test func aPackageComesOutOfTheStoreAsItIs() throws {
    let path = sample.folder.path("copy.fmadapter")
    let result = try run("export", "echo", "--to", "fmadapter", "-o", path).expectSuccess()
    #expect(result.text == path + "\n")
    for name in ["metadata.json", "adapter_weights.bin"] {
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
          == Data(contentsOf: URL(fileURLWithPath: "\(sample.package)/\(name)")))
    }
    try run("export", "echo", "--to", "fmadapter", "-o", path).expectStatus(2)
    let again = try run("export", "echo", "--to", "fmadapter", "-o", path, "--force", "--json")
      .expectSuccess()
    #expect(again.text.contains("\"identifier\": \"fmadapter-echo-ccccccc\""))
  }

  @Test func whatAnExportNeedsIsSaid() throws {
    let out = sample.folder.path("out")
    #expect(
      try run("export", "echo", "-o", out).errorText.hasPrefix(
        "fmadapter: error: --to is needed: --to peft, --to gguf, --to mlx, --to fmadapter or --to vllm\n"
      ))
    #expect(
      try run("export", "echo", "--to", "gguf").errorText.hasPrefix(
        "fmadapter: error: --output is needed: -o <file>\n"))
    #expect(
      try run("export", "echo", "--to", "peft", "-o", out, "--type", "f16").errorText.hasPrefix(
        "fmadapter: error: --type is for gguf: the other forms have f16\n"))
    try run("export", "echo", "--to", "peft", "-o", out).expectSuccess()
    try run("export", "echo", "--to", "peft", "-o", out).expectStatus(
      2,
      error: "\(out): exists already; give another path, or --force to replace it")
    try run("export", "echo", "--to", "peft", "-o", out, "--force").expectSuccess()
    try run("install", out).expectStatus(
      4,
      error: "\(out) is an adapter of another program; 'fmadapter import' makes a package of it")
  }

  /// Wherever a package or a base is asked for.
  @Test(arguments: [
    ["install", "PEFT"], ["info", "PEFT"], ["check", "PEFT"], ["diff", "PEFT", "echo"],
    ["merge", "PEFT", "-o", "OUT"], ["run", "PEFT", "a b"], ["install", "LORA"], ["check", "LORA"],
    ["publish", "OUT", "PEFT"],
    ["run", "TOOLKIT", "a b"], ["check", "TOOLKIT"],
  ])
  func adaptersOfOtherProgramsAreCalledThat(words: [String]) throws {
    let places = [
      "PEFT": InterchangePlaces.peft, "LORA": InterchangePlaces.lora,
      "OUT": sample.folder.path("sum.fmadapter"),
      "TOOLKIT": try sample.folder.write("", to: "adapter-final.pt"),
    ]
    let result = try Tool.run(words.map { places[$0] ?? $0 }, store: sample.folder)
    let name = try #require(["LORA", "TOOLKIT", "PEFT"].first(where: words.contains))
    let place = try #require(places[name])
    result.expectStatus(4)
    #expect(
      result.errorText
        == "fmadapter: error: \(place) is an adapter of another program; 'fmadapter import' makes a package of it\n"
    )
  }

  @Test func foldersAreNoBases() throws {
    let folder = InterchangePlaces.peft
    for words in [
      ["run", "--no-adapter", "a b", "--base", folder], ["check", "echo", "-b", folder],
      ["base", "quantize", folder, "-o", sample.folder.path("q.gguf"), "--type", "q8_0"],
      ["base", "imatrix", folder, sample.base, "-o", sample.folder.path("i.imatrix.gguf")],
    ] {
      try Tool.run(words, store: sample.folder).expectStatus(
        4,
        error:
          "\(folder) is a folder, and a base is a file; 'fmadapter base install' makes one of a model's folder"
      )
    }
  }

  @Test func whatAnImportNeedsIsSaid() throws {
    try run("import", "nowhere").expectStatus(
      3,
      error: "nowhere: there is nothing; give the path of an adapter")
    let out = sample.folder.path("my-lora.v2")
    try run("export", "echo", "--to", "mlx", "-o", out).expectSuccess()
    let odd = try run("import", out, "-o", sample.folder.path("odd-name")).expectStatus(2)
    #expect(
      odd.errorText.hasPrefix(
        "fmadapter: error: 'odd-name' cannot be the name of an adapter; give ASCII letters, digits and underscores with --name\n"
      ))
    #expect(PackageName.usual(for: out) == "my_lora.fmadapter")
    #expect(PackageName.usual(for: "a/adapter-final.pt") == "adapter_final.fmadapter")
    let package = try run("import", sample.package).expectStatus(2)
    #expect(
      package.errorText
        == "fmadapter: error: \(sample.package): this is a package already; 'fmadapter install' takes it as it is\n"
    )
    try run(
      "import", InterchangePlaces.peft, "-o", sample.folder.path("x")
    ).expectStatus(6, saying: "has no place: the base has 1 layer;")
    try run("import", InterchangePlaces.checkpoint, "-o", sample.folder.path("x"))
      .expectStatus(6, saying: "asks for (2048, rank)")
  }

  @Test func adaptersAreCompared() throws {
    let result = try run("diff", "echo", sample.folder.path("other.fmadapter")).expectSuccess()
    #expect(
      result.text == """
        Metadata
          adapterIdentifier
            - "fmadapter-echo-ccccccc"
            + "fmadapter-other-ccccccc"

        The weights are the same.

        """)
    _ = try run(
      "merge", "echo", "--weights", "0.5", "-o", sample.folder.path("half.fmadapter"))
    let half = try run("diff", "echo", sample.folder.path("half.fmadapter"))
    #expect(half.text.contains("  attn_q       ▄  0.500 to 0.500\n"), "\(half.text)")
    #expect(half.text.contains("  ffn_down     █  1.000 to 1.000\n"), "\(half.text)")
    #expect(half.text.hasSuffix("All together: change 0.500, cosine 1.000.\n"))
    let report = try run("diff", "echo", sample.folder.path("half.fmadapter"), "--json").object()
    #expect(report["sameWeights"] as? Bool == false)
    #expect((report["tensors"] as? [[String: Any]])?.count == 2)
    let data = sample.folder.path("one.jsonl")
    try "{\"prompt\": \"a\", \"completion\": \"b\"}\n"
      .write(toFile: data, atomically: false, encoding: .utf8)
    let query = sample.folder.path("query.fmadapter")
    try run(
      "train", data, "-o", query, "--targets", "attn_q", "--steps", "1", "--learning-rate", "0.001"
    ).expectSuccess()
    let fewer = try run("diff", query, "echo").text
    #expect(fewer.contains("  ffn_down        in one alone\n"), "\(fewer)")
    let one = try run("diff", "echo").expectStatus(2)
    #expect(
      one.errorText.hasPrefix("fmadapter: error: two adapters are compared, and here are 1\n"))
  }

  @Test func adaptersAreAddedUp() throws {
    let both = sample.folder.path("both.fmadapter")
    let report = try run(
      "merge", "echo", sample.folder.path("other.fmadapter"), "--weights", "0.5,0.25", "-o", both,
      "--json"
    ).expectSuccess().object()
    #expect(report["rank"] as? Int == 4)
    #expect(report["alpha"] as? Double == 8)
    try run("merge", "echo", "-o", both + "/").expectStatus(2)
    try run("merge", "echo", "echo", "-o", both + "/", "--rank", "2", "--force")
      .expectSuccess(saying: "2 adapters, rank 2\ncutting lost 0.00 % of the norm, most in blk.0.")
    #expect(
      try run("merge", "echo", "-o", both, "--weights", "1,2").errorText.hasPrefix(
        "fmadapter: error: --weights has 2 for 1 adapter\n"))
    try run("merge", "echo", "-o", both).expectStatus(2)
  }

  @Test func whatAllAdaptersSayStays() throws {
    func words(_ more: String...) throws -> [String?] {
      let path = sample.folder.path("merged.fmadapter")
      try Tool.run(["merge"] + more + ["-o", path, "--force"], store: sample.folder).expectSuccess()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/metadata.json"))
      let metadata = try AdapterMetadata(parsing: Array(bytes), file: "metadata.json")
      return [
        metadata.author, metadata.license, metadata.settings.version?.description,
        metadata.description,
      ]
    }
    let other = sample.folder.path("other.fmadapter")
    let stated = ["--author", "B", "--license", "MIT", "--package-version", "2.0.0"]
    #expect(try words("echo", "--rank", "1") == ["a test", "", nil, "random changes"])
    #expect(try words("echo", other) == ["a test", "", nil, "Sum of echo, other"])
    #expect(
      try words("echo", other, "--weights", "0.5,1", "--author", "B", "--description", "Both")
        == ["B", "", nil, "Both"])
    let mine = sample.folder.path("mine.fmadapter")
    try Tool.run(["merge", "echo", "-o", mine] + stated, store: sample.folder).expectSuccess()
    #expect(try words(mine) == ["B", "MIT", "2.0.0", "random changes"])
    #expect(
      try words(mine, "echo", "--weights", "0.5,-1")
        == ["", "", nil, "Sum of mine (0.5), echo (-1.0)"])
    let base = try run("merge", "echo", "-o", sample.folder.path("x.gguf"), "--license", "MIT")
      .expectStatus(2)
    #expect(
      base.errorText.hasPrefix(
        "fmadapter: error: --license is for packages: a base keeps what it says of itself\n"))
  }

  /// A merged base says what the base says with the adapter.
  @Test func adaptersBecomeAPartOfABase() throws {
    let merged = sample.folder.path("merged.gguf")
    try run("merge", "echo", "-o", merged).expectSuccess()
    func logits(_ words: String...) throws -> [[Double]] {
      let result = try Tool.run(
        ["logits", "--tokens", "1,70,71,72", "--json"] + words, store: sample.folder)
      return try #require(result.object()["logits"] as? [[Double]])
    }
    let (own, beside) = (try logits("--base", merged), try logits("--adapter", "echo"))
    let worst = zip(own.joined(), beside.joined()).map { abs($0 - $1) }.max() ?? .infinity
    #expect(worst < 1e-4)
    try run("merge", "echo", "-o", merged).expectStatus(
      2,
      error: "\(merged): exists already; give another path, or --force to replace it")
    #expect(
      try run("merge", "echo", "-o", merged, "--force", "--rank", "2").errorText.hasPrefix(
        "fmadapter: error: --rank is for packages: a base takes the whole sum\n"))
    let quantized = sample.folder.path("q.gguf")
    _ = try run("base", "quantize", sample.base, "-o", quantized, "--type", "q8_0")
    let lossy = try run("merge", "echo", "--base", quantized, "-o", merged, "--force", "--json")
      .expectSuccess(saying: "the changed weights were quantized again, to ")
    #expect(lossy.text.contains("\"lost\": 0."))
  }
}

/// Files of other programs.
enum InterchangePlaces {
  static let peft = Fixtures.path("InterchangeTests", "peft/llama")
  static let lora = Fixtures.path("InterchangeTests", "gguf/llama.gguf")
  static let checkpoint = Fixtures.path("InterchangeTests", "toolkit/adapter-final.pt")
}
