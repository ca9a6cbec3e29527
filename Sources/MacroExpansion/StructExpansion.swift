/// What `@Generable` adds to a structure.
struct StructExpansion {
  let type: TypeDeclaration
  let options: GenerableExpansion.Options
  private var access: String { type.memberAccess }

  /// - Throws: A guide that does not fit its property, or one on a property that is not generated.
  func check() throws(Problem) {
    for property in type.properties {
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

  /// The schema and the partial form.
  var members: String {
    let properties = generated.map { "    \($0.schemaProperty),\n" }.joined()
    return """
      \(access)nonisolated static var generationSchema: FoundationModels.GenerationSchema {
        FoundationModels.GenerationSchema(type: Self.self\(options.schemaArguments), properties: [
      \(properties)  ])
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
    if type.inherited.contains("Sendable") { conformances.append("Swift.Sendable") }
    let variables =
      (id.map { "  \(access)var \($0): FoundationModels.GenerationID\n" } ?? "")
      + generated.map { "  \($0.partialVariable)\n" }.joined()
    let reads = (id.map(readID) ?? "") + generated.map(read).joined()
    return """
      \(access)nonisolated struct PartiallyGenerated: \(conformances.joined(separator: ", ")) {
      \(variables)
        \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
      \(reads)  }
      }
      """
  }

  /// Reading and writing content.
  var conformance: String {
    let reads = type.properties.map { $0.isGenerationID ? readID($0.name) : read($0) }.joined()
    let id = identity.map { "self.\($0.name)" } ?? "nil"
    let binding = generated.isEmpty ? "let" : "var"
    return """
        \(access)nonisolated init(_ content: FoundationModels.GeneratedContent) throws {
      \(reads)  }

        \(access)nonisolated var generatedContent: FoundationModels.GeneratedContent {
          \(binding) properties: [(Swift.String, any FoundationModels.ConvertibleToGeneratedContent)] = []
      \(generated.map(write).joined())    return FoundationModels.GeneratedContent(
            properties: properties, id: \(id), uniquingKeysWith: { first, _ in first })
        }
      """
  }

  private func readID(_ name: String) -> String {
    "    self.\(name) = content.id ?? FoundationModels.GenerationID()\n"
  }

  private func read(_ property: StoredProperty) -> String {
    "    self.\(property.name) = try content.value(forProperty: \"\(property.key)\")\n"
  }

  /// A missing value is left out, or written as null where that was asked for.
  private func write(_ property: StoredProperty) -> String {
    let append = "properties.append((\"\(property.key)\", self.\(property.name)))"
    guard property.isOptional else { return "    \(append)\n" }
    let isWritten = options.explicitNil.map { " || \($0)" } ?? ""
    return "    if self.\(property.name) != nil\(isWritten) { \(append) }\n"
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
