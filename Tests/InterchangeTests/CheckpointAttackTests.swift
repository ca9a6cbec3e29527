import Foundation
import Kernels
import SystemFiles
import TestSupport
import Testing

@testable import Interchange

/// Programs in pickle: the reader runs none of them, and names what each asks for.
@Suite struct PickleAttackTests {
  /// A program, its bytes as characters below 256, and what is said of it.
  struct Attack: Sendable, CustomTestStringConvertible {
    let name: String
    let program: String
    let text: String
    var testDescription: String { name }
  }

  private static func run(_ program: [UInt8]) -> InterchangeError? {
    failure {
      var reader = PickleReader(TensorBytes(program), path: "P", entry: "data.pkl")
      _ = try reader.read()
    }
  }

  private static func bytes(_ program: String) -> [UInt8] {
    program.unicodeScalars.map { UInt8($0.value) }
  }

  private static let ask = ", and nothing but tensors and dictionaries is built"

  @Test(arguments: [
    Attack(
      name: "a program of the system", program: "\u{80}\u{2}cposix\nsystem\nX\u{2}\0\0\0id\u{85}R.",
      text: "byte 2: it asks for “posix system”" + ask),
    Attack(
      name: "Python's eval", program: "\u{80}\u{2}c__builtin__\neval\n.",
      text: "byte 2: it asks for “__builtin__ eval”" + ask),
    Attack(
      name: "another file", program: "\u{80}\u{2}ctorch\nload\n.",
      text: "byte 2: it asks for “torch load”" + ask),
    Attack(
      name: "a class of modules", program: "\u{80}\u{2}ctorch.nn.modules.linear\nLinear\n.",
      text: "byte 2: it asks for “torch.nn.modules.linear Linear”" + ask),
    Attack(
      name: "an array of numpy", program: "\u{80}\u{2}cnumpy.core.multiarray\n_reconstruct\n.",
      text: "byte 2: it asks for “numpy.core.multiarray _reconstruct”" + ask),
    Attack(
      name: "a class by INST", program: "\u{80}\u{2}(iposix\nsystem\n.",
      text: "byte 3: it has the instruction “i”, which no dictionary of tensors needs"),
    Attack(
      name: "a class by OBJ", program: "\u{80}\u{2}(o.",
      text: "byte 3: it has the instruction “o”, which no dictionary of tensors needs"),
    Attack(
      name: "a class by NEWOBJ", program: "\u{80}\u{2}))\u{81}.",
      text: "byte 4: it has the instruction 0x81, which no dictionary of tensors needs"),
    Attack(
      name: "a registered class", program: "\u{80}\u{2}\u{82}\u{1}.",
      text: "byte 2: it has the instruction 0x82, which no dictionary of tensors needs"),
    Attack(
      name: "a name from the stack", program: "\u{80}\u{2}X\u{2}\0\0\0osX\u{1}\0\0\0x\u{93}.",
      text: "byte 15: it has the instruction 0x93, which no dictionary of tensors needs"),
    Attack(
      name: "a persistent text", program: "\u{80}\u{2}Pfile\n.",
      text: "byte 2: it has the instruction “P”, which no dictionary of tensors needs"),
    Attack(
      name: "another protocol", program: "\u{80}\u{4}}.", text: "byte 0: it is not of protocol 2"),
    Attack(
      name: "a call of a text", program: "\u{80}\u{2}X\u{1}\0\0\0x)R.",
      text: "byte 9: it calls something that is no function"),
    Attack(
      name: "a call of a storage's type", program: "\u{80}\u{2}ctorch\nFloatStorage\n)R.",
      text: "byte 23: it calls something that is no function"),
    Attack(
      name: "a dictionary of others", program: "\u{80}\u{2}ccollections\nOrderedDict\n(}tR.",
      text: "byte 30: it makes a dictionary of other things"),
    Attack(
      name: "the state of a tuple", program: "\u{80}\u{2})}b.",
      text: "byte 4: it changes the state of something else than a dictionary"),
    Attack(
      name: "items for a tuple", program: "\u{80}\u{2})X\u{1}\0\0\0xNs.",
      text: "byte 10: it puts items into something else than a dictionary"),
    Attack(
      name: "a number as key", program: "\u{80}\u{2}}K\u{1}Ns.", text: "byte 6: a key is no text"),
    Attack(
      name: "a key without a value", program: "\u{80}\u{2}}(X\u{1}\0\0\0xu.",
      text: "byte 10: a key has no value"),
    Attack(
      name: "a key twice", program: "\u{80}\u{2}}(X\u{1}\0\0\0xNX\u{1}\0\0\0xNu.",
      text: "byte 18: the key “x” occurs twice"),
    Attack(
      name: "an empty stack", program: "\u{80}\u{2}s.",
      text: "byte 2: it takes more from its stack than is there"),
    Attack(
      name: "no mark", program: "\u{80}\u{2}Nt.",
      text: "byte 3: it takes more from its stack than is there"),
    Attack(
      name: "a mark as value", program: "\u{80}\u{2}}X\u{1}\0\0\0x(s.",
      text: "byte 10: it takes more from its stack than is there"),
    Attack(
      name: "nothing kept", program: "\u{80}\u{2}h\u{7}.",
      text: "byte 2: it recalls what it has not kept"),
    Attack(
      name: "a dictionary in itself", program: "\u{80}\u{2}}q\0X\u{1}\0\0\0xh\0s.",
      text: "byte 11: it refers to a dictionary a second time"),
    Attack(
      name: "two values", program: "\u{80}\u{2}}}.",
      text: "byte 4: it does not end with one dictionary"),
    Attack(
      name: "more behind the end", program: "\u{80}\u{2}}.N",
      text: "byte 3: it does not end with one dictionary"),
    Attack(name: "nothing", program: "", text: "byte 0: it ends inside an instruction"),
    Attack(
      name: "a text of 4 GiB", program: "\u{80}\u{2}X\u{FF}\u{FF}\u{FF}\u{FF}x.",
      text: "byte 2: a text has more than 4,096 bytes"),
    Attack(
      name: "a text behind the end", program: "\u{80}\u{2}X\u{FF}\0\0\0x.",
      text: "byte 2: it ends inside a text"),
    Attack(
      name: "a text that is none", program: "\u{80}\u{2}X\u{1}\0\0\0\u{FF}.",
      text: "byte 2: a text is not UTF-8"),
    Attack(
      name: "a number of 255 bytes", program: "\u{80}\u{2}\u{8A}\u{FF}.",
      text: "byte 2: a number has more than 64 bits"),
    Attack(
      name: "a name without end", program: "\u{80}\u{2}c" + String(repeating: "a", count: 400),
      text: "byte 2: a name has more than 256 bytes"),
    Attack(
      name: "a storage by path",
      program:
        "\u{80}\u{2}(X\u{7}\0\0\0storagectorch\nFloatStorage\nX\u{9}\0\0\0../secretX\u{3}\0\0\0cpuK\u{4}tQ.",
      text: "byte 60: it refers to something else than a storage"),
  ])
  func isRefusedByName(_ attack: Attack) {
    let error = Self.run(Self.bytes(attack.program))
    #expect(
      error?.description
        == "P: data.pkl: \(attack.text); give the adapter-final.pt of Apple's toolkit, which holds nothing but tensors"
    )
  }

  /// A tensor of a storage of 4 values: offset, sizes, strides.
  private static func tensor(_ offset: Int32, _ sizes: [Int32], _ strides: [Int32]) -> [UInt8] {
    func number(_ value: Int32) -> [UInt8] {
      [UInt8(ascii: "J")]
        + (0..<4).map { UInt8(truncatingIfNeeded: UInt32(bitPattern: value) >> (8 * $0)) }
    }
    func tuple(_ values: [Int32]) -> [UInt8] {
      [UInt8(ascii: "(")] + values.flatMap(number) + [UInt8(ascii: "t")]
    }
    return bytes(
      "\u{80}\u{2}}X\u{1}\0\0\0xctorch._utils\n_rebuild_tensor_v2\n((X\u{7}\0\0\0storage")
      + bytes("ctorch\nFloatStorage\nX\u{1}\0\0\00X\u{3}\0\0\0cpuK\u{4}tQ") + number(offset)
      + tuple(sizes) + tuple(strides) + bytes("\u{89}NtRs.")
  }

  @Test func aTensorStaysInItsStorage() {
    #expect(Self.run(Self.tensor(0, [2, 2], [2, 1])) == nil)
    #expect(Self.run(Self.tensor(0, [2, 2], [1, 2])) == nil)
    let places: [(Int32, [Int32], [Int32])] = [
      (1, [2, 2], [2, 1]), (-1, [2, 2], [2, 1]), (0, [2, 3], [2, 1]), (0, [2, 2], [4, 1]),
      (0, [-2, 2], [2, 1]), (0, [2, 2], [-2, 1]), (0, [.max, .max], [0, 0]), (0, [8], [0]),
      (0, [.max, .max, .max], [.max, .max, .max]), (4, [1], [1]), (0, [0, 2], [2, 1]),
    ]
    for (offset, sizes, strides) in places {
      let error = Self.run(Self.tensor(offset, sizes, strides))
      #expect(error?.description.contains("a tensor goes beyond its storage") == true)
    }
    let error = Self.run(Self.tensor(0, [2, 2], [2]))
    #expect(
      error?.description.contains("it makes a tensor of other things than a storage and sizes")
        == true)
  }

  @Test func valuesAreNotNestedWithoutBound() {
    let deep = Self.bytes("\u{80}\u{2})") + [UInt8](repeating: 0x85, count: 1_000_000)
    #expect(
      Self.run(deep)?.description.contains("its values are nested more than 16 deep") == true)
  }

  /// Each level refers to the one below a hundred times: small to write, and endless to walk through.
  @Test func whatIsReferredToOftenIsNotWalkedThrough() {
    var program = Self.bytes("\u{80}\u{2})q\0")
    for level in 0..<14 as Range<UInt8> {
      program += Self.bytes("(")
      for _ in 0..<100 { program += [UInt8(ascii: "h"), level] }
      program += [UInt8(ascii: "t"), UInt8(ascii: "q"), level + 1]
    }
    program += Self.bytes(".")
    #expect(Self.run(program)?.description.contains("does not end with one dictionary") == true)
  }

  @Test func theStackHasABound() {
    let program = Self.bytes("\u{80}\u{2}") + [UInt8](repeating: UInt8(ascii: "N"), count: 300_000)
    #expect(Self.run(program)?.description.contains("its stack is too high") == true)
    let long = [UInt8](repeating: UInt8(ascii: "N"), count: 17 << 20)
    #expect(Self.run(long)?.description.contains("it is longer than 16,777,216 bytes") == true)
  }
}

/// Archives that were cut, changed, or put together to mislead.
@Suite struct ArchiveAttackTests {
  private static let empty: [UInt8] = [0x80, 2, UInt8(ascii: "}"), UInt8(ascii: ".")]

  private static func run(_ bytes: [UInt8]) -> InterchangeError? {
    failure { _ = try TorchArchive(TensorBytes(bytes), path: "P").tensors() }
  }

  @Test func anArchiveIsReadAsItIs() {
    #expect(Self.run(Archive(entries: [("a/data.pkl", Self.empty)]).bytes) == nil)
  }

  @Test func whatIsWrongIsNamed() {
    func expect(
      _ archive: Archive, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(
        Self.run(archive.bytes)?.description
          == "P: \(text); give the adapter-final.pt of Apple's toolkit, or copy it again",
        sourceLocation: sourceLocation)
    }
    let one = [("a/data.pkl", Self.empty)]
    expect(
      Archive(entries: one, method: 8), "byte 44: the entry “a/data.pkl” is compressed or encrypted"
    )
    expect(
      Archive(entries: one, flags: 1), "byte 44: the entry “a/data.pkl” is compressed or encrypted")
    expect(
      Archive(entries: one, checksumError: 1),
      "byte 40: the entry “a/data.pkl” is not what was stored")
    expect(
      Archive(entries: one, placeError: 1), "byte 1: the entry “a/data.pkl” does not begin here")
    expect(
      Archive(entries: one, placeError: 0x7FFF_FFFF), "byte 122: the file ends inside a number")
    expect(
      Archive(entries: one, sizeError: 9), "byte 44: the entry “a/data.pkl” is larger than the file"
    )
    expect(Archive(entries: one + one), "byte 144: there are two entries “a/data.pkl”")
    expect(
      Archive(entries: one + [("a/byteorder", Self.empty)], placeError: UInt32.max - 43),
      "byte 0: the entry “a/byteorder” has another name where it begins")
    let large = [("a/data.pkl", [UInt8](repeating: 0, count: 400)), ("a/data/0", Self.empty)]
    expect(
      Archive(entries: large, bothSizesError: 500),
      "byte 482: all entries together are larger than the file")
    expect(Archive(entries: [("a/b", [])]), "byte 0: the archive has no data.pkl")
    expect(
      Archive(entries: one + [("a/byteorder", Array("big".utf8))]),
      "byte 0: the values are not stored low bytes first")
    #expect(Self.run([])?.description.contains("the archive has no end") == true)
    #expect(Self.run([UInt8](repeating: 0, count: 70_000))?.description.contains("no end") == true)
  }

  /// Every way to cut the real file, in steps, and changes of its bytes with printed seeds: an error, or the same tensors.
  @Test(arguments: 0..<8)
  func damageIsFoundOrChangesNothing(seed: Int) throws {
    let bytes = try Fixtures.bytes("InterchangeTests", "toolkit/adapter-final.pt")
    let whole = try TorchArchive(TensorBytes(bytes), path: "P").tensors()
    let values = whole.map { $0.bytes.array }
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<25 {
      var changed = bytes
      // Most of the file is values, whose checksums are the same test again; the rest is what leads to them.
      let place =
        Bool.random(using: &random)
        ? Int.random(in: 0..<12_000, using: &random)
        : bytes.count - 1 - Int.random(in: 0..<8_000, using: &random)
      changed[place] ^= UInt8.random(in: 1...255, using: &random)
      if let tensors = try? TorchArchive(TensorBytes(changed), path: "P").tensors() {
        #expect(tensors.map { $0.bytes.array } == values, "seed \(seed), byte \(place)")
      }
      let length = Int.random(in: 0..<bytes.count, using: &random)
      #expect(Self.run(Array(bytes[..<length])) != nil, "seed \(seed), cut at \(length)")
    }
  }

  @Test func aStorageHasToBeWhole() throws {
    let storage =
      "\u{80}\u{2}}X\u{1}\0\0\0xctorch._utils\n_rebuild_tensor_v2\n((X\u{7}\0\0\0storage"
      + "ctorch\nFloatStorage\nX\u{1}\0\0\00X\u{3}\0\0\0cpuK\u{4}tQK\0(K\u{4}t(K\u{1}t\u{89}NtRs."
    let pickle = storage.unicodeScalars.map { UInt8($0.value) }
    let missing = Archive(entries: [("a/data.pkl", pickle)])
    #expect(Self.run(missing.bytes)?.description.contains("the archive has no “a/data/0”") == true)
    let short = Archive(entries: [("a/data.pkl", pickle), ("a/data/0", [0, 0, 0, 0])])
    #expect(
      Self.run(short.bytes)?.description.contains(
        "the storage of “x” has 4 bytes instead of 4 values") == true)
    let fine = Archive(
      entries: [("a/data.pkl", pickle), ("a/data/0", [UInt8](repeating: 1, count: 16))])
    let tensors = try TorchArchive(TensorBytes(fine.bytes), path: "P").tensors()
    #expect(tensors.map(\.name) == ["x"])
    #expect(tensors[0].shape == [4])
  }

  /// Views cost nothing to write, and each may be as large as its storage.
  @Test func viewsAreNotMoreThanTheFile() throws {
    func program(_ names: [String]) -> [UInt8] {
      let tensors = names.map {
        "X\u{1}\0\0\0\($0)ctorch._utils\n_rebuild_tensor_v2\n((X\u{7}\0\0\0storage"
          + "ctorch\nFloatStorage\nX\u{1}\0\0\00X\u{3}\0\0\0cpuM\u{E8}\u{3}tQK\0(M\u{E8}\u{3}t(K\u{1}t\u{89}NtRs"
      }
      return ("\u{80}\u{2}}" + tensors.joined() + ".").unicodeScalars.map { UInt8($0.value) }
    }
    let values = [UInt8](repeating: 0, count: 4000)
    for (names, isFine) in [(["x", "y"], true), (["w", "x", "y", "z"], false)] {
      let archive = Archive(entries: [("a/data.pkl", program(names)), ("a/data/0", values)])
      let problem = Self.run(archive.bytes)?.description
      #expect((problem == nil) == isFine)
      let isNamed = problem?.contains("the tensors are together larger than the file") ?? isFine
      #expect(isNamed)
    }
  }
}

/// What PyTorch saves: versions of modules beside the tensors, parameters, views, and storages that are shared.
@Suite struct TorchArchiveTests {
  private struct Expected: Decodable {
    let shape: [Int]
    let values: [Float]
  }

  @Test func everyKindOfTensorIsRead() throws {
    let expected = try JSONDecoder().decode(
      [String: Expected].self,
      from: Data(Fixtures.bytes("InterchangeTests", "toolkit/kinds.json")))
    let bytes = try Fixtures.bytes("InterchangeTests", "toolkit/kinds.pt")
    let tensors = try TorchArchive(TensorBytes(bytes), path: "P").tensors()
    #expect(tensors.map(\.name) == expected.keys.sorted())
    for tensor in tensors {
      let known = try #require(expected[tensor.name])
      #expect(tensor.shape == known.shape, "\(tensor.name)")
      let values = dequantize(try #require(tensor.type), bytes: tensor.bytes)
      #expect(values == known.values, "\(tensor.name)")
    }
  }
}
