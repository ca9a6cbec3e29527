public import JSON

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
}

extension AdapterMetadata {
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

  /// Parses the bytes of `metadata.json`; order, indent and missing optional keys do not matter.
  ///
  /// `file` is named in errors.
  ///
  /// - Throws: `AdapterError.invalidMetadata` with every error that was found.
  public init(parsing bytes: [UInt8], file: String) throws(AdapterError) {
    let reading = MetadataReading(bytes)
    let errors = MetadataRules.findings(in: reading).filter { $0.severity == .error }
    guard errors.isEmpty, let metadata = reading.metadata else {
      throw .invalidMetadata(file: file, errors)
    }
    self = metadata
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

/// The text of a metadata file as far as it could be read: what the metadata rules look at.
struct MetadataReading: Sendable {
  let document: Result<JSONDocument, JSONError>

  /// Values that metadata may have: real ones have some dozens, and the lists of an evaluation some thousands.
  static let valueLimit = 1 << 16

  init(_ bytes: [UInt8]) {
    do throws(JSONError) {
      document = .success(try JSONDocument(parsing: bytes, values: Self.valueLimit))
    } catch {
      document = .failure(error)
    }
  }

  /// The object of the file; nil when the text is not JSON or no object.
  var object: JSONObject? { (try? document.get())?.root.object }

  /// The author's object with the settings in it, if there is one.
  var settings: JSONObject? { object?["creatorDefined"]?.object?[AdapterSettings.key]?.object }

  /// Place of a key, with its line when it is in the file.
  func place(_ key: String) -> Finding.Place {
    Finding.Place(PackageFile.metadata, key: key, line: (try? document.get())?.line(of: key))
  }

  /// The identifier, when it is one.
  var identifier: AdapterIdentifier? {
    object?["adapterIdentifier"]?.string.flatMap { try? AdapterIdentifier($0) }
  }

  /// The signature, when it is one.
  var signature: String? {
    object?["baseModelSignature"]?.string.flatMap { isSignature($0) ? $0 : nil }
  }

  /// The rank, when it is in range.
  var rank: Int? {
    object?["loraRank"]?.integer.flatMap { RankRule.range.contains($0) ? $0 : nil }
  }

  /// The typed value, when the needed keys are there; the other rules say whether it may be used.
  var metadata: AdapterMetadata? {
    // Settings that cannot be read must not be mistaken for Apple's.
    guard SettingsRule.findings(in: self).allSatisfy({ $0.severity != .error }), let object,
      let identifier, let signature, let rank
    else { return nil }
    return AdapterMetadata(
      adapterIdentifier: identifier, baseModelSignature: signature, loraRank: rank,
      author: object["author"]?.string, description: object["description"]?.string,
      license: object["license"]?.string, creatorDefined: object["creatorDefined"]?.object,
      speculativeDecodingDraftTokenCount: object["speculativeDecodingDraftTokenCount"]?.integer,
      unknown: JSONObject(object.members.filter { !MetadataKeysRule.isKnown($0.key) }))
  }
}
