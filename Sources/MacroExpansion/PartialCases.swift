/// The partial form of an enumeration whose cases carry values: a case is there once its whole name is, and each value as
/// far as it has come.
struct PartialCases {
  let type: TypeDeclaration
  let lines: SourceLines
  private var access: String { type.memberAccess }

  /// The declaration of the form.
  var source: String {
    let conformances =
      ["FoundationModels.ConvertibleFromGeneratedContent"] + type.sharedConformances
    return """
      \(access)nonisolated indirect enum PartiallyGenerated: \(conformances.joined(separator: ", ")) {
      \(type.cases.map(declaration).joined())
      \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
      switch try FoundationModels._Generated.caseName(of: content) {
      \(type.cases.map(read).joined())default:
      throw FoundationModels.GeneratedContentError.wrongValue(
      type: "\(type.name)", value: content.jsonString)
      }
      }
      \(type.isEquatable ? equality : "")\(type.isHashable ? hash : "")}
      """
  }

  private func declaration(_ enumCase: EnumCase) -> String {
    guard let first = enumCase.values.first else { return "case \(enumCase.name)\n" }
    let values = enumCase.values.map { value in
      (value.label.map { $0 + ": " } ?? "") + value.partialType
    }
    let code = "case \(enumCase.name)(\(values.joined(separator: ", ")))"
    return lines.mark(code, at: first.offset)
  }

  private func read(_ enumCase: EnumCase) -> String {
    let values = enumCase.values.enumerated().map { index, value in
      (value.label.map { $0 + ": " } ?? "")
        + "try FoundationModels._Generated.value(\"\(value.key(index))\", of: content)"
    }
    let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
    return "case \"\(enumCase.key)\": self = .\(enumCase.name)\(arguments)\n"
  }

  /// Written out, as a comparable type may have values whose partial forms no compiler compares.
  private var equality: String {
    let cases = type.cases.map { enumCase in
      let parts = enumCase.values.indices.map {
        "FoundationModels._Generated.areEqual(left\($0), right\($0))"
      }
      let (left, right) = (pattern(enumCase, "left"), pattern(enumCase, "right"))
      return
        "case (\(left), \(right)): \(parts.isEmpty ? "true" : parts.joined(separator: " && "))\n"
    }
    return """
      \(access)nonisolated static func == (left: Self, right: Self) -> Swift.Bool {
      switch (left, right) {
      \(cases.joined())\(cases.count > 1 ? "default: false\n" : "")}
      }

      """
  }

  private var hash: String {
    let cases = type.cases.map { enumCase in
      let parts = enumCase.values.indices.map {
        "FoundationModels._Generated.hash(value\($0), into: &hasher)\n"
      }
      return "case \(pattern(enumCase, "value")):\nhasher.combine(\"\(enumCase.key)\")\n"
        + parts.joined()
    }
    return """
      \(access)nonisolated func hash(into hasher: inout Swift.Hasher) {
      switch self {
      \(cases.joined())}
      }

      """
  }

  /// The pattern that takes the values of a case apart into variables of this name and a number.
  private func pattern(_ enumCase: EnumCase, _ name: String) -> String {
    guard !enumCase.values.isEmpty else { return ".\(enumCase.name)" }
    let names = enumCase.values.indices.map { "let \(name)\($0)" }
    return ".\(enumCase.name)(\(names.joined(separator: ", ")))"
  }
}
