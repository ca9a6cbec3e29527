/// Which guides fit which stock types, so that a wrong one is named where it stands.
enum GuideFit {
  /// - Throws: A guide by its stock name for a type that it says nothing about. Other types pass: the compiler knows them.
  static func check(_ guide: GuideAttribute, on property: StoredProperty) throws(Problem) {
    for argument in guide.guides {
      try check(argument.text, on: property.type, of: property.name, at: argument.offset)
    }
  }

  private static func check(
    _ guide: String, on type: String, of name: String, at offset: Int
  ) throws(Problem) {
    guard let kind = kind(of: type) else { return }
    if isPattern(guide), kind != .text {
      throw Problem(
        message: "A pattern does not fit '\(name)', which is \(kind.rawValue)", offset: offset)
    }
    guard guide.hasPrefix(".") else { return }
    let guideName = String(guide.dropFirst().prefix { $0.isLetter })
    guard let fitting = kinds[guideName] else { return }
    let isNumber = kind == .integer || kind == .number
    guard fitting == kind || (fitting == .number && isNumber) else {
      throw Problem(
        message: "The guide '.\(guideName)' does not fit '\(name)', which is \(kind.rawValue)",
        offset: offset)
    }
    if kind == .integer, hasFraction(guide) {
      throw Problem(
        message: "The guide '.\(guideName)' has a fraction, and '\(name)' is an Int",
        offset: offset)
    }
    if guideName == "element", let element = element(of: type), let inner = inside(guide) {
      try check(inner, on: element, of: "the elements of \(name)", at: offset)
    }
  }

  /// Whether an expression is the literal of a regular expression, or makes one.
  private static func isPattern(_ text: String) -> Bool {
    text.hasPrefix("/") || text.hasPrefix("#/") || text.hasPrefix("Regex")
  }

  /// Whether the numbers in the parentheses of a guide are literals, and one has a fraction.
  private static func hasFraction(_ guide: String) -> Bool {
    guard let inside = inside(guide) else { return false }
    let ends = inside.replacing("...", with: " ").split(separator: " ")
    return ends.contains { Double($0.filter { $0 != "_" }) != nil && $0.contains(".") }
  }

  /// What stands in the parentheses of a guide.
  private static func inside(_ guide: String) -> String? {
    guard let open = guide.firstIndex(of: "("), guide.hasSuffix(")") else { return nil }
    return String(guide[guide.index(after: open)...].dropLast())
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
    let name = text.drop { !$0.isLetter }.prefix { $0 != "(" }
    guard let inside = inside(text)?.filter({ $0 != "_" && $0 != " " }) else { return nil }
    // A variable could be named 'nan'.
    if let number = Double(inside), !number.isNaN { return (String(name), number...number) }
    guard let dots = inside.firstRange(of: "..."),
      let low = Double(String(inside[..<dots.lowerBound])),
      let high = Double(String(inside[dots.upperBound...])), low <= high
    else { return nil }
    return (String(name), low...high)
  }

  private enum Kind: String {
    case text = "a String"
    case integer = "an Int"
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
    let name = plain(type)
    switch name {
    case "Int": return .integer
    case "Float", "Double", "Decimal": return .number
    case "String": return .text
    case "Bool": return .boolean
    default: return element(of: name) == nil ? nil : .list
    }
  }

  /// The type of the elements where a type is written as an array.
  private static func element(of type: String) -> String? {
    let name = plain(type)
    if name.hasPrefix("Array<"), name.hasSuffix(">") {
      return String(name.dropFirst("Array<".count).dropLast())
    }
    return TypeShape(name).listElement
  }

  /// The type without the marks of an optional and without the standard library's name.
  private static func plain(_ type: String) -> String {
    var name = type
    while name.hasSuffix("?") { name.removeLast() }
    if name.hasPrefix("Swift.") { name.removeFirst("Swift.".count) }
    return name
  }
}
