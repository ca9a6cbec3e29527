import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import TensorFiles

/// A model in parts by gguf 0.19.0, made by `tools/fixtures/make_split_files.py`, and what can be wrong with parts.
@Suite struct GGUFPartsTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func fixture(_ name: String) -> String {
    Fixtures.path("TensorFilesTests", "split/\(name).gguf")
  }

  @Test(arguments: ["tiny", "bare"])
  func partsAreOneModel(_ name: String) throws {
    let whole = try GGUFFile(path: Self.fixture("tiny"))
    let file = try GGUFFile(path: Self.fixture("\(name)-00001-of-00003"))
    #expect(file.parts == (1...3).map { Self.fixture("\(name)-0000\($0)-of-00003") })
    #expect(file.path == file.parts[0] && whole.parts == [whole.path])
    #expect(file.tensors.map(\.name) == whole.tensors.map(\.name))
    for tensor in whole.tensors {
      let other = try #require(file.tensor(named: tensor.name))
      #expect(other.type == tensor.type && other.dimensions == tensor.dimensions)
      #expect(other.bytes.array == tensor.bytes.array, "\(tensor.name)")
    }
    #expect(file.metadata.keys.filter { !GGUFFile.partKeys.contains($0) } == whole.metadata.keys)
    let sizes = try file.parts.map { try FileSystem.info($0)?.size ?? 0 }
    #expect(file.size == sizes.reduce(0, +))
  }

  /// Joined they are, byte for byte, the file that the same tool writes in one.
  @Test(arguments: ["tiny", "bare"])
  func joinedTheyAreTheWholeFile(_ name: String) throws {
    let file = try GGUFFile(path: Self.fixture("\(name)-00001-of-00003"))
    var told: [Int] = []
    try file.writeWhole(to: folder.path("one.gguf")) { done, _ in told.append(done) }
    #expect(
      try FileSystem.read(folder.path("one.gguf"), limit: 1 << 20)
        == FileSystem.read(Self.fixture("tiny"), limit: 1 << 20))
    #expect(told == told.sorted() && told.last == file.tensors.reduce(0) { $0 + $1.bytes.count })
  }

  @Test func whatEndsTheJoinLeavesNothing() throws {
    let file = try GGUFFile(path: Self.fixture("tiny-00001-of-00003"))
    struct Enough: Error {}
    #expect(throws: Enough.self) {
      try file.writeWhole(to: folder.path("one.gguf")) { done, _ in if done > 0 { throw Enough() } }
    }
    #expect(try FileSystem.list(folder.path) == [])
  }

  @Test func namesAreTakenApart() {
    let name = GGUFPartName("/a/m-00002-of-00010.gguf")
    #expect(name?.stem == "/a/m" && name?.number == 2 && name?.count == 10)
    #expect(name?.path(of: 10) == "/a/m-00010-of-00010.gguf")
    for other in [
      "m.gguf", "m-00000-of-00003.gguf", "m-00004-of-00003.gguf", "m-1-of-3.gguf", "",
      "m-00001-of-00000.gguf", "m-00001-of-00003.bin", "m-+0001-of-00003.gguf", "-of-00003.gguf",
    ] { #expect(GGUFPartName(other) == nil, "\(other)") }
  }

  /// A change to a copy of the parts, and the text that says what is wrong.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var opens = "tiny-00001-of-00003.gguf"
    let change: @Sendable (TemporaryDirectory) throws -> Void
    /// Follows the folder.
    let text: String

    init(
      _ name: String, opens: String = "tiny-00001-of-00003.gguf", _ text: String,
      _ change: @escaping @Sendable (TemporaryDirectory) throws -> Void = { _ in }
    ) {
      (testDescription, self.opens, self.text, self.change) = (name, opens, text, change)
    }
  }

  private static let faults = [
    Fault(
      "missing",
      "tiny-00001-of-00003.gguf: byte 6,599: this is part 1 of 3, and part 2, “tiny-00002-of-00003.gguf”, is not "
        + "beside it; put all parts into one folder, under the names that they had"
    ) { try FileManager.default.removeItem(atPath: $0.path("tiny-00002-of-00003.gguf")) },
    Fault(
      "a later one", opens: "tiny-00002-of-00003.gguf",
      "tiny-00002-of-00003.gguf: byte 24: this is part 2 of 3; give the first one, “tiny-00001-of-00003.gguf”, and "
        + "the others are found"),
    Fault(
      "another name", opens: "model.gguf",
      "model.gguf: byte 6,599: this is part 1 of 3, and its name does not end with “-00001-of-00003.gguf”; give all "
        + "parts the names that they had, so that the others are found"
    ) { try move("tiny-00001-of-00003.gguf", to: "model.gguf", in: $0) },
    Fault(
      "another count in the name", opens: "tiny-00001-of-00002.gguf",
      "tiny-00001-of-00002.gguf: byte 6,599: this is part 1 of 3, and its name does not end with "
        + "“-00001-of-00003.gguf”; give all parts the names that they had, so that the others are found"
    ) { try move("tiny-00001-of-00003.gguf", to: "tiny-00001-of-00002.gguf", in: $0) },
    Fault(
      "reordered",
      "tiny-00002-of-00003.gguf: byte 24: this is part 3 of 3, where its name and the first part say part 2 of 3; "
        + "download it again, or give it the name that it had"
    ) { folder in
      try move("tiny-00002-of-00003.gguf", to: "x", in: folder)
      try move("tiny-00003-of-00003.gguf", to: "tiny-00002-of-00003.gguf", in: folder)
      try move("x", to: "tiny-00003-of-00003.gguf", in: folder)
    },
    Fault(
      "no part",
      "tiny-00003-of-00003.gguf: byte 0: this is no part of a model, where its name and the first part say part 3 "
        + "of 3; download it again, or give it the name that it had"
    ) { try replace("tiny-00003-of-00003.gguf", by: "tiny", in: $0) },
    Fault(
      "of a model with other tensors",
      "tiny-00002-of-00003.gguf: byte 24: tensor “token_embd.weight” is in “tiny-00001-of-00003.gguf” already, so "
        + "that one of them is of another model; download all parts again, from one place"
    ) { try replace("tiny-00002-of-00003.gguf", by: "bare-00002-of-00003", in: $0, dropping: 4) },
    Fault(
      "too few tensors",
      "tiny-00001-of-00003.gguf: byte 6,599: the parts have 8 tensors together where 11 are promised here, so that "
        + "one is of another model; download all parts again, from one place"
    ) { try replace("tiny-00002-of-00003.gguf", by: "bare-00003-of-00003", in: $0, number: 1) },
    Fault(
      "cut",
      "tiny-00003-of-00003.gguf: byte 106: tensor “blk.0.ffn_down.weight” ends at byte 1,216 of a file of 1,000 bytes; "
        + "copy or download the file again"
    ) { folder in
      let path = folder.path("tiny-00003-of-00003.gguf")
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let bytes = try FileSystem.read(path, limit: 1 << 20)
      try Data(bytes.prefix(1000)).write(to: URL(fileURLWithPath: path))
    },
    Fault(
      "a folder in its place",
      "tiny-00002-of-00003.gguf: not a regular file; give the path of the file itself"
    ) { folder in
      try FileManager.default.removeItem(atPath: folder.path("tiny-00002-of-00003.gguf"))
      try FileManager.default.createDirectory(
        atPath: folder.path("tiny-00002-of-00003.gguf"), withIntermediateDirectories: false)
    },
    Fault(
      "a count beyond reason",
      "tiny-00001-of-00003.gguf: byte 6,599: metadata key “split.count” is 60000, which is out of range; write the file "
        + "again"
    ) { try patch("tiny-00001-of-00003.gguf", "split.count", 60_000, in: $0) },
    Fault(
      "a number beyond the count",
      "tiny-00001-of-00003.gguf: byte 6,599: this is part 8 of 3, where its name and the first part say part 1 of 3; "
        + "download it again, or give it the name that it had"
    ) { try patch("tiny-00001-of-00003.gguf", "split.no", 7, in: $0) },
  ]

  @Test(arguments: faults)
  func namesTheDefect(_ fault: Fault) throws {
    for number in 1...3 {
      let name = "tiny-0000\(number)-of-00003"
      _ = try folder.copy(URL(fileURLWithPath: Self.fixture(name)), to: name + ".gguf")
    }
    try fault.change(folder)
    let error = #expect(throws: FileError.self) {
      try GGUFFile(path: folder.path(fault.opens))
    }
    #expect(error?.description == folder.path + "/" + fault.text)
  }

  /// A part by itself, as it lies in memory, asks for no others.
  @Test func bytesAloneAreNotJoined() throws {
    let bytes = try FileSystem.read(Self.fixture("tiny-00001-of-00003"), limit: 1 << 20)
    #expect(try GGUFFile(bytes: TensorBytes(bytes), path: "m").tensors.count == 5)
  }

  private static func move(_ name: String, to other: String, in folder: TemporaryDirectory) throws {
    try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path(other))
  }

  /// Puts another fixture in the place of a part, with another number or count of tensors where they are given.
  private static func replace(
    _ name: String, by other: String, in folder: TemporaryDirectory, number: UInt16? = nil,
    dropping: Int = 0
  ) throws {
    try FileManager.default.removeItem(atPath: folder.path(name))
    _ = try folder.copy(URL(fileURLWithPath: fixture(other)), to: name)
    if let number { try patch(name, "split.no", number, in: folder) }
    // The first part has five tensors, this one nine, and the third one: 15 are what all have to state.
    guard dropping > 0 else { return }
    for number in 1...3 {
      try patch("tiny-0000\(number)-of-00003.gguf", "split.tensors.count", 15, in: folder)
    }
  }

  /// Writes `value` where the key's value is.
  private static func patch(
    _ name: String, _ key: String, _ value: UInt16, in folder: TemporaryDirectory
  ) throws {
    let path = folder.path(name)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    var bytes = try FileSystem.read(path, limit: 1 << 20)
    let place = try #require(bytes.firstRange(of: Array(key.utf8))).upperBound + 4
    (bytes[place], bytes[place + 1]) = (UInt8(value & 255), UInt8(value >> 8))
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}
