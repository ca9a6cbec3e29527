import JSON

/// The file is one JSON object in which no key is repeated.
enum MetadataTextRule {
  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    switch metadata.document {
    case .failure(let error):
      [
        Finding(
          "metadata.json",
          at: .init(PackageFile.metadata, line: error.line, offset: error.offset),
          "\(error).",
          remedy: error.reason.isLimit
            ? "Take out what need not be there; more than this is not read."
            : "Write the file as UTF-8 JSON.")
      ]
    case .success(let document) where document.root.object == nil:
      [
        Finding(
          "metadata.object", at: .init(PackageFile.metadata, line: 1),
          "The file holds \(document.root.kind), not an object.",
          remedy: "Put the keys into one JSON object.")
      ]
    case .success(let document):
      document.duplicates.map {
        Finding(
          "metadata.duplicate", at: .init(PackageFile.metadata, key: $0.path, line: $0.line),
          "The key stands twice in one object.",
          remedy: "Keep one of the two; readers differ in which one counts.")
      }
    }
  }
}

/// The identifier has its pattern, and its tail is the start of the signature.
enum IdentifierRule {
  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    guard let text = metadata.object?["adapterIdentifier"]?.string else { return [] }
    let place = metadata.place("adapterIdentifier")
    do throws(AdapterIdentifier.Defect) {
      let identifier = try AdapterIdentifier(text)
      guard let signature = metadata.signature,
        !signature.hasPrefix(identifier.signaturePrefix)
      else { return [] }
      return [
        Finding(
          "metadata.identifier.signature", at: place,
          "The identifier ends with \(identifier.signaturePrefix), "
            + "but the signature starts with \(signature.prefix(7)).",
          remedy: "Correct the one that is wrong: an adapter never changes its base.")
      ]
    } catch {
      return [finding(error, place)]
    }
  }

  private static func finding(
    _ defect: AdapterIdentifier.Defect, _ place: Finding.Place
  ) -> Finding {
    switch defect {
    case .prefix:
      Finding(
        "metadata.identifier", at: place, "The identifier does not start with \"fmadapter-\".",
        remedy: "Write fmadapter-<name>-<first 7 digits of the signature>.")
    case .tail:
      Finding(
        "metadata.identifier", at: place,
        "The identifier does not end with a hyphen and 7 lowercase hexadecimal digits.",
        remedy: "Write fmadapter-<name>-<first 7 digits of the signature>.")
    case .length:
      Finding(
        "metadata.name", at: place,
        "The name in the identifier is empty or longer than \(AdapterIdentifier.nameLimit) "
          + "characters.",
        remedy: "Choose a short name.")
    case .characters:
      Finding(
        "metadata.name", at: place,
        "The name in the identifier holds something else than letters, digits and underscores.",
        remedy: "Rename the adapter; a hyphen, dot or space makes Apple's runtime fail silently.")
    }
  }
}

/// The signature is 40 lowercase hexadecimal digits.
enum SignatureRule {
  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    guard let text = metadata.object?["baseModelSignature"]?.string, !isSignature(text) else {
      return []
    }
    let place = metadata.place("baseModelSignature")
    let length = text.unicodeScalars.count
    let message =
      if length != 40 {
        "The signature has \(length) characters, not 40."
      } else if isSignature(text.lowercased()) {
        "The signature has uppercase digits."
      } else {
        "The signature holds something else than hexadecimal digits."
      }
    return [
      Finding(
        "metadata.signature", at: place, message,
        remedy: "Write the 40 lowercase digits of the base that the adapter was trained on.")
    ]
  }
}

/// The rank is one that an adapter can have.
enum RankRule {
  // The upper end bounds what the statistics of a hostile file cost; real ranks end at a few hundred.
  static let range = 1...4096

  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    guard let number = metadata.object?["loraRank"]?.number, number.isInteger,
      metadata.rank == nil
    else { return [] }
    return [
      Finding(
        "metadata.rank", at: metadata.place("loraRank"),
        "The rank \(number.text.prefix(20)) is outside 1 to \(range.upperBound).",
        remedy: "Write the rank that the adapter was trained with.")
    ]
  }
}

/// The author says something about the adapter, so that two of them can be told apart.
enum CreatorRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    guard let metadata = package.metadata, let object = metadata.object,
      object["creatorDefined"]?.object?.isEmpty ?? (object["creatorDefined"] == nil)
    else { return [] }
    return [
      Finding(
        "identity.creator", .warning, at: metadata.place("creatorDefined"),
        "creatorDefined is empty: nothing tells this adapter from others of its name.",
        remedy: "Record version, training data and scores there.")
    ]
  }
}
