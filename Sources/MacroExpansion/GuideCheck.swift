/// Holds a use of `@Guide` against what it can do.
struct GuideCheck {
  private let expansion: AttachedExpansion

  init(_ expansion: AttachedExpansion) {
    self.expansion = expansion
  }

  /// - Throws: The guide is on no stored property of a type with `@Generable`, where it would do nothing. A type that conforms to
  ///   something may write its schema itself; there a guide is a note to readers, as in Apple's framework.
  func check() throws(Problem) {
    let offset = TokenCursor(expansion.declSyntax.source).offset
    let context = expansion.lexicalContext?.first?.source ?? ""
    guard Self.isGenerable(context) else {
      if Self.conforms(context) { return }
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

  /// Whether a declaration has `@Generable`.
  private static func isGenerable(_ source: String) -> Bool {
    var cursor = TokenCursor(source)
    while let token = cursor.next, !token.isMark("{") {
      if token.isMark("@") {
        if cursor.takeAttribute().name == "Generable" { return true }
      } else {
        cursor.take()
      }
    }
    return false
  }

  /// Whether a declaration names what its type conforms to.
  private static func conforms(_ source: String) -> Bool {
    var cursor = TokenCursor(source)
    return cursor.takeText(angles: true) { $0.isMark(":") || $0.isMark("{") } != nil
      && cursor.isAt(":")
  }
}
