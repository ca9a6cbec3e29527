import Adapters

extension BrokenPackage {
  /// The object `creatorDefined.fmadapter`.
  static let settings: [BrokenPackage] = [
    BrokenPackage(
      "alpha is NaN",
      ["error metadata.json metadata.json, line 7, byte 216: NaN is not a JSON number."]
    ) { $0.replace("\"alpha\": 4.0", "\"alpha\": NaN") },
    BrokenPackage(
      "alpha zero",
      [
        "error settings.alpha metadata.json, line 7, creatorDefined.fmadapter.alpha: "
          + "Alpha is 0.0; it has to be above zero and within 32-bit floats."
      ]
    ) { $0.replace("\"alpha\": 4.0", "\"alpha\": 0.0") },
    BrokenPackage(
      "alpha negative",
      [
        "error settings.alpha metadata.json, line 7, creatorDefined.fmadapter.alpha: "
          + "Alpha is -4.0; it has to be above zero and within 32-bit floats."
      ]
    ) { $0.replace("\"alpha\": 4.0", "\"alpha\": -4.0") },
    BrokenPackage(
      "alpha beyond doubles",
      [
        "error settings.alpha metadata.json, line 7, creatorDefined.fmadapter.alpha: "
          + "Alpha is 1e400; it has to be above zero and within 32-bit floats."
      ]
    ) { $0.replace("\"alpha\": 4.0", "\"alpha\": 1e400") },
    BrokenPackage(
      "alpha is text",
      [
        "error settings.type metadata.json, line 7, creatorDefined.fmadapter.alpha: "
          + "The value is a string, not a number."
      ]
    ) { $0.replace("\"alpha\": 4.0", "\"alpha\": \"4\"") },
    BrokenPackage(
      "alpha missing",
      [
        "error settings.missing metadata.json, creatorDefined.fmadapter.alpha: The key is missing."
      ]
    ) { $0.replace("\"alpha\": 4.0,", "") },
    BrokenPackage(
      "unknown target",
      [
        "error settings.target metadata.json, line 10, creatorDefined.fmadapter.targets[0]: "
          + "\"q_proj\" is not a target."
      ]
    ) { $0.replace("\"attn_q\"", "\"q_proj\"") },
    BrokenPackage(
      "targets out of order",
      [
        "warning settings.order metadata.json, line 10, creatorDefined.fmadapter.targets: "
          + "The targets are not in the order of the tensors: "
          + "query, key, value, output, gate, up, down, then those of convolutions and of delta rules."
      ], category: nil
    ) { $0.replace("\"attn_q\", \"attn_k\"", "\"attn_k\", \"attn_q\"") },
    BrokenPackage(
      "target twice",
      [
        "error settings.targets metadata.json, line 10, creatorDefined.fmadapter.targets: "
          + "A target stands twice in the list."
      ]
    ) { $0.replace("\"attn_q\"", "\"attn_q\", \"attn_q\"") },
    BrokenPackage(
      "targets empty",
      [
        "error settings.targets metadata.json, line 10, creatorDefined.fmadapter.targets: "
          + "The list of targets is empty."
      ]
    ) { package in
      let start =
        package.metadata.range(of: "[\"attn_q\"")?.lowerBound ?? package.metadata.startIndex
      let list = package.metadata[start...].prefix { $0 != "]" } + "]"
      package.replace(String(list), "[]")
    },
    BrokenPackage(
      "settings version 2",
      [
        "error settings.version metadata.json, line 9, creatorDefined.fmadapter.formatVersion: "
          + "Version 2 is not known here; this program reads version 1."
      ]
    ) { $0.replace("\"formatVersion\": 1", "\"formatVersion\": 2") },
    BrokenPackage(
      "settings are text",
      [
        "error settings.type metadata.json, line 6, creatorDefined.fmadapter: "
          + "The value is a string, not an object."
      ]
    ) { package in
      let start = package.metadata.range(of: "{\n            \"alpha\"")?.lowerBound
      let object =
        package.metadata[(start ?? package.metadata.startIndex)...].prefix { $0 != "}" } + "}"
      package.replace(String(object), "\"none\"")
    },
    BrokenPackage(
      "digest too short",
      [
        "error settings.digest metadata.json, line 11, creatorDefined.fmadapter.weightsSHA256: "
          + "The digest is not 64 lowercase hexadecimal digits."
      ]
    ) { $0.replace("\"weightsSHA256\": \"", "\"weightsSHA256\": \"0") },
    BrokenPackage(
      "version of two numbers",
      [
        "error settings.adapterVersion metadata.json, line 11, creatorDefined.fmadapter.version: "
          + "The adapter's version is not a semantic version of at most 64 characters."
      ]
    ) { $0.replace("\"weightsSHA256\": \"", "\"version\": \"1.0\", \"weightsSHA256\": \"") },
    BrokenPackage(
      "version is a number",
      [
        "error settings.type metadata.json, line 11, creatorDefined.fmadapter.version: "
          + "The value is a number with a fraction, not a string."
      ]
    ) { $0.replace("\"weightsSHA256\": \"", "\"version\": 1.0, \"weightsSHA256\": \"") },
    BrokenPackage(
      "sampling is text",
      [
        "error settings.type metadata.json, line 11, creatorDefined.fmadapter.sampling: "
          + "The value is a string, not an object."
      ]
    ) { $0.replace("\"weightsSHA256\": \"", "\"sampling\": \"greedy\", \"weightsSHA256\": \"") },
    BrokenPackage(
      "sampling beyond its ranges",
      [
        "error settings.sampling metadata.json, line 11, creatorDefined.fmadapter.sampling.topP: "
          + "The top-p is 2; it has to be above 0 and at most 1.",
        "error settings.type metadata.json, line 11, creatorDefined.fmadapter.sampling.topK: "
          + "The value is a string, not a number.",
        "warning settings.sampling metadata.json, line 11, creatorDefined.fmadapter.sampling.heat: "
          + "\"heat\" is nothing that answers are drawn by.",
      ]
    ) {
      $0.replace(
        "\"weightsSHA256\": \"",
        "\"sampling\": {\"temperature\": 0.7, \"topP\": 2, \"topK\": \"9\", \"heat\": 1}, \"weightsSHA256\": \""
      )
    },
    invocation(
      "is text", "\"assistant\"", ["settings.type #: The value is a string, not an array."]),
    invocation("is empty", "[]", ["settings.invocation #: The invocation has 0 tokens."]),
    invocation(
      "is too long", "[\((0...256).map { _ in "1" }.joined(separator: ", "))]",
      ["settings.invocation #: The invocation has 257 tokens."]),
    invocation(
      "of no tokens", "[1, -1, 1.5, \"a\", 2147483648]",
      (1...4).map { "settings.invocation #[\($0)]: The value is not the number of a token." }),
    invocation(
      "of another vocabulary", "[5, 6, 7]",
      ["compatibility.invocation #: The token 6 of the invocation is outside the base's 6 tokens."],
      category: .compatibility),
    invocation("of this vocabulary", "[5, 0, 5]", [], category: nil),
  ]

  private static func invocation(
    _ id: String, _ value: String, _ findings: [String], category: Finding.Category? = .package
  ) -> BrokenPackage {
    let place = "metadata.json, line 11, creatorDefined.fmadapter.invocationTokens"
    return BrokenPackage(
      "invocation " + id, findings.map { "error " + $0.replacing("#", with: place) },
      category: category
    ) {
      $0.replace("\"weightsSHA256\": \"", "\"invocationTokens\": \(value), \"weightsSHA256\": \"")
    }
  }
}
