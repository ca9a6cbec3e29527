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
          + "down.",
        remedy: "Make sure that the tensors have that order; the order of this list is not used.")
    ]
  }

  private static func known(_ list: [JSONValue]) -> [LoRATarget] {
    list.compactMap { $0.string.flatMap(LoRATarget.init(rawValue:)) }
  }
}

/// `text` with control characters and invisible ones escaped, at most 80 characters of it, for messages.
func printable(_ text: String) -> String {
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
