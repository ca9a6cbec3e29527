import Foundation
import Kernels
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// A base in the order in which this processor reads it: written, shown, used and kept right.
@Suite(.waits, .enabled(if: CPUVariant.current != .plain)) struct CompileBaseTests {
  private static let base = Fixtures.repository
    .appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try tool("base", "install", Self.base).expectSuccess()
  }

  private func tool(_ arguments: String...) throws -> ProcessResult {
    try Tool.run(arguments, store: folder)
  }

  private func answer() throws -> String {
    try tool("run", "Name three colours.", "--max-tokens", "12", "--quiet").expectSuccess().text
  }

  @Test func aBaseIsCompiledOnceAndItsTextsStay() throws {
    let before = try answer()
    let first = try tool("compile", "--base", "afm-9m", "--json").expectSuccess().object()
    #expect(first["outcome"] as? String == "compiled")
    #expect(first["processor"] as? String == CPUVariant.current.rawValue)
    let path = try #require(first["path"] as? String)
    #expect(
      try FileSystem.info(path + "/tiles.bin")?.size == first["size"] as? Int
        && FilePath.name(of: path) == first["key"] as? String)
    let again = try tool("compile", "--base", "afm-9m")
    #expect(again.status == 0 && again.errorText == "compiled already, in \(path)\n")
    #expect(again.text.hasPrefix("processor  \(CPUVariant.current.rawValue)\nsize       "))
    #expect(try answer() == before)
    #expect(try tool("base", "list").text.hasSuffix(", compiled\n"))
    #expect(try tool("base", "list", "--json").text.contains("\"compiled\" : true"))
    #expect(
      try tool("base", "info").text.contains("\ncompiled     for \(CPUVariant.current.rawValue), "))
    #expect(try tool("df").text.contains("compiled"))
    let verified = try tool("verify")
    #expect(verified.status == 0, "\(verified.text)\(verified.errorText)")
  }

  /// A text that is computed from the file alone changes with it.
  @Test func theFileIsWhatIsRead() throws {
    let path = try #require(
      try tool("compile", "--base", "afm-9m", "--json").expectSuccess().object()["path"] as? String)
    let (before, file) = (try answer(), path + "/tiles.bin")
    var bytes = try FileSystem.read(file, limit: 1 << 30)
    // In the last matrix, behind the part of it that is compared with the base.
    for index in stride(from: bytes.count - 300_000, to: bytes.count, by: 7) {
      bytes[index] ^= 0x55
    }
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let changed = try tool("run", "Name three colours.", "--max-tokens", "12")
    #expect(changed.status != 0 || changed.text != before)
    #expect(!changed.errorText.contains("is not used"))
    let damaged = try tool("verify").expectStatus(5)
    #expect(
      damaged.text.contains("tiles.bin: it cannot be read: it is not what was written"),
      "\(damaged.text)")
    let rebuilt = try tool("compile", "--base", "afm-9m")
    #expect(rebuilt.errorText.hasSuffix("what was there was damaged; compiled anew, in \(path)\n"))
    try tool("verify").expectSuccess()
    #expect(try answer() == before)
  }

  /// As after a crash of a machine whose disk had not written them.
  @Test func zerosAreNotUsed() throws {
    let path = try #require(
      try tool("compile", "--base", "afm-9m", "--json").expectSuccess().object()["path"] as? String)
    let (before, file) = (try answer(), path + "/tiles.bin")
    let size = try FileSystem.read(file, limit: 1 << 30).count
    try Data(count: size).write(to: URL(fileURLWithPath: file))
    let healthy = try tool("run", "Name three colours.", "--max-tokens", "12")
    #expect(healthy.status == 0 && healthy.text == before)
    #expect(
      healthy.errorText.contains(
        "fmadapter: warning: what the base was compiled into is not used: \(file): byte 0 and what "
          + "follows are not the weights of the base; 'fmadapter compile --base' makes it anew\n"),
      "\(healthy.errorText)")
  }

  @Test func whatIsCutOrOfAnotherVersionIsNotUsed() throws {
    let before = try answer()
    let path = try #require(
      try tool("compile", "--base", "afm-9m", "--json").expectSuccess().object()["path"] as? String)
    truncate(path + "/tiles.bin", 4096)
    #expect(try answer() == before)
    #expect(try !tool("base", "list").text.contains("compiled"))
    try tool("verify").expectStatus(5)
    try tool("verify", "--repair").expectSuccess()
    #expect(try FileSystem.info(path) == nil)
    try tool("compile", "--base", "afm-9m").expectSuccess()
    let record = path + "/base.json"
    let text = try String(contentsOfFile: record, encoding: .utf8)
    try text.replacing("\"formatVersion\" : 1", with: "\"formatVersion\" : 9")
      .write(toFile: record, atomically: false, encoding: .utf8)
    #expect(try answer() == before)
    // A later program may have written it, which is no damage and nothing to mend.
    try tool("verify", "--repair").expectSuccess()
    try tool("prune", "--yes").expectSuccess()
    #expect(try FileSystem.info(record) != nil)
    let rebuilt = try tool("compile", "--base", "afm-9m")
    #expect(rebuilt.errorText.hasSuffix("what was there was damaged; compiled anew, in \(path)\n"))
  }

  @Test func severalProcessesWriteOnce() async throws {
    let folder = folder
    let results = try await withThrowingTaskGroup(of: ProcessResult.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try Tool.run(["compile", "--base", "afm-9m", "--json"], store: folder)
        }
      }
      return try await group.reduce(into: [ProcessResult]()) { $0.append($1) }
    }
    let outcomes = try results.map {
      try $0.expectSuccess().object()["outcome"] as? String ?? "none"
    }
    #expect(outcomes.sorted() == ["compiled", "kept", "kept"])
  }

  @Test func withoutItsBaseItIsOfNoUse() throws {
    let path = try #require(
      try tool("compile", "--base", "afm-9m", "--json").expectSuccess().object()["path"] as? String)
    try tool("prune", "--yes").expectSuccess()
    #expect(try FileSystem.info(path) != nil)
    try tool("base", "remove", "afm-9m").expectSuccess()
    #expect(try tool("prune").text.contains(FilePath.name(of: path).prefix(12)))
    try tool("prune", "--yes").expectSuccess()
    #expect(try FileSystem.info(path) == nil)
  }

  @Test func portableKernelsReadTheBaseAsItIs() throws {
    let result = try Tool.launch(
      ["compile", "--base", "afm-9m"], store: folder, environment: ["FMADAPTER_CPU": "plain"])
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(
      result.errorText
        == "this processor reads afm-9m as it is: there is nothing to compile\n")
  }

  @Test(arguments: [
    ([String](), 2, "give an adapter, or an installed base with --base"),
    (
      ["--base", "./base.gguf"], 2,
      "a base is compiled in the store; install it with 'fmadapter base install' first"
    ),
  ])
  func whatCannotBeCompiledIsSaid(words: [String], status: Int32, text: String) throws {
    let result = try Tool.run(["compile"] + words, store: folder).expectStatus(status)
    #expect(result.errorText.hasPrefix("fmadapter: error: \(text)\n"), "\(result.errorText)")
  }
}
