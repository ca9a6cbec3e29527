/// `creatorDefined.fmadapter`, where it is, can be read and obeyed.
enum SettingsRule {
  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    let path = "creatorDefined.\(AdapterSettings.key)"
    guard let value = metadata.object?["creatorDefined"]?.object?[AdapterSettings.key] else {
      return []
    }
    guard let settings = value.object else {
      return [mistyped(metadata.place(path), value, "an object")]
    }
    let version = settings["formatVersion"]
    guard version?.integer == 1 else {
      return [self.version(version, metadata.place("\(path).formatVersion"))]
    }
    return alpha(settings["alpha"], metadata.place("\(path).alpha"))
      + SettingsTargetsRule.findings(
        settings["targets"], metadata, path: "\(path).targets")
      + adapterVersion(settings["version"], metadata.place("\(path).version"))
      + architecture(settings["architecture"], metadata.place("\(path).architecture"))
      + digest(settings["weightsSHA256"], metadata.place("\(path).weightsSHA256"))
  }

  static func missing(_ place: Finding.Place) -> Finding {
    Finding(
      "settings.missing", at: place, "The key is missing.",
      remedy: "Add it: formatVersion, alpha and targets are needed to run the adapter.")
  }

  static func mistyped(_ place: Finding.Place, _ value: JSONValue, _ kind: String) -> Finding {
    Finding(
      "settings.type", at: place, "The value is \(value.kind), not \(kind).",
      remedy: "Write \(kind).")
  }

  private static func version(_ value: JSONValue?, _ place: Finding.Place) -> Finding {
    guard let value else { return missing(place) }
    guard let number = value.number, number.isInteger else {
      return mistyped(place, value, "an integer")
    }
    return Finding(
      "settings.version", at: place,
      "Version \(number.text.prefix(20)) is not known here; this program reads version 1.",
      remedy: "Use a newer fmadapter, or export the adapter again with version 1.")
  }

  private static func alpha(_ value: JSONValue?, _ place: Finding.Place) -> [Finding] {
    guard let value else { return [missing(place)] }
    guard let number = value.number else { return [mistyped(place, value, "a number")] }
    let alpha = number.double
    guard alpha.isFinite, alpha > 0, Float(alpha).isFinite, Float(alpha) > 0 else {
      return [
        Finding(
          "settings.alpha", at: place,
          "Alpha is \(number.text.prefix(20)); it has to be above zero and within 32-bit floats.",
          remedy: "Write the alpha that the adapter was trained with.")
      ]
    }
    return []
  }

  private static func adapterVersion(_ value: JSONValue?, _ place: Finding.Place) -> [Finding] {
    guard let value else { return [] }
    guard let text = value.string else { return [mistyped(place, value, "a string")] }
    guard AdapterVersion(text) == nil else { return [] }
    return [
      Finding(
        "settings.adapterVersion", at: place,
        "The adapter's version is not a semantic version of at most 64 characters.",
        remedy: "Write three numbers, such as 1.0.0, or leave it out.")
    ]
  }

  private static func architecture(_ value: JSONValue?, _ place: Finding.Place) -> [Finding] {
    guard let value, value.string == nil else { return [] }
    return [mistyped(place, value, "a string")]
  }

  private static func digest(_ value: JSONValue?, _ place: Finding.Place) -> [Finding] {
    guard let value else { return [] }
    guard let text = value.string else { return [mistyped(place, value, "a string")] }
    guard text.utf8.count == 64, text.utf8.allSatisfy(isLowercaseHex) else {
      return [
        Finding(
          "settings.digest", at: place,
          "The digest is not 64 lowercase hexadecimal digits.",
          remedy: "Write the SHA-256 of \(PackageFile.weights).")
      ]
    }
    return []
  }
}
