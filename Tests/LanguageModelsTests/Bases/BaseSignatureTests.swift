import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

@Suite struct BaseSignatureTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func file(
    alignment: Int = 32, byte: UInt8 = 0, order: [String] = ["b", "a"],
    _ change: (inout GGUFWriter) -> Void = { _ in }
  ) throws -> GGUFFile {
    var head = GGUFWriter(alignment: alignment)
    head.set("general.architecture", .text("llama"))
    head.set("llama.block_count", .uint32(1))
    head.set("tokenizer.ggml.tokens", .strings([[97], [98]]))
    change(&head)
    for name in order { head.append(.init(name: name, type: .f16, dimensions: [2])) }
    let path = folder.path(FilePath.randomName())
    var stream = try GGUFStream(head, path: path)
    for name in order { try stream.write([byte, 0, 0, name == "a" ? 1 : 2]) }
    try stream.commit()
    return try GGUFFile(path: path)
  }

  @Test func listsWhatMakesTheBase() throws {
    let digest = { SHA256.hex($0 as [UInt8]) }
    #expect(
      BaseSignature.listing(try file()) == """
        fmadapter base listing 1
        key general.architecture 8 \(digest(Array("llama".utf8)))
        key llama.block_count 4 \(digest([1, 0, 0, 0]))
        key tokenizer.ggml.tokens 9 \
        \(digest([1, 0, 0, 0, 0, 0, 0, 0, 97, 1, 0, 0, 0, 0, 0, 0, 0, 98]))
        tensor a F16 2 \(digest([0, 0, 0, 1]))
        tensor b F16 2 \(digest([0, 0, 0, 2]))

        """)
  }

  @Test func isTheStartOfADigest() throws {
    let file = try file()
    let signature = BaseSignature.compute(file)
    #expect(signature.utf8.count == 40)
    #expect(SHA256.hex(Array(BaseSignature.listing(file).utf8)).hasPrefix(signature))
  }

  @Test func changesWithTheModelOnly() throws {
    let signature = BaseSignature.compute(try file())
    let same = [
      try file(alignment: 64), try file(order: ["a", "b"]),
      try file { $0.set("general.name", .text("other")) },
    ]
    #expect(same.allSatisfy { BaseSignature.compute($0) == signature })
    let others = [
      try file(byte: 1), try file { $0.set("llama.block_count", .uint32(2)) },
      try file { $0.set("llama.block_count", .uint64(1)) },
      try file { $0.set("tokenizer.ggml.tokens", .strings([[97], [99]])) },
      try file { $0.set("general.architecture", .text("qwen2")) }, try file(order: ["a"]),
    ]
    #expect(Set(others.map(BaseSignature.compute) + [signature]).count == others.count + 1)
  }

  @Test func readsTheStamp() throws {
    let stamp = String(repeating: "0123456789", count: 4)
    #expect(
      BaseSignature.compute(try file { $0.set(BaseSignature.key, .text(stamp)) }) == stamp)
  }

  @Test(arguments: [
    String(repeating: "A", count: 40), String(repeating: "a", count: 39),
    String(repeating: "g", count: 40), "",
  ])
  func ignoresAStampOfAnotherForm(stamp: String) throws {
    let file = try file { $0.set(BaseSignature.key, .text(stamp)) }
    #expect(BaseSignature.stamped(file) == nil)
    #expect(BaseSignature.compute(file) == BaseSignature.compute(try self.file()))
  }
}
