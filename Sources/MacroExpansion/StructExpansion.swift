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

  /// Properties of the schema.
  private var generated: [StoredProperty] { type.properties.filter { !$0.isGenerationID } }
  /// The property that takes the content's own name.
  private var identity: StoredProperty? { type.properties.first(where: \.isGenerationID) }

  /// `code` for each property, on lines that count as those of the properties.
  private func each(
    _ properties: [StoredProperty], _ code: (StoredProperty) -> String
  ) -> String {
    properties.map { lines.mark(code($0), at: $0.offset) }.joined()
  }

  /// The schema and the partial form.
  var members: String {
    let binding = generated.isEmpty ? "let" : "var"
    let schema = """
      FoundationModels.GenerationSchema(type: Self.self\(options.schemaArguments), properties: __properties)
      """
    return """
      \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
      \(binding) __properties: [FoundationModels.GenerationSchema.Property] = []
      \(each(generated) { "__properties.append(\($0.schemaProperty))" })return \(options.named(schema))
      }

      \(partialType)
      """
  }

  /// All properties optional, and a name that stays the same from snapshot to snapshot.
  private var partialType: String {
    let takenID = identity == nil && generated.contains { $0.key == "id" }
    let id = takenID ? nil : identity?.name ?? "id"
    var conformances = ["FoundationModels.ConvertibleFromGeneratedContent"]
    if id == "id" { conformances.append("Swift.Identifiable") }
    if type.isSendable { conformances.append("Swift.Sendable") }
    return """
      \(access)nonisolated struct PartiallyGenerated: \(conformances.joined(separator: ", ")) {
      \(id.map { "\(access)var \($0): FoundationModels.GenerationID" } ?? "")
      \(each(generated, \.partialVariable))
      \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
      \(id.map(readID) ?? "")
      \(each(generated, read))}
      }
      """
  }

  /// Reading and writing content.
  var conformance: String {
    let reads = each(type.properties) { $0.isGenerationID ? readID($0.name) : read($0) }
    let id = identity.map { "id: self.\($0.name)" } ?? ""
    let binding = generated.isEmpty ? "let" : "var"
    return """
      \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
      \(reads)}

      \(access)nonisolated var generatedContent: FoundationModels.GeneratedContent {
      \(binding) __properties = FoundationModels._Generated.Properties(\(options.explicitNil.map { "writesNil: \($0)" } ?? ""))
      \(each(generated) { "__properties.write(\"\($0.key)\", self.\($0.name))" })return __properties.content(\(id))
      }
      """
  }

  private func readID(_ name: String) -> String {
    "self.\(name) = content.id ?? FoundationModels.GenerationID()"
  }

  private func read(_ property: StoredProperty) -> String {
    "self.\(property.name) = try content.value(forProperty: \"\(property.key)\")"
  }
}

extension StoredProperty {
  /// The property's declaration in the partial form, as open as the property itself.
  fileprivate var partialVariable: String {
    let whole = type.hasSuffix("?") ? "(\(type))" : type
    return "\(access.map { $0 + " " } ?? "")var \(name): \(whole).PartiallyGenerated?"
  }

  /// The expression of the property in a schema.
  fileprivate var schemaProperty: String {
    var text = "FoundationModels.GenerationSchema.Property(name: \"\(key)\""
    if let description = guide?.description { text += ", description: \(description)" }
    text += ", type: \(type).self"
    let guides = guide?.guides.map(\.text) ?? []
    if !guides.isEmpty { text += ", guides: [\(guides.joined(separator: ", "))]" }
    return text + ")"
  }
}
