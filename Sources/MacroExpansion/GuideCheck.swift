/// Holds a use of `@Guide` against what it can do.
struct GuideCheck {
  private let expansion: AttachedExpansion

  init(_ expansion: AttachedExpansion) {
    self.expansion = expansion
  }

  /// - Throws: The guide is on no stored property of a type with `@Generable`, where it would do nothing.
  func check() throws(Problem) {
    let offset = TokenCursor(expansion.declSyntax.source).offset
    guard let context = expansion.lexicalContext?.first, Self.isGenerable(context.source) else {
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
}

/// Which guides fit which stock types, so that a wrong one is named where it stands.
enum GuideFit {
  /// - Throws: A guide by its stock name for a type that it says nothing about. Other types pass: the compiler knows them.
  static func check(_ guide: GuideAttribute, on property: StoredProperty) throws(Problem) {
    guard let kind = kind(of: property.type) else { return }
    for argument in guide.guides {
      guard argument.text.hasPrefix(".") else { continue }
      let name = String(argument.text.dropFirst().prefix { $0.isLetter })
      guard let fitting = kinds[name], fitting != kind else { continue }
      throw Problem(
        message: "The guide '.\(name)' does not fit '\(property.name)', which is \(kind.rawValue)",
        offset: argument.offset)
    }
  }

  /// - Throws: Guides that leave no value, as far as their numbers tell.
  static func checkBounds(_ guide: GuideAttribute, on property: StoredProperty) throws(Problem) {
    for names in [("minimum", "maximum", "range"), ("minimumCount", "maximumCount", "count")] {
      var (least, most) = (-Double.infinity, Double.infinity)
      for argument in guide.guides {
        guard let (name, bounds) = bounds(argument.text) else { continue }
        switch name {
        case names.0: least = max(least, bounds.lowerBound)
        case names.1: most = min(most, bounds.upperBound)
        case names.2:
          least = max(least, bounds.lowerBound)
          most = min(most, bounds.upperBound)
        default: continue
        }
        guard least > most else { continue }
        throw Problem(
          message: "The guides of '\(property.name)' contradict each other: they leave no value",
          offset: argument.offset)
      }
    }
  }

  /// The name of a guide and the numbers in it; nil where they are no literals.
  private static func bounds(_ text: String) -> (name: String, ClosedRange<Double>)? {
    guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else { return nil }
    let name = text[..<open].drop { !$0.isLetter }
    let inside = text[text.index(after: open)...].dropLast().filter { $0 != "_" && $0 != " " }
    if let number = Double(inside) { return (String(name), number...number) }
    guard let dots = inside.firstRange(of: "..."),
      let low = Double(String(inside[..<dots.lowerBound])),
      let high = Double(String(inside[dots.upperBound...])), low <= high
    else { return nil }
    return (String(name), low...high)
  }

  private enum Kind: String {
    case text = "a String"
    case number = "a number"
    case boolean = "a Bool"
    case list = "an array"
  }

  private static let kinds: [String: Kind] = [
    "anyOf": .text, "constant": .text, "pattern": .text, "minimum": .number, "maximum": .number,
    "range": .number, "count": .list, "minimumCount": .list, "maximumCount": .list,
    "element": .list,
  ]

  private static func kind(of type: String) -> Kind? {
    var name = type
    while name.hasSuffix("?") { name.removeLast() }
    if name.hasPrefix("Swift.") { name.removeFirst("Swift.".count) }
    switch name {
    case "Int", "Float", "Double", "Decimal": return .number
    case "String": return .text
    case "Bool": return .boolean
    default: return name.hasPrefix("Array<") || isArray(name) ? .list : nil
    }
  }

  /// Whether a type stands in brackets and is no dictionary.
  private static func isArray(_ type: String) -> Bool {
    var cursor = TokenCursor(type)
    guard cursor.isAt("[") else { return false }
    cursor.take()
    _ = cursor.takeText(angles: true) { $0.isMark(":") || $0.isMark("]") }
    return cursor.isAt("]")
  }
}
