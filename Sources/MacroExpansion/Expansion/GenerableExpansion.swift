/// What `@Generable` adds to a type.
struct GenerableExpansion {
  let type: TypeDeclaration
  /// Source inside the type: its schema, and its partial form.
  let members: String
  /// Source inside the extension: reading and writing content.
  let conformance: String

  /// - Throws: Why the type cannot be generated.
  init(_ type: TypeDeclaration, arguments: [Argument]) throws(Problem) {
    self.type = type
    let options = Options(arguments)
    if type.keyword == "struct" {
      let structure = StructExpansion(type, options)
      try structure.check()
      (members, conformance) = (structure.members, structure.conformance)
      return
    }
    guard !type.cases.isEmpty else {
      throw Problem(
        message: "'\(type.name)' has no cases, so there is nothing to generate",
        offset: type.keywordOffset)
    }
    if options.explicitNil != nil {
      throw Problem(
        message: "representNilExplicitlyInGeneratedContent is for structures",
        offset: type.keywordOffset)
    }
    if type.cases.contains(where: { !$0.values.isEmpty }) {
      let choice = CaseExpansion(type, options)
      try choice.check()
      (members, conformance) = (choice.members, choice.conformance)
    } else {
      let names = EnumExpansion(type, options)
      (members, conformance) = (names.members, names.conformance)
    }
  }

  /// The arguments of the macro, as expressions.
  struct Options {
    let description: String?
    let explicitNil: String?

    init(_ arguments: [Argument]) {
      description = arguments.first { $0.labels == ["description"] }?.text
      explicitNil =
        arguments.first { $0.labels == ["representNilExplicitlyInGeneratedContent"] }?.text
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
