import Foundation
import Kernels
import SystemFiles
import TestSupport
import Testing

@testable import LanguageModels

/// A base's tiles in a file: what is computed from it, and what is wrong with it.
@Suite struct TilesFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var tiles: String { folder.path("tiles.bin") }

  /// A random base; experts, convolutions and embeddings of layers have matrices of their own, and not every layer has all.
  private func write(_ type: TensorType, _ architecture: Architecture = .qwen3) throws -> String {
    var random = SplitMix64(seed: 5)
    let path = folder.path("base.gguf")
    let layers = [.lfm2, .gemma4].contains(architecture) ? 3 : 1
    let tiny = TinyModel(architecture, width: 256, hidden: 256, layers: layers)
    try tiny.write(to: path) { values in
      type.blockLength > 1
        ? (type, RandomBlocks(type, columns: 256).bytes(values.count, &random))
        : (type, quantize(type, values: values))
    }
    return path
  }

  private func logits(_ model: BaseModel, _ variant: CPUVariant = .current) throws -> [Float]? {
    let operations = Operations(pool: WorkerPool.shared(threads: 2), variant: variant)
    let session = try ModelSession(model, operations: operations)
    try session.evaluate([3, 1, 4, 1, 5])
    return session.logits
  }

  @Test(
    arguments: runsAllTests ? TensorType.allCases : [.f32, .q4_0, .q8_0, .q4_K, .q2_B],
    [Architecture.qwen3, .qwen3moe, .lfm2, .gemma4])
  func whatIsComputedIsTheSame(type: TensorType, architecture: Architecture) throws {
    let path = try write(type, architecture)
    let plain = try BaseModel(path: path)
    let expected = try logits(plain)
    try BaseModel(path: path).writeTiles(to: tiles)
    let size = try FileSystem.info(tiles)?.size
    #expect(size == plain.tilesSize())
    let model = try BaseModel(path: path)
    try model.useTiles(at: tiles)
    #expect(try logits(model) == expected)
    // What was begun without them goes on without them.
    try plain.useTiles(at: tiles)
    #expect(try logits(plain) == expected)
  }

  @Test func theSameBaseGivesTheSameBytesWithAnyThreads() throws {
    let path = try write(.q4_0, .qwen3moe)
    let digests = try [1, 2, 3].map { threads in
      try BaseModel(path: path).writeTiles(to: tiles, threads: threads)
      return try SHA256.hex(ofFile: tiles)
    }
    #expect(Set(digests).count == 1)
  }

  @Test func portableKernelsHaveNoTiles() throws {
    let model = try BaseModel(path: write(.q4_0))
    #expect(model.tilesSize(for: .plain) == 0)
  }

  @Test(.enabled(if: CPUVariant.current != .plain))
  func aFileOfAnotherSizeIsRefused() throws {
    let model = try BaseModel(path: write(.q8_0))
    let needed = model.tilesSize()
    try Data(count: 64).write(to: URL(fileURLWithPath: tiles))
    let short = BaseModelError.file(
      .truncated(
        path: tiles, offset: 0, field: "the tiles of the base", needed: UInt64(needed), left: 64))
    #expect(throws: short) { try model.useTiles(at: tiles) }
    try Data(count: needed + 1).write(to: URL(fileURLWithPath: tiles))
    let long = BaseModelError.file(
      .tooLarge(path: tiles, size: needed + 1, limit: needed))
    #expect(throws: long) { try model.useTiles(at: tiles) }
    #expect(try logits(model) != nil)
  }

  /// One whole matrix of zeros, the first and the last.
  @Test(.enabled(if: CPUVariant.current != .plain), arguments: [true, false])
  func tilesOfZerosAreRefused(first: Bool) throws {
    let model = try BaseModel(path: write(.q8_0))
    let expected = try logits(BaseModel(path: model.path))
    try model.writeTiles(to: tiles)
    var bytes = try FileSystem.read(tiles, limit: 1 << 30)
    let sizes = model.weights.multipliedMatrices.compactMap { $0.tileBytes(for: .current) }
    let lost = first ? 0..<sizes[0] : bytes.count - sizes[sizes.count - 1]..<bytes.count
    for index in lost { bytes[index] = 0 }
    try Data(bytes).write(to: URL(fileURLWithPath: tiles))
    #expect(throws: BaseModelError.damagedTiles(file: tiles, offset: lost.lowerBound)) {
      try model.useTiles(at: tiles)
    }
    #expect(try logits(model) == expected)
  }

  @Test(.enabled(if: CPUVariant.current != .plain))
  func aFileThatIsCutEndsTheSessionWithAnError() throws {
    let model = try BaseModel(path: write(.q8_0))
    try model.writeTiles(to: tiles)
    try model.useTiles(at: tiles)
    let session = try ModelSession(model)
    try session.evaluate([1, 2])
    truncate(tiles, 4096)
    #expect(throws: BaseModelError.file(.changed(path: tiles))) {
      try session.evaluate([3])
    }
    #expect(session.tokens == [1, 2])
  }

  @Test(.enabled(if: CPUVariant.current != .plain))
  func whoIsToStopLeavesNothing() throws {
    let model = try BaseModel(path: write(.q8_0))
    var asked = 0
    #expect(throws: BaseModelError.cancelled) {
      try model.writeTiles(
        to: tiles,
        isCancelled: {
          asked += 1
          return asked > 3
        })
    }
    #expect(try FileSystem.list(folder.path).map(\.name) == ["base.gguf"])
  }
}
