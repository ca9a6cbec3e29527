/// What `@Generable` adds to an enumeration whose cases are only names.
struct EnumExpansion {
  let type: TypeDeclaration
  let options: GenerableExpansion.Options
  private var access: String { type.memberAccess }

  /// The expression of the text for a case: its raw value where that is a text, else its name.
  private func text(_ enumCase: EnumCase) -> String {
    "FoundationModels._Generated.text(of: Self.\(enumCase.name), \"\(enumCase.key)\")"
  }

  /// The schema.
  var members: String {
    let schema = """
      FoundationModels.GenerationSchema(type: Self.self\(options.schemaArguments), anyOf: [\(type.cases.map(text).joined(separator: ", "))])
      """
    return """
      \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
        \(options.named(schema))
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
/// The content of a case is a structure: `case` with the name, then the values by their labels or names, or by `_0`, `_1`
/// and so on.
struct CaseExpansion {
  let type: TypeDeclaration
  let options: GenerableExpansion.Options
  let lines: SourceLines
  private var access: String { type.memberAccess }

  /// - Throws: A type that cannot be generated, a label that the content's form has for itself, or one that is there twice.
  func check() throws(Problem) {
    for enumCase in type.cases {
      var keys: Set<String> = []
      for (index, value) in enumCase.values.enumerated() {
        try TypeShape(value.type).check(value.label ?? "the value", at: value.offset)
        let key = value.key(index)
        guard key != "case" else {
          throw Problem(
            message: "The label 'case' is taken by the name of the case; choose another one",
            offset: value.offset)
        }
        guard keys.insert(key).inserted else {
          throw Problem(
            message: "Two values of '\(enumCase.name)' are named '\(key)'; choose another label",
            offset: value.offset)
        }
      }
    }
  }

  /// The schema and the partial form.
  var members: String {
    return """
      \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
      var __cases = FoundationModels._Generated.Cases()
      \(type.cases.map(schema).joined())return \(options.named("__cases.schema(type: Self.self\(options.schemaArguments))"))
      }

      \(PartialCases(type: type, lines: lines).source)
      """
  }

  private func schema(_ enumCase: EnumCase) -> String {
    "__cases.begin(\"\(enumCase.key)\")\n"
      + enumCase.values.enumerated().map { index, value in
        lines.mark(
          "__cases.append(.init(name: \"\(value.key(index))\", type: \(value.type).self))",
          at: value.offset)
      }.joined()
  }

  /// Reading and writing content; half a case is none.
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
        var __properties = FoundationModels._Generated.Properties()
        switch self {
    \(type.cases.map(write).joined())    }
        return __properties.content()
      }
    """
  }

  private func read(_ enumCase: EnumCase) -> String {
    let values = enumCase.values.enumerated().map { index, value in
      let label = value.label.map { $0 + ": " } ?? ""
      return "\(label)try content.value(forProperty: \"\(value.key(index))\")"
    }.joined(separator: ", ")
    let arguments = enumCase.values.isEmpty ? "" : "(\(values))"
    return "    case (\"\(enumCase.key)\", true): self = .\(enumCase.name)\(arguments)\n"
  }

  private func write(_ enumCase: EnumCase) -> String {
    let names = enumCase.values.indices.map { "value\($0)" }.joined(separator: ", ")
    let pattern = enumCase.values.isEmpty ? ".\(enumCase.name)" : "let .\(enumCase.name)(\(names))"
    let head = "    case \(pattern):\n      __properties.write(\"case\", \"\(enumCase.key)\")\n"
    let values = enumCase.values.enumerated().map { index, value in
      lines.mark("__properties.write(\"\(value.key(index))\", value\(index))", at: value.offset)
    }
    return head + values.joined()
  }
}
