/// What `@Generable` adds to an enumeration whose cases are only names.
struct EnumExpansion {
  let type: TypeDeclaration
  let options: GenerableExpansion.Options
  private var access: String { type.memberAccess }

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

/// What `@Generable` adds to an enumeration whose cases carry values.
///
/// The content of a case is a structure: `case` with the name, then the values by their labels, or by `_0`, `_1` and so on.
struct CaseExpansion {
  let type: TypeDeclaration
  let options: GenerableExpansion.Options
  private var access: String { type.memberAccess }

  /// - Throws: A label that the content's form has for itself.
  func check() throws(Problem) {
    for value in type.cases.flatMap(\.values) {
      guard let label = value.label, label.filter({ $0 != "`" }) == "case" else { continue }
      throw Problem(
        message: "The label 'case' is taken by the name of the case; choose another one",
        offset: value.offset)
    }
  }

  /// The schema, and a type for the schema of each case.
  var members: String {
    let types = type.cases.map { "GeneratedCases.\(schemaType($0)).self" }.joined(separator: ", ")
    return """
      \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
        FoundationModels.GenerationSchema(type: Self.self\(options.schemaArguments), anyOf: [\(types)])
      }

      \(access)nonisolated enum GeneratedCases {
      \(type.cases.map(caseType).joined(separator: "\n\n"))
      }
      """
  }

  private func schemaType(_ enumCase: EnumCase) -> String { "Case_\(enumCase.key)" }

  private func key(_ value: EnumCase.Value, _ index: Int) -> String {
    value.label?.filter { $0 != "`" } ?? "_\(index)"
  }

  private func caseType(_ enumCase: EnumCase) -> String {
    let properties = enumCase.values.enumerated().map {
      "      .init(name: \"\(key($1, $0))\", type: \($1.type).self),\n"
    }.joined()
    return """
      \(access)nonisolated struct \(schemaType(enumCase)): FoundationModels.Generable {
        \(access)static var generationSchema: FoundationModels.GenerationSchema {
          FoundationModels.GenerationSchema(type: Self.self, properties: [
            .init(name: "case", type: Swift.String.self, guides: [.constant("\(enumCase.key)")]),
      \(properties)    ])
        }
        \(access)let generatedContent: FoundationModels.GeneratedContent
        \(access)init(_ content: FoundationModels.GeneratedContent) { self.generatedContent = content }
      }
      """
  }

  /// Reading and writing content; half a case is none, as there is no partial form of it.
  var conformance: String {
    """
      \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
        switch (try content.value(Swift.String.self, forProperty: "case"), content.isComplete) {
    \(type.cases.map(read).joined())    default:
          throw FoundationModels.GeneratedContentError.wrongValue(
            type: "\(type.name)", value: content.jsonString)
        }
      }

      \(access)nonisolated var generatedContent: FoundationModels.GeneratedContent {
        var properties: [(Swift.String, any FoundationModels.ConvertibleToGeneratedContent)] = []
        switch self {
    \(type.cases.map(write).joined())    }
        return FoundationModels.GeneratedContent(
          properties: properties, uniquingKeysWith: { first, _ in first })
      }
    """
  }

  private func read(_ enumCase: EnumCase) -> String {
    let values = enumCase.values.enumerated().map { index, value in
      let label = value.label.map { $0 + ": " } ?? ""
      return "\(label)try content.value(forProperty: \"\(key(value, index))\")"
    }.joined(separator: ", ")
    let arguments = enumCase.values.isEmpty ? "" : "(\(values))"
    return "    case (\"\(enumCase.key)\", true): self = .\(enumCase.name)\(arguments)\n"
  }

  private func write(_ enumCase: EnumCase) -> String {
    let names = enumCase.values.indices.map { "value\($0)" }.joined(separator: ", ")
    let pattern = enumCase.values.isEmpty ? ".\(enumCase.name)" : "let .\(enumCase.name)(\(names))"
    let head = "    case \(pattern):\n      properties.append((\"case\", \"\(enumCase.key)\"))\n"
    let values = enumCase.values.enumerated().map { index, value in
      let append = "properties.append((\"\(key(value, index))\", value\(index)))"
      let isOptional = StoredProperty.isOptional(value.type)
      return isOptional ? "      if value\(index) != nil { \(append) }\n" : "      \(append)\n"
    }
    return head + values.joined()
  }
}
