import SystemFiles

/// A suffix store is whole, and its texts have the base's tokens.
enum SuffixRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    let file = PackageFile.suffixes
    switch package.suffixes {
    case nil: return []
    case .failure(let defect):
      let message = defect.text.problem
      return [
        Finding(
          "suffixes.\(defect.name)", at: .init(file, offset: defect.offset),
          message.prefix(1).uppercased() + message.dropFirst() + ".",
          remedy: "Copy the file again, build it anew, or remove it.")
      ]
    case .success(let texts):
      guard let base = package.baseFile, let digest = VocabularyDigest(base),
        digest.hex != texts.vocabularyDigest
      else { return [] }
      return [
        Finding(
          "suffixes.vocabulary", .error, .compatibility, at: .init(file, offset: 16),
          "The texts have the tokens of another vocabulary than the base's.",
          remedy: "Build the file anew over this base, or remove it.")
      ]
    }
  }
}
