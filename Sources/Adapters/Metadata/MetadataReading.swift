/// The text of a metadata file as far as it could be read: what the metadata rules look at.
struct MetadataReading: Sendable {
  let document: Result<JSONDocument, JSONError>

  /// Reads `bytes`; without places of keys where only the values matter.
  init(_ bytes: [UInt8], findsPlaces: Bool = true) {
    do throws(JSONError) {
      document = .success(try JSONDocument(parsing: bytes, findsPlaces: findsPlaces))
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

extension AdapterMetadata {
  fileprivate init(
    adapterIdentifier: AdapterIdentifier, baseModelSignature: String, loraRank: Int,
    author: String?, description: String?, license: String?, creatorDefined: JSONObject?,
    speculativeDecodingDraftTokenCount: Int?, unknown: JSONObject
  ) {
    self.adapterIdentifier = adapterIdentifier
    self.baseModelSignature = baseModelSignature
    self.loraRank = loraRank
    self.author = author
    self.description = description
    self.license = license
    self.creatorDefined = creatorDefined
    self.speculativeDecodingDraftTokenCount = speculativeDecodingDraftTokenCount
    self.unknown = unknown
  }
}
