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
