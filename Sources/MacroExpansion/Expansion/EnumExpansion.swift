/// What `@Generable` adds to an enumeration whose cases are only names.
struct EnumExpansion {
  private let type: TypeDeclaration
  private let options: GenerableExpansion.Options
  private let access: String

  init(_ type: TypeDeclaration, _ options: GenerableExpansion.Options) {
    (self.type, self.options) = (type, options)
    access = type.memberAccess
  }

  /// The expression of the text for a case: its raw value where that is a text, else its name.
  private func text(_ enumCase: EnumCase) -> String {
    let hasTexts = ["String", "Swift.String"].contains(type.inherited.first)
    return hasTexts ? "Self.\(enumCase.name).rawValue" : "\"\(enumCase.key)\""
  }

  /// The schema.
  var members: String {
    """
    \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
      FoundationModels.GenerationSchema(type: Self.self\(options.schemaArguments), anyOf: [\(type.cases.map(text).joined(separator: ", "))])
    }
    """
  }

  /// Reading and writing content; half a name is none, as it could become another one.
  var conformance: String {
    let reads = type.cases.map { "    case (\(text($0)), true): self = .\($0.name)\n" }.joined()
    let writes = type.cases.map { "    case .\($0.name): \(text($0)).generatedContent\n" }.joined()
    return """
        \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
          switch (try content.value(Swift.String.self), content.isComplete) {
      \(reads)    default:
            throw FoundationModels.GeneratedContentError.wrongValue(
              type: "\(type.name)", value: content.jsonString)
          }
        }

        \(access)nonisolated var generatedContent: FoundationModels.GeneratedContent {
          switch self {
      \(writes)    }
        }
      """
  }
}
