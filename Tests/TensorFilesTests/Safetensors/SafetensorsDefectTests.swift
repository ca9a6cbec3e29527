import SystemFiles
import Testing

@testable import TensorFiles

private let again = "; write the file again"
private let notJSON = "the header is not JSON as it should be: "

private func file(_ name: String, _ header: String, data: Int = 0, _ text: String) -> DefectCase {
  .init(name, safetensorsBytes(header, data: [UInt8](repeating: 0, count: data)), text)
}

/// A header with one tensor “a” of these fields.
private func one(_ fields: String) -> String { "{\"a\":{\(fields)}}" }

private let fields = "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"

private let headerCases: [DefectCase] = [
  .init(
    "empty file", [],
    "byte 0: the file ends inside the header length, which needs 8 bytes where 0 are left; "
      + "copy or download the file again"),
  .init(
    "header longer than the file", [9, 0, 0, 0, 0, 0, 0, 0, 123],
    "byte 8: the file ends inside the header, which needs 9 bytes where 1 are left; "
      + "copy or download the file again"),
  .init(
    "header beyond the limit", [1, 0xE1, 0xF5, 5, 0, 0, 0, 0],
    "byte 0: the header has 100,000,001 bytes, more than the limit of 100,000,000; "
      + "this is not a safetensors file, or it is damaged"),
  .init(
    "header length of -1", [UInt8](repeating: 0xFF, count: 8),
    "byte 0: the header has 18,446,744,073,709,551,615 bytes, more than the limit of 100,000,000; "
      + "this is not a safetensors file, or it is damaged"),
  file(
    "no header", "", "byte 8: \(notJSON)the text ends inside a value" + again),
  file(
    "header of something else", "[1]",
    "byte 8: the header starts with byte 91 instead of “{”; this is not a safetensors file"),
  file(
    "leading space", " {}",
    "byte 8: the header starts with byte 32 instead of “{”; this is not a safetensors file"),
  .init(
    "header not UTF-8", [3, 0, 0, 0, 0, 0, 0, 0, 123, 0xFF, 125],
    "byte 9: \(notJSON)found byte 0xff, expected a key in quotes" + again),
  file("text behind", "{} {}", "byte 11: \(notJSON)something follows the value" + again),
  file(
    "no closing brace", "{", "byte 9: \(notJSON)the text ends inside a value" + again),
  file(
    "comma at the end", one(fields + ","), data: 8,
    "byte 61: \(notJSON)found '}', expected a key in quotes" + again),
  file(
    "no colon", "{\"a\" 1}",
    "byte 13: \(notJSON)found '1', expected ':'" + again),
  file(
    "tensor that is no object", "{\"a\":1}",
    "byte 9: tensor “a” is not described by an object" + again),
  file(
    "open string", "{\"abc",
    "byte 13: \(notJSON)the text ends inside a value" + again),
  file(
    "line feed in a string", "{\"a\nb\":1}",
    "byte 11: \(notJSON)a string holds the control character byte 0x0a" + again),
  file(
    "unknown escape", "{\"\\x\":1}", "byte 10: \(notJSON)a string holds a malformed escape" + again),
  file(
    "half a surrogate", "{\"\\ud800\":1}",
    "byte 16: \(notJSON)a string holds a malformed escape" + again),
  file(
    "low surrogate", "{\"\\udc00\":1}",
    "byte 16: \(notJSON)a string holds a malformed escape" + again),
  file("short escape", "{\"\\u00", "byte 10: \(notJSON)a string holds a malformed escape" + again),
  file("escape at the end", "{\"\\", "byte 11: \(notJSON)the text ends inside a value" + again),
]

private func numbers(_ shape: String) -> String {
  "\"dtype\":\"U8\",\"shape\":[\(shape)],\"data_offsets\":[0,0]"
}

private let entryCases: [DefectCase] =
  [
    file(
      "duplicate tensor", "{\"a\":{\(fields)},\"a\":{\(fields)}}", data: 8,
      "byte 62: “a” occurs twice" + again),
    file(
      "duplicate through an escape", "{\"a\":{\(fields)},\"\\u0061\":{\(fields)}}", data: 8,
      "byte 62: “a” occurs twice" + again),
    file(
      "duplicate metadata", "{\"__metadata__\":{},\"__metadata__\":{}}",
      "byte 27: “__metadata__” occurs twice" + again),
    file(
      "duplicate metadata key", "{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}",
      "byte 32: “__metadata__.k” occurs twice" + again),
    file(
      "metadata that is no text", "{\"__metadata__\":{\"k\":1}}",
      "byte 25: the metadata under “k” are not texts" + again),
    file(
      "unknown field", one(fields + ",\"stride\":[1]"), data: 8,
      "byte 61: tensor “a” has the unknown field “stride”" + again),
    file(
      "field twice", one("\"shape\":[1],\"shape\":[1]"),
      "byte 26: “a.shape” occurs twice" + again),
    file("no dtype", one("\"shape\":[1]"), "byte 9: tensor “a” has no field “dtype”" + again),
    file(
      "no shape", one("\"dtype\":\"F32\",\"data_offsets\":[0,8]"),
      "byte 9: tensor “a” has no field “shape”" + again),
    file(
      "no offsets", one("\"dtype\":\"F32\",\"shape\":[1]"),
      "byte 9: tensor “a” has no field “data_offsets”" + again),
    file(
      "unknown type", one("\"dtype\":\"F4\",\"shape\":[],\"data_offsets\":[0,0]"),
      "byte 14: tensor “a” is of type “F4”, which cannot be read; save it as F32, F16 or BF16"),
    file(
      "three offsets", one("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]"),
      "byte 39: tensor “a” has 3 data_offsets instead of 2" + again),
    file(
      "a long name", "{\"\(String(repeating: "n", count: 4097))\":{}}",
      "byte 9: \(notJSON)a key has more than 4,096 bytes" + again),
    file(
      "too many values", one("\"shape\":[1\(String(repeating: ",1", count: 1 << 20))]"),
      "byte 1,966,097: \(notJSON)there are more than 983,040 values" + again),
    file(
      "nine dimensions", one(numbers("1,1,1,1,1,1,1,1,1")),
      "byte 27: tensor “a” has more than 8 dimensions; the file is damaged"),
  ]
  + ["-1", "1.5", "1e3", "9223372036854775808", "\"1\"", "null"].map { number in
    file(
      "number \(number)", one(numbers(number)),
      "byte 27: tensor “a” has a number that is not a whole number below 2^63" + again)
  }

private func placed(_ shape: String, _ offsets: String) -> String {
  "\"dtype\":\"F32\",\"shape\":[\(shape)],\"data_offsets\":[\(offsets)]"
}

private let placeCases: [DefectCase] = [
  file(
    "offsets reversed", one(placed("2", "8,0")), data: 8,
    "byte 9: tensor “a” ends at byte 0, before its start at 8" + again),
  file(
    "shape overflows", one(placed("4294967296,4294967296", "0,8")), data: 8,
    "byte 9: the size of tensor “a” does not fit 63 bits; the file is damaged"),
  file(
    "shape and offsets differ", one(placed("3", "0,8")), data: 8,
    "byte 9: tensor “a” takes 8 bytes, but its shape and type need 12" + again),
  file(
    "hole at the start", one(placed("2", "4,12")), data: 12,
    "byte 9: tensor “a” starts at byte 4 of the data and leaves a hole from 0" + again),
  file(
    "hole in between", "{\"a\":{\(placed("1", "0,4"))},\"b\":{\(placed("1", "8,12"))}}", data: 12,
    "byte 62: tensor “b” starts at byte 8 of the data and leaves a hole from 4" + again),
  file(
    "overlap", "{\"a\":{\(placed("2", "0,8"))},\"b\":{\(placed("1", "4,8"))}}", data: 8,
    "byte 62: tensor “b” starts at byte 4 of the data, inside another one that ends at 8" + again),
  file(
    "data beyond the file", one(placed("2", "0,8")), data: 7,
    "byte 9: the tensors end at byte 70 of a file of 69 bytes; copy or download the file again"),
  file(
    "bytes behind the data", one(placed("2", "0,8")), data: 9,
    "byte 70: the tensors end at byte 70 of a file of 71 bytes; copy or download the file again"),
  file(
    "bytes without tensors", "{}", data: 1,
    "byte 10: the tensors end at byte 10 of a file of 11 bytes; copy or download the file again"),
  file(
    "end at the last number",
    one(placed("2305843009213693951", "0,9223372036854775804")), data: 8,
    "byte 9: the tensors end at byte 9,223,372,036,854,775,807 of a file of 106 bytes; "
      + "copy or download the file again"),
]

@Suite struct SafetensorsDefectTests {
  @Test(arguments: headerCases + entryCases + placeCases)
  func namesTheDefect(test: DefectCase) {
    let error = #expect(throws: FileError.self) {
      try SafetensorsFile(bytes: TensorBytes(test.bytes), path: "m")
    }
    #expect(error?.description == "m: " + test.text)
  }

  @Test func countsTensors() {
    let entry = "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}"
    let header = "{\"a\":\(entry),\"b\":\(entry),\"c\":\(entry)}"
    let error = #expect(throws: FileError.self) {
      try SafetensorsHeader(Array(header.utf8), path: "m", start: 8, tensorLimit: 2)
    }
    #expect(
      error?.description == "m: byte 113: there are more than 65,536 tensors; the file is damaged")
  }
}
