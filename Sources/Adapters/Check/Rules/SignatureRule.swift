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
