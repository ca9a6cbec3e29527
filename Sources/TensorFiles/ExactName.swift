/// A name as formats compare it, byte by byte: strings of Swift are equal, too, where they write a letter in two ways.
struct ExactName: Hashable, Sendable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }
}
