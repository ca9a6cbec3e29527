import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// What lists print, every command takes.
@Suite(.waits) struct LibraryNamesTests {
  private static let name = "Sample-1.5.Q4_1"
  private let sample: SampleBase
  private let folder: TemporaryDirectory

  init() throws {
    sample = try SampleBase()
    folder = sample.folder
    let file = folder.path(Self.name + ".gguf")
    try FileManager.default.copyItem(atPath: sample.base, toPath: file)
    for words in [["base", "install", file], ["install", sample.package]] {
      try Tool.run(words, store: folder).expectSuccess()
    }
    try folder.write(#"{"prompt": "Say a", "completion": "a"}"# + "\n", to: "data.jsonl")
    try folder.write(#"[{"role": "user", "content": "Hi"}]"#, to: "chat.json")
  }

  /// Lines with `NAME` for a base, and `FOLDER` for the folder of files.
  private static let lines = [
    "base info NAME", "base use NAME", "base quantize NAME -o FOLDER/q.gguf --type f16 --force",
    "base imatrix NAME FOLDER/chat.json --context 4 -o FOLDER/i.gguf --force",
    "verify NAME", "tokenize --base NAME", "logits --base NAME --tokens 1",
    "render --base NAME --messages FOLDER/chat.json", "run --base NAME Hi -n 2",
    "run echo Hi --base NAME -n 2", "check FOLDER/echo.fmadapter --base NAME",
    "compile --base NAME", "compile echo --base NAME", "data check FOLDER/data.jsonl --base NAME",
    "data stats FOLDER/data.jsonl --base NAME", "data render FOLDER/data.jsonl --base NAME",
    "export echo --base NAME --to peft -o FOLDER/peft --force",
    "merge echo -o FOLDER/merged.gguf --base NAME --force",
    "eval FOLDER/data.jsonl echo --base NAME --max-tokens 2",
    "train FOLDER/data.jsonl --base NAME -o FOLDER/t.fmadapter --steps 1 --force",
    "bench --base NAME --prompt-tokens 4 --generate-tokens 2 --rounds 1 --threads 1",
    "draft build echo --data FOLDER/data.jsonl --base NAME -o FOLDER/d.fmadapter --force",
  ]

  private func run(_ line: String, _ name: String) throws -> ProcessResult {
    let words = line.split(separator: " ").map { word in
      word == "NAME" ? name : word.replacingOccurrences(of: "FOLDER", with: folder.path("."))
    }
    return try Tool.run(words, store: folder)
  }

  @Test(arguments: lines) func everyCommandTakesTheNameOfABase(_ line: String) throws {
    let listed = try Tool.run("base", "list", store: folder).text
    #expect(listed.contains("\n\(Self.name)  "), "\(listed)")
    let signature = String(SampleBase.signature.prefix(7))
    for name in [
      Self.name, Self.name.lowercased(), "\(Self.name) (\(signature))", signature.uppercased(),
    ] {
      let result = try run(line, name)
      #expect(result.status == 0, "\(name): \(result.errorText)")
    }
  }

  @Test(arguments: lines) func aNearNameIsOffered(_ line: String) throws {
    for name in ["Sample-1.5.Q4_0", "sample-1.5"] {
      let result = try run(line, name)
      #expect(result.status == 3, "\(name): \(result.errorText)")
      #expect(result.errorText.contains("did you mean '\(Self.name)'?"), "\(result.errorText)")
    }
  }

  @Test func aFileHereComesFirst() throws {
    let other = try SampleBase(signature: String(repeating: "d", count: 40))
    func info(_ name: String) throws -> ProcessResult {
      try Subprocess.run(
        Tool.path, ["base", "info", name], environment: ["FMADAPTER_HOME": folder.path("store")],
        directory: other.folder.path("."))
    }
    #expect(try info(Self.name).text.contains(SampleBase.signature))
    try FileManager.default.copyItem(atPath: other.base, toPath: other.folder.path(Self.name))
    #expect(try info(Self.name).text.contains(String(repeating: "d", count: 40)))
    try FileManager.default.createDirectory(
      atPath: other.folder.path("Model-1.5"), withIntermediateDirectories: true)
    #expect(try info("Model-1.5").errorText.contains("Model-1.5 is a folder, and a base is a file"))
    let missing = try info("none.gguf").expectStatus(3)
    #expect(
      missing.errorText
        == "fmadapter: error: there is no file 'none.gguf' here, and no base 'none.gguf' is installed; there are: \(Self.name) (ccccccc)\n"
    )
  }

  @Test(arguments: ["info NAME", "check NAME", "run NAME Hi -n 2", "verify NAME", "remove NAME"])
  func everyCommandTakesTheNameOfAnAdapter(_ line: String) throws {
    for name in ["ECHO", "Fmadapter-Echo-CCCCCCC"] {
      try Tool.run("install", sample.package, store: folder).expectSuccess()
      let result = try run(line, name)
      #expect(result.status == 0, "\(name): \(result.errorText)")
    }
    try Tool.run("install", sample.package, store: folder).expectSuccess()
    let near = try run(line, "ecko")
    #expect(
      near.status == 3 && near.errorText.contains("did you mean 'echo'?"), "\(near.errorText)")
  }
}
