import Foundation
import SystemFiles
import TensorFiles
import TestSupport
import Testing

/// Files that are cut while the program reads them: an error that names the file, or the result of the whole file; never a
/// signal, and never exit 0 with anything else.
@Suite(.waits) struct CutFileTests {
  private let folder: TemporaryDirectory
  private let rounds = runsAllTests ? 30 : 3

  init() throws { folder = try TemporaryDirectory() }

  /// Runs `words` over and over while the file `path` is cut at some moment to some size, and whole again afterwards.
  ///
  /// `result` is what the program leaves for the whole file. An error names the file, or is `other`.
  private func cut(
    _ path: String, during words: [String], seed: UInt64, codes: [Int32] = [4],
    other: String? = nil,
    result: (ProcessResult) throws -> [UInt8]
  ) throws {
    let whole = try FileSystem.read(path, limit: 1 << 30)
    let first = try Tool.launch(words, store: folder).expectSuccess()
    let expected = try result(first)
    var random = SeededGenerator(seed: seed)
    for round in 0..<rounds {
      let state = "\(words) round \(round) \(random)"
      let program = try Subprocess(
        Tool.path, words, environment: ["FMADAPTER_HOME": folder.path("store")])
      let usual = Float(first.duration / .microseconds(1))
      usleep(UInt32(random.float(in: 0.05..<0.9) * usual))
      truncate(path, Int(random.float(in: 0..<0.9) * Float(whole.count)))
      let ended = try program.finish()
      if ended.status == 0 {
        #expect(try result(ended) == expected, "\(state)")
      } else {
        #expect(codes.contains(ended.status), "\(state): \(ended.status) \(ended.errorText)")
        // A file that was cut before it was opened is a finding, which is a result of `check`.
        let said = ended.errorText + ended.text
        let isSaid = [FilePath.name(of: path), other].contains { $0.map(said.contains) ?? false }
        #expect(isSaid, "\(state): \(said)")
      }
      try Data(whole).write(to: URL(fileURLWithPath: path))
    }
  }

  /// A package of 16 MB, and its weights.
  private func package() throws -> (path: String, weights: String) {
    let path = try SamplePackage.large(layers: 16, at: folder.path("large"))
    return (path, path + "/adapter_weights.bin")
  }

  @Test(arguments: [("check", UInt64(1)), ("info", 2)])
  func reading(_ command: String, _ seed: UInt64) throws {
    let package = try package()
    try cut(package.weights, during: [command, "--json", package.path], seed: seed) { $0.output }
  }

  // What was copied may be found wrong before its source is: then it is not what was recorded, exit 5.
  @Test func installing() throws {
    let package = try package()
    try cut(
      package.weights, during: ["install", "--force", package.path], seed: 3, codes: [4, 5]
    ) { _ in
      let verified = try Tool.run("verify", store: folder)
      #expect(verified.status == 0, "\(verified.text)")
      return try SHA256.hex(
        ofFile: folder.path(
          "store/adapters/fmadapter-large-eeeeeee/package.fmadapter/adapter_weights.bin")
      ).utf8.map(\.self)
    }
  }

  // A file that is cut between its check and its digest is another one than that of the release.
  @Test func publishing() throws {
    let package = try package()
    let site = folder.path("site")
    try cut(
      package.weights, during: ["publish", site, package.path], seed: 4, codes: [4, 5],
      other: "the same version exists with other bytes"
    ) { _ in try FileSystem.read(site + "/index.json", limit: 1 << 20) }
  }

  @Test func quantizing() throws {
    let source = folder.path("large.gguf")
    var head = GGUFWriter()
    head.set("general.architecture", .text("llama"))
    head.append(.init(name: "token_embd.weight", type: .f32, dimensions: [1024, 1024]))
    head.append(.init(name: "blk.0.attn_norm.weight", type: .f32, dimensions: [1 << 20]))
    var stream = try GGUFStream(head, path: source)
    for _ in 0..<2 { try stream.write([UInt8](repeating: 0x3F, count: 4 << 20)) }
    try stream.commit()
    let target = folder.path("small.gguf")
    try cut(
      source, during: ["base", "quantize", source, "-o", target, "--type", "Q8_0"],
      seed: 5
    ) { _ in
      defer { try? FileSystem.removeTree(target) }
      return try FileSystem.read(target, limit: 1 << 30)
    }
  }

  @Test func answering() throws {
    let sample = try SampleBase()
    let words = ["run", "--base", sample.base, "--no-adapter", "hello", "-n", "150", "-t", "0"]
    try cut(sample.base, during: words, seed: 6) { $0.output }
    try cut(
      sample.package + "/adapter_weights.bin",
      during: ["run", sample.package, "--base", sample.base, "hi", "-n", "150", "-t", "0"], seed: 7
    ) { $0.output }
  }
}
