import SystemFiles
import Testing

@testable import TensorFiles

/// One damaged file and the exact text that names what is wrong with it.
struct DefectCase: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  let text: String
  var testDescription: String { name }

  init(_ name: String, _ bytes: [UInt8], _ text: String) {
    self.name = name
    self.bytes = bytes
    self.text = text
  }

  init(_ name: String, _ sample: GGUFSample, _ text: String) {
    self.init(name, sample.bytes(), text)
  }
}

private let huge = UInt64.max
private let array = 9 as UInt32

/// A file with one key.
private func keyed(
  _ name: String, _ type: UInt32, _ value: @escaping (inout ByteBuilder) -> Void = { _ in }
) -> GGUFSample {
  GGUFSample(keys: [key(name, type, value)])
}

extension GGUFSample {
  /// The same bytes with another number of keys in the header.
  fileprivate func withKeyCount(_ count: UInt64) -> GGUFSample {
    var sample = self
    sample.keyCount = count
    return sample
  }
}

/// A file with tensors and 64 bytes of data.
private func tensored(_ tensors: GGUFSample.Tensor..., alignment: Int = 32) -> GGUFSample {
  GGUFSample(
    keys: alignment == 32 ? [] : [key("general.alignment", 4) { $0.u32(UInt32(alignment)) }],
    tensors: tensors, alignment: alignment, data: [UInt8](repeating: 0, count: 64))
}

private let headerCases: [DefectCase] = [
  .init(
    "empty file", [],
    "byte 0: the file ends inside the magic, which needs 4 bytes where 0 are left; "
      + "copy or download the file again"),
  .init(
    "four bytes", Array("GGUF".utf8),
    "byte 4: the file ends inside the version, which needs 4 bytes where 0 are left; "
      + "copy or download the file again"),
  .init(
    "wrong magic", GGUFSample(magic: "GGML"),
    "byte 0: this is not a GGUF file: it starts with 47474d4c instead of 47475546"),
  .init(
    "page of the web", Array("<!doctype html>".utf8),
    "byte 0: this is not a GGUF file, but a page of the web: it starts with 3c21646f instead of 47475546; "
      + "give the address that its download button has"),
  .init(
    "archive", [0x50, 0x4B, 3, 4],
    "byte 0: this is not a GGUF file, but an archive: it starts with 504b0304 instead of 47475546; unpack it"
  ),
  .init(
    "form before GGUF", Array("tjgg".utf8),
    "byte 0: this is not a GGUF file, but a model in a form that GGUF has replaced: it starts with 746a6767 "
      + "instead of 47475546; convert the model again"),
  .init(
    "version 1", GGUFSample(version: 1),
    "byte 4: GGUF version 1 is no longer read; convert the model again with a current converter"),
  .init(
    "big-endian", GGUFSample(version: 3 << 24),
    "byte 4: the file is big-endian; convert the model again for little-endian machines"),
  .init(
    "version 0", GGUFSample(version: 0),
    "byte 4: GGUF version 0 is unknown, 2 and 3 can be read; update this program"),
  .init(
    "version 4", GGUFSample(version: 4),
    "byte 4: GGUF version 4 is unknown, 2 and 3 can be read; update this program"),
  .init(
    "tensor count of -1", GGUFSample(tensorCount: huge),
    "byte 8: 18,446,744,073,709,551,615 tensors are more than the limit of 65,536; the file is damaged"
  ),
  .init(
    "too many tensors", GGUFSample(tensorCount: 65_537),
    "byte 8: 65,537 tensors are more than the limit of 65,536; the file is damaged"),
  .init(
    "too many keys", GGUFSample(keyCount: huge),
    "byte 16: 18,446,744,073,709,551,615 metadata keys are more than the limit of 65,536; "
      + "the file is damaged"),
  .init(
    "counts beyond the file", GGUFSample(tensorCount: 65_536, keyCount: 65_536),
    "byte 24: the file ends inside the metadata and the tensor table, which needs 3,080,192 bytes "
      + "where 8 are left; copy or download the file again"),
]

private let metadataCases: [DefectCase] =
  [
    .init(
      "empty key", keyed("", 0) { $0.zeros(5) },
      "byte 24: a metadata key is empty; write the file again"),
    .init(
      "long key", keyed(String(repeating: "k", count: 65_536), 0) { $0.u8(1) },
      "byte 24: a metadata key of 65,536 bytes is longer than the limit of 65,535; "
        + "the file is damaged"),
    .init(
      "key length beyond the file",
      GGUFSample(keys: [
        { out in
          out.u64(4000)
          out.zeros(20)
        }
      ]),
      "byte 32: the file ends inside a metadata key, which needs 4,000 bytes where 32 are left; "
        + "copy or download the file again"),
    .init(
      "key not UTF-8",
      GGUFSample(keys: [
        { out in
          out.u64(1)
          out.raw([0xFF, 0, 0, 0, 0, 1])
        }
      ]), "byte 24: a metadata key is not UTF-8; the file is damaged"),
    .init(
      "duplicate key", GGUFSample(keys: [key("k", 0) { $0.u8(1) }, key("k", 7) { $0.u8(1) }]),
      "byte 38: metadata key “k” occurs twice; write the file again"),
    .init(
      "unknown value type", keyed("k", 13) { $0.u64(0) },
      "byte 33: metadata key “k” has the unknown value type 13; update this program"),
    .init(
      "unknown element type",
      keyed("k", array) { out in
        out.u32(77)
        out.u64(1)
      }, "byte 37: metadata key “k” has the unknown value type 77; update this program"),
    .init(
      "array of arrays",
      keyed("k", array) { out in
        out.u32(array)
        out.u64(0)
      },
      "byte 37: metadata key “k” holds an array of arrays, which is not supported; remove the key"),
    .init(
      "string longer than the limit", keyed("k", 8) { $0.u64(16 << 20 + 1) },
      "byte 37: a string of metadata key “k” has 16,777,217 bytes, more than the limit of 16,777,216; "
        + "the file is damaged"),
    .init(
      "string length of -1", keyed("k", 8) { $0.u64(huge) },
      "byte 37: a string of metadata key “k” has 18,446,744,073,709,551,615 bytes, more than the limit of "
        + "16,777,216; the file is damaged"),
    .init(
      "string beyond the file", keyed("k", 8) { $0.u64(100) },
      "byte 45: the file ends inside a string of “k”, which needs 100 bytes where 19 are left; "
        + "copy or download the file again"),
    .init(
      "array longer than the limit",
      keyed("k", array) { out in
        out.u32(0)
        out.u64(16 << 20 + 1)
      },
      "byte 41: the array of metadata key “k” has 16,777,217 elements, more than the limit of "
        + "16,777,216; the file is damaged"),
    .init(
      "array length of -1",
      keyed("k", array) { out in
        out.u32(12)
        out.u64(huge)
      },
      "byte 41: the array of metadata key “k” has 18,446,744,073,709,551,615 elements, more than the "
        + "limit of 16,777,216; the file is damaged"),
    .init(
      "numbers beyond the file",
      keyed("k", array) { out in
        out.u32(12)
        out.u64(1 << 24)
      },
      "byte 49: the file ends inside the array of “k”, which needs 134,217,728 bytes where 15 are "
        + "left; copy or download the file again"),
    .init(
      "strings beyond the file",
      keyed("k", array) { out in
        out.u32(8)
        out.u64(1 << 24)
      },
      "byte 49: the file ends inside the array of “k”, which needs 134,217,728 bytes where 15 are "
        + "left; copy or download the file again"),
    .init(
      "second string of an array beyond the file",
      keyed("k", array) { out in
        out.u32(8)
        out.u64(2)
        out.string("ab")
        out.u64(99)
      },
      "byte 67: the file ends inside a string of “k”, which needs 99 bytes where 29 are left; "
        + "copy or download the file again"),
    .init(
      "truth value of 2", keyed("k", 7) { $0.u8(2) },
      "byte 37: metadata key “k” is a truth value of 2 instead of 0 or 1; the file is damaged"),
    .init(
      "truth value of 255 in an array",
      keyed("k", array) { out in
        out.u32(7)
        out.u64(3)
        out.raw([0, 1, 255])
      }, "byte 51: metadata key “k” is a truth value of 255 instead of 0 or 1; the file is damaged"),
    .init(
      "alignment of another type", keyed("general.alignment", 10) { $0.u64(32) },
      "byte 24: general.alignment is of type uint64 instead of uint32; write the file again"),
  ]
  + [(0, "0"), (3, "3"), (48, "48"), (2 << 20, "2,097,152"), (1 << 31, "2,147,483,648")].map {
    value, text in
    .init(
      "alignment \(value)", keyed("general.alignment", 4) { $0.u32(value) },
      "byte 24: general.alignment is \(text) instead of a power of two up to 1,048,576; "
        + "write the file again")
  }

private let tensorCases: [DefectCase] = [
  .init(
    "no name", tensored(.init(name: "")), "byte 24: a tensor has no name; write the file again"),
  .init(
    "long name", tensored(.init(name: String(repeating: "n", count: 64))),
    "byte 24: a tensor name of 64 bytes is longer than the limit of 63; the file is damaged"),
  .init(
    "name not UTF-8",
    GGUFSample(
      tensorCount: 1,
      keys: [
        { out in
          out.u64(1)
          out.u8(0xC0)
          out.zeros(30)
        }
      ]
    ).withKeyCount(0), "byte 24: a tensor name is not UTF-8; the file is damaged"),
  .init(
    "duplicate name", tensored(.init(), .init(offset: 32)),
    "byte 57: tensor “t” occurs twice; write the file again"),
  .init(
    "no dimensions", tensored(.init(dimensions: [])),
    "byte 33: tensor “t” has 0 dimensions instead of 1 to 4; the file is damaged"),
  .init(
    "five dimensions", tensored(.init(dimensions: [1, 1, 1, 1, 1])),
    "byte 33: tensor “t” has 5 dimensions instead of 1 to 4; the file is damaged"),
  .init(
    "dimension count of -1", tensored(.init(dimensionCount: .max)),
    "byte 33: tensor “t” has 4,294,967,295 dimensions instead of 1 to 4; the file is damaged"),
  .init(
    "dimension of 0", tensored(.init(dimensions: [4, 0])),
    "byte 45: tensor “t” has a dimension of 0; write the file again"),
  .init(
    "dimension of -1", tensored(.init(dimensions: [huge])),
    "byte 37: the size of tensor “t” does not fit 63 bits; the file is damaged"),
  .init(
    "product of dimensions overflows", tensored(.init(dimensions: [1 << 32, 1 << 32])),
    "byte 24: the size of tensor “t” does not fit 63 bits; the file is damaged"),
  .init(
    "product of rows overflows", tensored(.init(dimensions: [1, 1 << 40, 1 << 40])),
    "byte 24: the size of tensor “t” does not fit 63 bits; the file is damaged"),
  .init(
    "product of dimensions wraps to a small number",
    tensored(.init(dimensions: [1 << 32, 1 << 31, 2])),
    "byte 24: the size of tensor “t” does not fit 63 bits; the file is damaged"),
  .init(
    "bytes overflow", tensored(.init(dimensions: [1 << 61])),
    "byte 24: the size of tensor “t” does not fit 63 bits; the file is damaged"),
  .init(
    "removed type", tensored(.init(type: 4)),
    "byte 45: tensor “t” is of type 4 (Q4_2, removed from ggml), which cannot be read; "
      + "use a file of another one, such as Q8_0, Q4_K or IQ4_XS"),
  .init(
    "type that is not read", tensored(.init(type: 19)),
    "byte 45: tensor “t” is of type 19 (IQ1_S), which cannot be read; "
      + "use a file of another one, such as Q8_0, Q4_K or IQ4_XS"),
  .init(
    "unknown type", tensored(.init(type: 99)),
    "byte 45: tensor “t” is of type 99, which cannot be read; use a file of another one, such as Q8_0, Q4_K or IQ4_XS"
  ),
  .init(
    "broken row", tensored(.init(dimensions: [33, 2], type: 8)),
    "byte 24: tensor “t” has rows of 33 values, which is not a multiple of the 32 that Q8_0 "
      + "needs; write the file again"),
  .init(
    "misaligned", tensored(.init(offset: 16)),
    "byte 24: tensor “t” starts 16 bytes into the data, which is not a multiple of the alignment "
      + "32; write the file again"),
  .init(
    "starts beyond the file", tensored(.init(offset: 128)),
    "byte 24: tensor “t” ends at byte 208 of a file of 128 bytes; copy or download the file again"),
  .init(
    "offset of -32", tensored(.init(offset: huge - 31)),
    "byte 24: tensor “t” ends at byte 18,446,744,073,709,551,615 of a file of 128 bytes; "
      + "copy or download the file again"),
  .init(
    "ends beyond the file", tensored(.init(dimensions: [17])),
    "byte 24: tensor “t” ends at byte 132 of a file of 128 bytes; copy or download the file again"),
  .init(
    "overlap", tensored(.init(name: "a", dimensions: [9]), .init(name: "b", offset: 32)),
    "byte 57: tensor “b” overlaps tensor “a”; write the file again"),
  .init(
    "same place", tensored(.init(name: "a"), .init(name: "b")),
    "byte 57: tensor “b” overlaps tensor “a”; write the file again"),
  .init(
    "table beyond the file", Array(tensored(.init()).bytes().prefix(57)),
    "byte 24: tensor “t” ends at byte 80 of a file of 57 bytes; copy or download the file again"),
]

@Suite struct GGUFDefectTests {
  @Test(arguments: headerCases + metadataCases + tensorCases)
  func namesTheDefect(test: DefectCase) {
    let error = #expect(throws: FileError.self) {
      try GGUFFile(bytes: TensorBytes(test.bytes), path: "m.gguf")
    }
    #expect(error?.description == "m.gguf: " + test.text)
    #expect(error?.path == "m.gguf")
  }

  /// A wrong type of a value is an error of whoever asks for it.
  @Test func namesWrongTypes() throws {
    let sample = GGUFSample(keys: [
      key("text", 8) { $0.string("x") }, key("number", 4) { $0.u32(1) },
      key("big", 10) { $0.u64(.max) },
      key("bytes", 8) { out in
        out.u64(1)
        out.u8(0xFF)
      },
      key("floats", 9) { out in
        out.u32(6)
        out.u64(1)
        out.u32(0)
      },
      key("bigs", 9) { out in
        out.u32(10)
        out.u64(1)
        out.u64(.max)
      },
    ])
    let metadata = try GGUFFile(bytes: TensorBytes(sample.bytes()), path: "m").metadata
    let wrong: [(String, () throws -> Any?)] = [
      ("text” is string instead of integer", { try metadata.integer("text") }),
      ("text” is string instead of number", { try metadata.float("text") }),
      ("text” is string instead of bool", { try metadata.bool("text") }),
      ("text” is string instead of array of strings", { try metadata.strings("text") }),
      ("number” is uint32 instead of string", { try metadata.string("number") }),
      ("number” is uint32 instead of string", { try metadata.bytes("number") }),
      ("number” is uint32 instead of array of integers", { try metadata.integers("number") }),
      (
        "floats” is array of float32 instead of array of strings",
        { try metadata.strings("floats") }
      ),
      (
        "floats” is array of float32 instead of array of integers",
        { try metadata.integers("floats") }
      ),
      ("bigs” is array of uint64 instead of array of numbers", { try metadata.floats("bigs") }),
      ("big” is 18446744073709551615, which is out of range", { try metadata.integer("big") }),
      ("bigs” is 18446744073709551615, which is out of range", { try metadata.integers("bigs") }),
      ("bytes” is not UTF-8 text", { try metadata.string("bytes") }),
    ]
    for (text, ask) in wrong {
      let error = #expect(throws: FileError.self) { _ = try ask() }
      #expect(
        error?.description.contains("metadata key “\(text); write the file again") == true,
        "\(text)")
    }
    #expect(try metadata.bytes("bytes") == [0xFF])
  }

  @Test func findsDuplicatesAmongManyKeysQuickly() throws {
    var sample = GGUFSample(keys: (0..<5000).map { index in key("key.\(index)", 0) { $0.u8(1) } })
    #expect(try GGUFFile(bytes: TensorBytes(sample.bytes()), path: "m").metadata.keys.count == 5000)
    sample.keys.append(key("key.17", 0) { $0.u8(1) })
    #expect(throws: FileError.self) {
      try GGUFFile(bytes: TensorBytes(sample.bytes()), path: "m")
    }
  }
}
