/// Reads the outline of one declaration: attributes, name, stored properties and cases.
struct DeclarationReader {
  var cursor: TokenCursor
  var properties: [StoredProperty] = []
  var cases: [EnumCase] = []

  private static let modifiers: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "open", "static", "class", "final",
    "lazy", "weak", "unowned", "nonisolated", "mutating", "nonmutating", "indirect", "override",
    "required", "convenience", "dynamic", "optional", "isolated", "consuming", "borrowing",
    "distributed", "prefix", "postfix", "infix",
  ]
  static let accessWords: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "open",
  ]
  private static let keywords: Set<String> = [
    "var", "let", "case", "func", "init", "deinit", "subscript", "struct", "enum", "class", "actor",
    "protocol", "extension", "typealias", "associatedtype", "import", "operator", "macro",
  ]
  private static let withBody: Set<String> = [
    "func", "init", "deinit", "subscript", "struct", "enum", "class", "actor", "extension",
    "protocol",
  ]

  private init(_ source: String) {
    cursor = TokenCursor(source)
  }

  /// The outline of the type declared in `source`.
  ///
  /// - Throws: What a macro cannot work with, and where it stands.
  static func type(in source: String) throws(Problem) -> TypeDeclaration {
    var reader = DeclarationReader(source)
    return try reader.readType()
  }

  /// The property declared in `source`, or nil when it declares something else or none that is stored.
  static func property(in source: String) throws(Problem) -> StoredProperty? {
    var reader = DeclarationReader(source)
    try reader.readMember()
    return reader.properties.first
  }

  /// The keyword of the declaration that `source` begins with, and the names of its attributes.
  static func head(of source: String) -> (keyword: String?, attributes: [String]) {
    var reader = DeclarationReader(source)
    let attributes = reader.readHead().attributes.map(\.name)
    return (reader.cursor.next?.text, attributes)
  }

  private mutating func readType() throws(Problem) -> TypeDeclaration {
    let head = readHead()
    guard let keyword = cursor.take(), let name = cursor.take() else {
      throw Problem(message: "@Generable needs a type", offset: cursor.offset)
    }
    guard keyword.text == "struct" || keyword.text == "enum" else {
      throw Problem(
        message:
          "@Generable can be on a structure or an enumeration, not on \(Self.named(keyword))",
        offset: keyword.range.lowerBound)
    }
    if cursor.isAt("<") { cursor.takeWhole(angles: true) }
    let inherited = readInherited()
    _ = cursor.takeText { $0.isMark("{") }
    cursor.take()
    while let token = cursor.next, !token.isMark("}") { try readMember() }
    return TypeDeclaration(
      keyword: keyword.text, keywordOffset: keyword.range.lowerBound, name: name.text,
      access: head.modifiers.first { Self.accessWords.contains($0) }, inherited: inherited,
      properties: properties, cases: cases)
  }

  private static func named(_ keyword: SwiftToken) -> String {
    switch keyword.text {
    case "class": "a class"
    case "actor": "an actor"
    case "protocol": "a protocol"
    default: "'\(keyword.text)'"
    }
  }

  private mutating func readInherited() -> [String] {
    guard cursor.take(if: ":") else { return [] }
    var types: [String] = []
    repeat {
      let type = cursor.takeText(angles: true) {
        $0.isMark(",") || $0.isMark("{") || $0.text == "where"
      }
      if let type { types.append(type.text) }
    } while cursor.take(if: ",")
    return types
  }

  /// Attributes and modifiers, up to the keyword.
  private mutating func readHead() -> (attributes: [Attribute], modifiers: [String]) {
    var attributes: [Attribute] = []
    var modifiers: [String] = []
    while let token = cursor.next {
      if token.isMark("@") {
        attributes.append(cursor.takeAttribute())
      } else if Self.modifiers.contains(token.text), !isTypeKeyword(token) {
        cursor.take()
        // With parentheses, as in `private(set)`, it says nothing about the declaration itself.
        if cursor.isAt("(") { cursor.takeWhole() } else { modifiers.append(token.text) }
      } else {
        break
      }
    }
    return (attributes, modifiers)
  }

  /// `class` is a keyword before a name and a modifier before `func` or `var`.
  private func isTypeKeyword(_ token: SwiftToken) -> Bool {
    guard token.text == "class" else { return false }
    var ahead = cursor
    ahead.take()
    let next = ahead.next?.text ?? ""
    return !Self.keywords.contains(next) && !Self.modifiers.contains(next)
  }

  private mutating func readMember() throws(Problem) {
    if cursor.take(if: ";") { return }
    if cursor.isAt("#") { return try readDirective() }
    let head = readHead()
    guard let keyword = cursor.take() else { return }
    switch keyword.text {
    case "var", "let":
      try readBindings(head.attributes, head.modifiers, isConstant: keyword.text == "let")
    case "case": try readCases()
    default:
      guard Self.withBody.contains(keyword.text) else { return skipToNextMember() }
      _ = cursor.takeText { $0.isMark("{") || $0.isMark("}") }
      if cursor.isAt("{") { cursor.takeWhole() }
    }
  }

  private mutating func readDirective() throws(Problem) {
    let offset = cursor.offset
    cursor.take()
    if cursor.next?.text == "if" {
      throw Problem(
        message: "@Generable cannot see through #if; move it out of the type", offset: offset)
    }
    skipToNextMember()
  }

  private mutating func skipToNextMember() {
    _ = cursor.takeText { Self.endsMember($0) }
  }

  /// Whether `token` cannot belong to the member before it.
  static func endsMember(_ token: SwiftToken) -> Bool {
    if token.isMark("}") || token.isMark(";") { return true }
    guard token.startsLine else { return false }
    return token.isMark("@") || token.isMark("#") || keywords.contains(token.text)
      || modifiers.contains(token.text)
  }
}
