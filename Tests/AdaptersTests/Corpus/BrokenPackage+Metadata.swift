extension BrokenPackage {
  /// Text, keys, identifier, signature and rank.
  static let metadata: [BrokenPackage] = [
    BrokenPackage(
      "empty metadata",
      ["error metadata.json metadata.json, line 1, byte 0: the text ends inside a value."]
    ) { $0.metadata = "" },
    BrokenPackage(
      "metadata ends early",
      ["error metadata.json metadata.json, line 4, byte 123: the text ends inside a value."]
    ) { $0.metadata = String($0.metadata.prefix(123)) },
    BrokenPackage(
      "comma at the end",
      ["error metadata.json metadata.json, line 18, byte 607: found '}', expected a key in quotes."]
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": 2,") },
    BrokenPackage(
      "byte order mark",
      ["error metadata.json metadata.json, line 1, byte 0: the text starts with a byte order mark."]
    ) { $0.metadata = "\u{FEFF}" + $0.metadata },
    BrokenPackage(
      "metadata is not UTF-8",
      ["error metadata.json metadata.json, line 3, byte 59: a string is not UTF-8."]
    ) { package in
      var bytes = Array(package.metadata.utf8)
      bytes[60] = 0xFF
      package.files["metadata.json"] = bytes
    },
    BrokenPackage(
      "nested 100 deep",
      [
        "error metadata.json metadata.json, line 13, byte 580: "
          + "values are nested more than 64 deep."
      ]
    ) {
      let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
      $0.replace("\"1.0\"", deep)
    },
    BrokenPackage(
      "metadata is an array",
      ["error metadata.object metadata.json, line 1: The file holds an array, not an object."]
    ) { $0.metadata = "[]" },
    BrokenPackage(
      "duplicate key",
      [
        "error metadata.duplicate metadata.json, line 18, loraRank: The key stands twice in one object."
      ]
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": 2,\n    \"loraRank\": 4") },
    BrokenPackage(
      "duplicate key in creatorDefined",
      [
        "error metadata.duplicate metadata.json, line 14, creatorDefined.version: "
          + "The key stands twice in one object."
      ]
    ) { $0.replace("\"version\": \"1.0\"", "\"version\": \"1.0\",\n        \"version\": \"1.1\"") },
    BrokenPackage(
      "missing identifier",
      ["error metadata.missing metadata.json, adapterIdentifier: The key is missing."]
    ) { $0.replace("\"adapterIdentifier\": \"fmadapter-sample-0123456\",", "") },
    BrokenPackage(
      "missing signature",
      ["error metadata.missing metadata.json, baseModelSignature: The key is missing."]
    ) { $0.replace("\"baseModelSignature\": \"\(SamplePackage.signature)\",", "") },
    BrokenPackage(
      "missing rank", ["error metadata.missing metadata.json, loraRank: The key is missing."]
    ) { $0.replace(",\n    \"loraRank\": 2", "") },
    BrokenPackage(
      "author is a number",
      ["error metadata.type metadata.json, line 3, author: The value is an integer, not a string."]
    ) { $0.replace("\"tests\"", "7") },
    BrokenPackage(
      "description is null",
      ["error metadata.type metadata.json, line 15, description: The value is null, not a string."]
    ) { $0.replace("\"a sample\"", "null") },
    BrokenPackage(
      "creatorDefined is an array",
      [
        "error metadata.type metadata.json, line 5, creatorDefined: "
          + "The value is an array, not an object."
      ]
    ) { package in
      let object = package.metadata.drop { $0 != "{" }.dropFirst().drop { $0 != "{" }
      let end = object.range(of: "\"description\"")?.lowerBound ?? object.endIndex
      package.replace(String(object[..<end]), "[],\n    ")
    },
    BrokenPackage(
      "unknown key",
      [
        "note metadata.unknown metadata.json, line 18, lorarank: "
          + "The format does not define this key; it is kept and not used."
      ], category: nil
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": 2,\n    \"lorarank\": 2") },
    BrokenPackage(
      "identifier without prefix",
      [
        "error metadata.identifier metadata.json, line 2, adapterIdentifier: "
          + "The identifier does not start with \"fmadapter-\"."
      ]
    ) { $0.replace("fmadapter-sample", "sample") },
    BrokenPackage(
      "identifier without digits",
      [
        "error metadata.identifier metadata.json, line 2, adapterIdentifier: "
          + "The identifier does not end with a hyphen and 7 lowercase hexadecimal digits."
      ]
    ) { $0.replace("sample-0123456\"", "sample\"") },
    BrokenPackage(
      "hyphen in the name",
      [
        "error metadata.name metadata.json, line 2, adapterIdentifier: "
          + "The name in the identifier holds something else than letters, digits and underscores."
      ]
    ) { $0.replace("fmadapter-sample", "fmadapter-sam-ple") },
    BrokenPackage(
      "path in the name",
      [
        "error metadata.name metadata.json, line 2, adapterIdentifier: "
          + "The name in the identifier holds something else than letters, digits and underscores."
      ]
    ) { $0.replace("fmadapter-sample", "fmadapter-../../etc") },
    BrokenPackage(
      "empty name",
      [
        "error metadata.name metadata.json, line 2, adapterIdentifier: "
          + "The name in the identifier is empty or longer than 237 characters."
      ]
    ) { $0.replace("fmadapter-sample", "fmadapter-") },
    BrokenPackage(
      "identifier of another base",
      [
        "error metadata.identifier.signature metadata.json, line 2, adapterIdentifier: "
          + "The identifier ends with fedcba9, but the signature starts with 0123456."
      ]
    ) { $0.replace("sample-0123456", "sample-fedcba9") },
    BrokenPackage(
      "signature is no hex",
      [
        "error metadata.signature metadata.json, line 4, baseModelSignature: "
          + "The signature holds something else than hexadecimal digits."
      ]
    ) { $0.replace("\"baseModelSignature\": \"0123", "\"baseModelSignature\": \"z123") },
    BrokenPackage(
      "signature in uppercase",
      [
        "error metadata.signature metadata.json, line 4, baseModelSignature: "
          + "The signature has uppercase digits."
      ]
    ) { $0.replace(SamplePackage.signature, SamplePackage.signature.uppercased()) },
    BrokenPackage(
      "signature too short",
      [
        "error metadata.signature metadata.json, line 4, baseModelSignature: "
          + "The signature has 39 characters, not 40."
      ]
    ) { $0.replace(SamplePackage.signature, String(SamplePackage.signature.dropLast())) },
    BrokenPackage(
      "rank zero",
      ["error metadata.rank metadata.json, line 17, loraRank: The rank 0 is outside 1 to 4096."]
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": 0") },
    BrokenPackage(
      "rank negative",
      ["error metadata.rank metadata.json, line 17, loraRank: The rank -2 is outside 1 to 4096."]
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": -2") },
    BrokenPackage(
      "rank huge",
      [
        "error metadata.rank metadata.json, line 17, loraRank: "
          + "The rank 99999999999999999999 is outside 1 to 4096."
      ]
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": 99999999999999999999") },
    BrokenPackage(
      "rank with a fraction",
      [
        "error metadata.type metadata.json, line 17, loraRank: "
          + "The value is a number with a fraction, not an integer."
      ]
    ) { $0.replace("\"loraRank\": 2", "\"loraRank\": 2.0") },
  ]
}
