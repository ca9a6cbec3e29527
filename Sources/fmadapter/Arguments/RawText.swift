import SystemFiles

/// A word of the command line, or a variable, as the system has it.
///
/// Texts are made of such bytes by putting other characters in the place of what is not UTF-8, which would be the name
/// of another file.
struct RawText: Equatable {
  /// What it is, for people.
  let place: String
  let bytes: [UInt8]

  /// The text with the bytes that are none spelled out, such as `t\xFF`; nil where all of it is text.
  var defect: String? {
    String(validating: bytes, as: UTF8.self) == nil ? FileName.spelledOut(bytes) : nil
  }

  /// What is wrong with the first of `texts` that is no text.
  static func problem(in texts: [RawText]) -> UsageError.Problem? {
    texts.lazy.compactMap { raw in
      raw.defect.map { UsageError.Problem.notUTF8(place: raw.place, text: $0) }
    }.first
  }
}
