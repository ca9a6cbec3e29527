/// What `@Generable` adds to a type.
struct GenerableExpansion {
  let type: TypeDeclaration
  /// Source inside the type: its schema, and its partial form.
  let members: String
  /// Source inside the extension: reading and writing content.
  let conformance: String

  /// - Throws: Why the type cannot be generated.
  init(
    _ type: TypeDeclaration, arguments: [Argument], lines: SourceLines
  ) throws(Problem) {
    self.type = type
    let options = Options(arguments)
    if type.keyword == "struct" {
      let structure = StructExpansion(type: type, options: options, lines: lines)
      try structure.check()
      (members, conformance) = (structure.members, structure.conformance)
      return
    }
    guard !type.cases.isEmpty else {
      throw Problem(
        message: "'\(type.name)' has no cases, so there is nothing to generate",
        offset: type.keywordOffset)
    }
    if let explicitNil = options.explicitNil, explicitNil != "false" {
      throw Problem(
        message: "representNilExplicitlyInGeneratedContent is for structures",
        offset: type.keywordOffset)
    }
    if type.cases.contains(where: { !$0.values.isEmpty }) {
      let choice = CaseExpansion(type: type, options: options, lines: lines)
      try choice.check()
      (members, conformance) = (choice.members, choice.conformance)
    } else {
      let names = EnumExpansion(type: type, options: options)
      (members, conformance) = (names.members, names.conformance)
    }
  }

  /// The arguments of the macro, as expressions.
  struct Options {
    let name: String?
    let description: String?
    let explicitNil: String?

    init(_ arguments: [Argument]) {
      func text(_ label: String) -> String? { arguments.first { $0.labels == [label] }?.text }
      name = text("name")
      description = text("description")
      explicitNil = text("representNilExplicitlyInGeneratedContent")
    }

    /// The expression of a schema under the name that was asked for.
    func named(_ schema: String) -> String {
      name.map { "FoundationModels._Generated.named(\($0), \(schema))" } ?? schema
    }

    /// The arguments of a schema's initializer after the type.
    var schemaArguments: String {
      var text = ""
      if let description { text += ", description: \(description)" }
      if let explicitNil { text += ", representNilExplicitlyInGeneratedContent: \(explicitNil)" }
      return text
    }
  }
}

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
    case ("SessionPropertyEntryMacro", "accessor"): return try SessionPropertyEntry(self).accessors
    case ("SessionPropertyEntryMacro", "peer"): return try SessionPropertyEntry(self).key
    case ("SessionPropertyEntryDefaultValueMacro", "accessor"):
      return try SessionPropertyEntry.defaultGetter(declSyntax.source)
    default:
      throw Problem(message: "The plugin has no macro '\(macro.typeName)' in this role", offset: 0)
    }
  }

  private func generable() throws(Problem) -> GenerableExpansion {
    var attribute = TokenCursor(attributeSyntax.source)
    let arguments = attribute.takeAttribute().arguments
    let type = try DeclarationReader.type(in: declSyntax.source)
    return try GenerableExpansion(
      type, arguments: arguments, lines: SourceLines(declSyntax))
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
