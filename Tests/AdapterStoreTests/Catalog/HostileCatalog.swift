import Foundation
import Testing

/// A catalog with one thing wrong, and what is said about it.
struct HostileCatalog: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let text: String
  let reason: String

  /// Replaces `old` in the sample by `new`.
  init(_ name: String, _ old: String, _ new: String, _ reason: String) {
    precondition(SampleCatalog.text.contains(old), "the sample has no \(old)")
    testDescription = name
    text = SampleCatalog.text.replacingOccurrences(of: old, with: new)
    self.reason = reason
  }

  init(_ name: String, whole text: String, _ reason: String) {
    testDescription = name
    self.text = text
    self.reason = reason
  }

  static let all = syntax + identities + addresses + files

  static let syntax: [HostileCatalog] = [
    HostileCatalog(
      "empty", whole: "", "line 1, byte 0: the text ends inside a value"),
    HostileCatalog(
      "a login page", whole: "<!DOCTYPE html>",
      "line 1, byte 0: found '<', expected a value"),
    HostileCatalog(
      "truncated", "]\n    }\n  ]\n}", "]", "line 17, byte 645: the text ends inside a value"),
    HostileCatalog(
      "nested too deeply", "\"formatVersion\": 1",
      "\"x\": " + String(repeating: "[", count: 200_000),
      "line 2, byte 72: values are nested more than 64 deep"),
    HostileCatalog(
      "too large", whole: String(repeating: " ", count: (8 << 20) + 1),
      "line 1, byte 8,388,608: the text has 8,388,609 bytes, the limit is 8,388,608"),
    HostileCatalog(
      "too many values", whole: "[" + String(repeating: "1,", count: 300_000),
      "line 1, byte 524,287: there are more than 262,144 values"),
    HostileCatalog(
      "a long key", whole: "{\"\(String(repeating: "k", count: 4097))\": 1}",
      "line 1, byte 1: a key has more than 4,096 bytes"),
    HostileCatalog(
      "a long number", whole: String(repeating: "9", count: 4097),
      "line 1, byte 0: a number has more than 4,096 bytes"),
    HostileCatalog(
      "a key twice", "\"formatVersion\": 1,", "\"formatVersion\": 1, \"formatVersion\": 2,",
      "formatVersion, line 2: the key stands there twice; only one may stay"),
    HostileCatalog(
      "a digest twice", "\"size\": 20}", "\"size\": 20, \"size\": 21}",
      "adapters[0].files[0].size, line 14: the key stands there twice; only one may stay"),
    HostileCatalog(
      "an array", whole: "[]",
      "the whole file: the value is an array, not an object; write an object"),
    HostileCatalog(
      "no version", "\"formatVersion\": 1,", "",
      "the whole file: the key 'formatVersion' is missing; add it"),
    HostileCatalog(
      "a later format", "\"formatVersion\": 1", "\"formatVersion\": 2",
      "formatVersion, line 2: version 2 is not known here; use a newer fmadapter"),
    HostileCatalog(
      "format as text", "\"formatVersion\": 1", "\"formatVersion\": \"1\"",
      "formatVersion, line 2: the value is a string, not an integer of 64 bits; "
        + "write an integer of 64 bits"),
    HostileCatalog(
      "adapters by name", whole: "{\"formatVersion\": 1, \"adapters\": {}}",
      "adapters, line 1: the value is an object, not an array; write an array"),
    HostileCatalog(
      "an adapter is a number", whole: "{\"formatVersion\": 1, \"adapters\": [7]}",
      "adapters[0]: the value is an integer, not an object; write an object"),
  ]

  static let identities: [HostileCatalog] = [
    HostileCatalog(
      "identifier with steps", "fmadapter-demo-0123456", "../../etc/passwd",
      "adapters[0].identifier, line 8: not an identifier; "
        + "write fmadapter-<name>-<first 7 digits of the signature>"),
    HostileCatalog(
      "identifier is null", "\"fmadapter-demo-0123456\"", "null",
      "adapters[0]: the key 'identifier' is missing; add it"),
    HostileCatalog(
      "signature too short", "\(StoreFixture.first)", "0123456",
      "adapters[0].baseModelSignature, line 6: not a signature; "
        + "write 40 lowercase hexadecimal digits"),
    HostileCatalog(
      "signature of another base", "\(StoreFixture.first)", "\(StoreFixture.second)",
      "adapters[0].baseModelSignature, line 6: the signature does not start with the identifier's "
        + "0123456; publish the package again"),
    HostileCatalog(
      "another name", "\"name\": \"demo\"", "\"name\": \"playwriting\"",
      "adapters[0].name, line 10: the name is not the one in the identifier; write 'demo'"),
    HostileCatalog(
      "name in lookalike letters", "\"name\": \"demo\"", "\"name\": \"dem\u{43E}\"",
      "adapters[0].name, line 10: the name is not the one in the identifier; write 'demo'"),
    HostileCatalog(
      "version with steps", "\"version\": \"1.0.0\"", "\"version\": \"../1\"",
      "adapters[0].version, line 12: not a semantic version; write three numbers, such as 1.0.0"),
    HostileCatalog(
      "version is a number", "\"version\": \"1.0.0\"", "\"version\": 1.0",
      "adapters[0].version, line 12: the value is a number with a fraction, not a string; "
        + "write a string"),
    HostileCatalog(
      "licence is a list", "\"license\": \"MIT\"", "\"license\": [\"MIT\"]",
      "adapters[0].license, line 9: the value is an array, not a string; write a string"),
    HostileCatalog(
      "the same version twice", "\n  ]\n}",
      ",\n" + SampleCatalog.entry.replacingOccurrences(of: "1.0.0", with: "1.0.0+again")
        + "\n  ]\n}",
      "adapters[1]: fmadapter-demo-0123456 1.0.0+again is listed twice; only one may stay"),
  ]

  static let files: [HostileCatalog] = [
    HostileCatalog(
      "file with steps", "\"path\": \"metadata.json\"", "\"path\": \"../metadata.json\"",
      "adapters[0].files[0].path, line 13: not a file of a package; there are: metadata.json, "
        + "adapter_weights.bin, draft.mil, draft_weights.bin, draft.gguf, "
        + "draft_suffixes.bin, model.sig"),
    HostileCatalog(
      "file is absolute", "\"path\": \"metadata.json\"", "\"path\": \"/etc/passwd\"",
      "adapters[0].files[0].path, line 13: not a file of a package; there are: metadata.json, "
        + "adapter_weights.bin, draft.mil, draft_weights.bin, draft.gguf, "
        + "draft_suffixes.bin, model.sig"),
    HostileCatalog(
      "file is hidden", "\"path\": \"metadata.json\"", "\"path\": \".metadata.json\"",
      "adapters[0].files[0].path, line 13: not a file of a package; there are: metadata.json, "
        + "adapter_weights.bin, draft.mil, draft_weights.bin, draft.gguf, "
        + "draft_suffixes.bin, model.sig"),
    HostileCatalog(
      "a file twice", "\"path\": \"adapter_weights.bin\"", "\"path\": \"metadata.json\"",
      "adapters[0].files[1]: 'metadata.json' is listed twice; only one may stay"),
    HostileCatalog(
      "no weights", "\"path\": \"adapter_weights.bin\"", "\"path\": \"draft.gguf\"",
      "adapters[0].files, line 13: 'adapter_weights.bin' is missing; no package is without it"),
    HostileCatalog(
      "size below zero", "\"size\": 20", "\"size\": -20",
      "adapters[0].files[0].size, line 14: not a number of bytes; "
        + "write one from 0 to 2^40 - 1"),
    HostileCatalog(
      "size beyond 64 bits", "\"size\": 20", "\"size\": 20000000000000000000",
      "adapters[0].files[0].size, line 14: the value is an integer, not an integer of 64 bits; "
        + "write an integer of 64 bits"),
    HostileCatalog(
      "size with a fraction", "\"size\": 20", "\"size\": 20.0",
      "adapters[0].files[0].size, line 14: the value is a number with a fraction, "
        + "not an integer of 64 bits; write an integer of 64 bits"),
    HostileCatalog(
      "sizes that are too large together", "\"size\": 20", "\"size\": 1099511627775",
      "adapters[0].files, line 13: the files have 1,099,511,628,075 bytes together; "
        + "less than 2^40 are allowed"),
    HostileCatalog(
      "digest in capitals", String(repeating: "a", count: 64), String(repeating: "A", count: 64),
      "adapters[0].files[0].sha256, line 13: not a digest; "
        + "write 64 lowercase hexadecimal digits"),
    HostileCatalog(
      "digest as path", String(repeating: "a", count: 64), "../../etc/passwd",
      "adapters[0].files[0].sha256, line 13: not a digest; "
        + "write 64 lowercase hexadecimal digits"),
    HostileCatalog(
      "digest too long", String(repeating: "a", count: 64), String(repeating: "a", count: 65),
      "adapters[0].files[0].sha256, line 13: not a digest; "
        + "write 64 lowercase hexadecimal digits"),
  ]
}

extension HostileCatalog {
  static let addresses: [HostileCatalog] = [
    HostileCatalog(
      "from https to http", url: "http://adapters.example/x/",
      "a catalog that came by https does not lead to http; write https"),
    HostileCatalog(
      "to a file", url: "file:///etc/",
      "a catalog leads to files only inside its own folder; write a relative path"),
    HostileCatalog(
      "to a file in capitals", url: "FILE:///etc/",
      "a catalog leads to files only inside its own folder; write a relative path"),
    HostileCatalog(
      "another scheme", url: "ftp://adapters.example/x/",
      "the scheme is not known here; write https"),
    HostileCatalog(
      "steps upwards", url: "../../x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "steps upwards in the middle", url: "a/../../x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "steps upwards at a host", url: "https://adapters.example/a/../x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "encoded steps", url: "%2e%2E/x/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "encoded slashes", url: "a%2F..%2f..%2fx/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "encoded backslashes", url: "a%5C..%5Cx/",
      "steps such as .. lead out of the folder; write the path without them"),
    HostileCatalog(
      "an encoded line end", url: "a%0d%0aHost:%20x/",
      "the address holds a control character; write it without"),
    HostileCatalog(
      "half an escape", url: "a%2/",
      "a % is followed by something else than two hexadecimal digits"),
    HostileCatalog(
      "a host without a scheme", url: "//evil.example/x/",
      "the scheme is missing; write the whole address"),
    HostileCatalog(
      "a password", url: "https://user:secret@adapters.example/x/",
      "the address has no plain host; write https://host/path/"),
    HostileCatalog(
      "no host", url: "https:///x/", "the address has no plain host; write https://host/path/"),
    HostileCatalog("a query", url: "x/?a=b", alphabet),
    HostileCatalog("a fragment", url: "x/#a", alphabet),
    HostileCatalog("a space", url: "my adapters/", alphabet),
    HostileCatalog("empty address", url: "", alphabet),
    HostileCatalog("too long", url: String(repeating: "a", count: 2049), alphabet),
  ]

  private static let alphabet =
    "not an address of a folder; write up to 2048 letters, digits and -._~%/:+,;=@"

  private init(_ name: String, url: String, _ reason: String) {
    self.init(
      name, "fmadapter-demo-0123456/1.0.0/", url, "adapters[0].url, line 11: " + reason)
  }
}
