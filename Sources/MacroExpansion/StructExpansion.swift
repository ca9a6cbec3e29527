/// What `@Generable` adds to a structure.
struct StructExpansion {
  let type: TypeDeclaration
  let options: GenerableExpansion.Options
  let lines: SourceLines
  private var access: String { type.memberAccess }

  /// - Throws: A type that cannot be generated, a guide that does not fit its property, or one on a property that is not generated.
  func check() throws(Problem) {
    for property in type.properties {
      try TypeShape(property.type).check(property.name, at: property.offset)
      guard let guide = property.guide else { continue }
      if property.isGenerationID {
        throw Problem(
          message: "'\(property.name)' names the content and is not generated; remove its guide",
          offset: guide.offset)
      }
      try GuideFit.check(guide, on: property)
      try GuideFit.checkBounds(guide, on: property)
    }
  }

  /// `code` for each property, on lines that count as those of the properties.
  private func each(_ code: (StoredProperty) -> String) -> String {
    type.properties.map { lines.mark(code($0), at: $0.offset) }.joined()
  }

  /// The word that makes what each property changes.
  private var binding: String { type.properties.isEmpty ? "let" : "var" }

  /// The schema and the partial form.
  var members: String {
    let schema = """
      FoundationModels.GenerationSchema(type: Self.self\(options.schemaArguments), properties: __properties.all)
      """
    return """
      \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
      \(binding) __properties = FoundationModels._Generated.SchemaProperties()
      \(each { "__properties.append(\($0.schemaProperty))" })return \(options.named(schema))
      }

      \(partialType)
      """
  }

  /// All properties optional, and a name that stays the same from snapshot to snapshot.
  private var partialType: String {
    let hasName = type.properties.contains { $0.isGenerationID || $0.key == "id" }
    let isIdentifiable =
      !hasName || type.properties.contains { $0.key == "id" && $0.isGenerationID }
    var conformances = ["FoundationModels.ConvertibleFromGeneratedContent"]
    if isIdentifiable { conformances.append("Swift.Identifiable") }
    conformances += type.sharedConformances
    let id = hasName ? nil : StoredProperty.added
    return """
      \(access)nonisolated struct PartiallyGenerated: \(conformances.joined(separator: ", ")) {
      \(id.map(partialVariable) ?? "")
      \(each(partialVariable))
      \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
      \(id.map(read) ?? "")
      \(each(read))}
      \(comparisons)}
      """
  }

  /// How partial forms are compared where the type can be: by its own properties, and not by an added name.
  ///
  /// Written out, as the properties of a comparable type may have partial forms that no compiler compares.
  private var comparisons: String {
    let names = type.properties.map(\.name)
    var source = ""
    if type.isEquatable {
      let parts = names.map { "FoundationModels._Generated.areEqual(left.\($0), right.\($0))" }
      source += """
        \(access)nonisolated static func == (left: Self, right: Self) -> Swift.Bool {
        \(parts.isEmpty ? "true" : parts.joined(separator: "\n&& "))
        }

        """
    }
    if type.isHashable {
      let parts = names.map { "FoundationModels._Generated.hash(self.\($0), into: &hasher)\n" }
      source += """
        \(access)nonisolated func hash(into hasher: inout Swift.Hasher) {
        \(parts.joined())}

        """
    }
    return source
  }

  /// A property in the partial form: as open as the property itself, or as the type where it takes the content's name.
  private func partialVariable(_ property: StoredProperty) -> String {
    if property.isGenerationID { return "\(access)var \(property.name): \(property.type)" }
    return "\(property.access.map { $0 + " " } ?? "")var \(property.name): \(property.partialType)"
  }

  /// Reading and writing content.
  var conformance: String {
    """
    \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
    \(each(read))}

    \(access)nonisolated var generatedContent: FoundationModels.GeneratedContent {
    \(binding) __properties = FoundationModels._Generated.Properties(\(options.explicitNil.map { "writesNil: \($0)" } ?? ""))
    \(each { "__properties.write(\"\($0.key)\", self.\($0.name))" })return __properties.content()
    }
    """
  }

  private func read(_ property: StoredProperty) -> String {
    "self.\(property.name) = try FoundationModels._Generated.value(\"\(property.key)\", of: content)"
  }
}

extension StoredProperty {
  /// What the partial form has where the structure has no name of its own.
  fileprivate static let added = StoredProperty(
    name: "id", offset: 0, type: "FoundationModels.GenerationID", guide: nil)

  /// The expression of the property in a schema.
  fileprivate var schemaProperty: String {
    var text = ".init(name: \"\(key)\""
    if let description = guide?.description { text += ", description: \(description)" }
    text += ", type: \(type).self"
    let guides = guide?.guides.map(\.text) ?? []
    if !guides.isEmpty { text += ", guides: [\(guides.joined(separator: ", "))]" }
    return text + ")"
  }
}
