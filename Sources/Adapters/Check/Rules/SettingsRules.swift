import JSON

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
      + SettingsSamplingRule.findings(settings["sampling"], metadata, path: "\(path).sampling")
      + InvocationRule.findings(
        settings["invocationTokens"], metadata.place("\(path).invocationTokens"))
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

/// The list of targets names projections, each once.
enum SettingsTargetsRule {
  static func findings(
    _ value: JSONValue?, _ metadata: MetadataReading, path: String
  ) -> [Finding] {
    let place = metadata.place(path)
    guard let value else { return [SettingsRule.missing(place)] }
    guard let list = value.array else { return [SettingsRule.mistyped(place, value, "an array")] }
    guard !list.isEmpty else {
      return [
        Finding(
          "settings.targets", at: place, "The list of targets is empty.",
          remedy: "Name the projections that the adapter changes.")
      ]
    }
    let unknown = list.enumerated().compactMap { index, value -> Finding? in
      isTarget(value)
        ? nil : self.unknown(value, .init(place.file, key: "\(path)[\(index)]", line: place.line))
    }
    return unknown + repeated(list, place) + disordered(list, place)
  }

  private static func isTarget(_ value: JSONValue) -> Bool {
    value.string.flatMap(LoRATarget.init(rawValue:)) != nil
  }

  private static func unknown(_ value: JSONValue, _ place: Finding.Place) -> Finding {
    let found = value.string.map { "\"\(printable($0))\"" } ?? value.kind
    return Finding(
      "settings.target", at: place, "\(found) is not a target.",
      remedy: "Use " + LoRATarget.allCases.map(\.rawValue).joined(separator: ", ") + ".")
  }

  private static func repeated(_ list: [JSONValue], _ place: Finding.Place) -> [Finding] {
    let targets = known(list)
    guard Set(targets).count < targets.count else { return [] }
    return [
      Finding(
        "settings.targets", at: place, "A target stands twice in the list.",
        remedy: "Name every target once.")
    ]
  }

  private static func disordered(_ list: [JSONValue], _ place: Finding.Place) -> [Finding] {
    let order = known(list).compactMap(LoRATarget.allCases.firstIndex(of:))
    guard order != order.sorted() else { return [] }
    return [
      Finding(
        "settings.order", .warning, at: place,
        "The targets are not in the order of the tensors: query, key, value, output, gate, up, "
          + "down, then those of convolutions and of delta rules.",
        remedy: "Make sure that the tensors have that order; the order of this list is not used.")
    ]
  }

  private static func known(_ list: [JSONValue]) -> [LoRATarget] {
    list.compactMap { $0.string.flatMap(LoRATarget.init(rawValue:)) }
  }
}

/// What is stated of how tokens are drawn are numbers within their ranges.
enum SettingsSamplingRule {
  static func findings(
    _ value: JSONValue?, _ metadata: MetadataReading, path: String
  ) -> [Finding] {
    guard let value else { return [] }
    guard let object = value.object else {
      return [SettingsRule.mistyped(metadata.place(path), value, "an object")]
    }
    return object.members.compactMap { member in
      let place = metadata.place("\(path).\(member.key)")
      guard let stated = SamplingSettings.Value(rawValue: member.key) else {
        return Finding(
          "settings.sampling", .warning, at: place,
          "\"\(printable(member.key))\" is nothing that answers are drawn by.",
          remedy: "Use "
            + SamplingSettings.Value.allCases.map(\.rawValue).joined(separator: ", ") + ".")
      }
      guard let number = member.value.number else {
        return SettingsRule.mistyped(place, member.value, "a number")
      }
      guard !stated.allows(number.double) else { return nil }
      return Finding(
        "settings.sampling", at: place,
        "The \(stated.label) is \(number.text.prefix(20)); it has to be \(stated.rule).",
        remedy: "Write such a number, or leave it out.")
    }
  }
}

/// `text` with control characters and invisible ones escaped, at most 80 characters of it, for messages.
package func printable(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars.prefix(80) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return text.unicodeScalars.count > 80 ? result + "…" : result
}
