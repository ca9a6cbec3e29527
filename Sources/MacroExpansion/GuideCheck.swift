/// Holds a use of `@Guide` against what it can do.
struct GuideCheck {
  private let expansion: AttachedExpansion
  /// What declares a type, or goes on with one.
  private static let types: Set<String> = ["struct", "enum", "class", "actor", "extension"]

  init(_ expansion: AttachedExpansion) {
    self.expansion = expansion
  }

  /// - Throws: The guide is in no type, or on no stored property of one with `@Generable`, where it would do nothing. Any other type
  ///   may write its schema itself, perhaps in an extension that is not seen here; there a guide is a note to readers, as in Apple's
  ///   framework.
  func check() throws(Problem) {
    let offset = TokenCursor(expansion.declSyntax.source).offset
    let context = DeclarationReader.head(of: expansion.lexicalContext?.first?.source ?? "")
    guard context.attributes.contains("Generable") else {
      if let keyword = context.keyword, Self.types.contains(keyword) { return }
      throw Problem(message: "@Guide only works inside a type with @Generable", offset: offset)
    }
    let property: StoredProperty?
    do throws(Problem) {
      property = try DeclarationReader.property(in: expansion.declSyntax.source)
    } catch {
      // The macro on the type says it, too.
      return
    }
    guard property != nil else {
      throw Problem(message: "@Guide only works on a stored property", offset: offset)
    }
  }
}
