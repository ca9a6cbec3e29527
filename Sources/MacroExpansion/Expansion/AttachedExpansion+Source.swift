extension AttachedExpansion {
  /// The source that the macro adds in its role.
  ///
  /// - Throws: What is wrong with its use. An extension adds nothing then, as the members have said it.
  func expanded() throws(Problem) -> String {
    switch (macro.typeName, macroRole) {
    case ("GenerableMacro", "member"): return try generable().members
    case ("GenerableMacro", "extension"): return extensionSource()
    case ("GuideMacro", _):
      try GuideCheck(self).check()
      return ""
    default:
      throw Problem(message: "The plugin has no macro '\(macro.typeName)' in this role", offset: 0)
    }
  }

  private func generable() throws(Problem) -> GenerableExpansion {
    var attribute = TokenCursor(attributeSyntax.source)
    let arguments = attribute.takeAttribute().arguments
    let type = try DeclarationReader.type(in: declSyntax.source)
    return try GenerableExpansion(type, arguments: arguments)
  }

  private func extensionSource() -> String {
    guard let expansion = try? generable() else { return "" }
    let name = Self.trimmed(extendedTypeSyntax?.source ?? expansion.type.name)
    let conforms = conformanceListSyntax?.source.contains(":") ?? false
    return """
      extension \(name)\(conforms ? ": nonisolated FoundationModels.Generable" : "") {
      \(expansion.conformance)
      }
      """
  }

  private static func trimmed(_ source: String) -> String {
    let start = source.drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
