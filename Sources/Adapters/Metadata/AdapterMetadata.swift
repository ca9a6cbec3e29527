/// What `metadata.json` says about an adapter.
///
/// Keys that are unknown here are kept and written again, numbers with the digits that they had.
public struct AdapterMetadata: Sendable, Equatable {
  /// Name, and first digits of the base's signature.
  public var adapterIdentifier: AdapterIdentifier
  /// 40 lowercase hexadecimal digits that pin the base.
  public var baseModelSignature: String
  /// Rank of every low-rank pair, 1 to 4096.
  public var loraRank: Int
  /// Who made it; nil when the file does not say.
  public var author: String?
  /// What it does; nil when the file does not say.
  public var description: String?
  /// The licence of the weights; nil when the file does not say.
  public var license: String?
  /// The author's own keys, never interpreted but for `fmadapter`; see ``settings``.
  public var creatorDefined: JSONObject?
  /// Tokens that the draft model proposes at a time; Apple's exporter writes it without a draft too.
  public var speculativeDecodingDraftTokenCount: Int?
  /// Members of the file that the format does not define.
  public var unknown: JSONObject

  /// Metadata as Apple's exporter would fill it.
  ///
  /// - Throws: `AdapterError.invalidMetadata` when the name or the signature is malformed or the rank out of range.
  public init(
    name: String, baseModelSignature: String, loraRank: Int, author: String = "",
    description: String = "", license: String = "", creatorDefined: JSONObject = [:],
    speculativeDecodingDraftTokenCount: Int = 5
  ) throws(AdapterError) {
    let object: JSONObject = [
      "adapterIdentifier": .string("fmadapter-\(name)-\(baseModelSignature.prefix(7))"),
      "author": .string(author),
      "baseModelSignature": .string(baseModelSignature),
      "creatorDefined": .object(creatorDefined),
      "description": .string(description),
      "license": .string(license),
      "loraRank": .number(JSONNumber(loraRank)),
      "speculativeDecodingDraftTokenCount":
        .number(JSONNumber(speculativeDecodingDraftTokenCount)),
    ]
    try self.init(parsing: Array(JSONValue.object(object).text.utf8), file: "metadata.json")
  }
}

extension AdapterMetadata {
  /// Parses the bytes of `metadata.json`; order, indent and missing optional keys do not matter.
  ///
  /// `file` is named in errors.
  ///
  /// - Throws: `AdapterError.invalidMetadata` with every error that was found.
  public init(parsing bytes: [UInt8], file: String) throws(AdapterError) {
    // Most files are right, and need no place of any key for a message.
    let quick = MetadataReading(bytes, findsPlaces: false)
    if Self.errors(in: quick).isEmpty, let metadata = quick.metadata {
      self = metadata
    } else {
      throw .invalidMetadata(file: file, Self.errors(in: MetadataReading(bytes)))
    }
  }

  private static func errors(in reading: MetadataReading) -> [Finding] {
    MetadataRules.findings(in: reading).filter { $0.severity == .error }
  }

  /// The metadata as a JSON object: known and unknown members.
  public var json: JSONObject {
    var object = unknown
    object["adapterIdentifier"] = .string(adapterIdentifier.description)
    object["author"] = author.map(JSONValue.string)
    object["baseModelSignature"] = .string(baseModelSignature)
    object["creatorDefined"] = creatorDefined.map(JSONValue.object)
    object["description"] = description.map(JSONValue.string)
    object["license"] = license.map(JSONValue.string)
    object["loraRank"] = .number(JSONNumber(loraRank))
    object["speculativeDecodingDraftTokenCount"] = speculativeDecodingDraftTokenCount.map {
      .number(JSONNumber($0))
    }
    return object
  }

  /// The file's text as Apple's exporter writes it: keys sorted, 4 spaces of indent, no newline at the end.
  public var text: String { JSONValue.object(json).text }
}
