/// Makes a tree of a template's tokens.
struct TemplateParser {
  let source: [UInt8]
  private let tokens: [TemplateToken]
  private var position = 0
  /// The names of variables by their numbers.
  private(set) var names: [String] = []
  private var numbers: [String: NameIndex] = [:]
  /// Expressions and blocks around the current token.
  private var depth = 0
  /// Loops around the current tag within the innermost macro.
  var loops = 0
  /// What the bodies of the macros around the current token read of the special variables.
  var special: [TemplateSignature] = []

  init(_ template: String) throws(JinjaError) {
    var lexer = try TemplateLexer(template)
    source = lexer.source
    tokens = try lexer.tokenize()
  }

  /// The statements of the whole template.
  mutating func parse() throws(JinjaError) -> [TemplateStatement] {
    let body = try parseBody(until: [], of: nil)
    try TemplateChecker(source: source, names: names).check(body)
    return body
  }

  var current: TemplateToken { tokens[position] }
  var next: TemplateToken { tokens[min(position + 1, tokens.count - 1)] }

  @discardableResult mutating func advance() -> TemplateToken {
    defer { if position + 1 < tokens.count { position += 1 } }
    return current
  }

  func fail(_ problem: String, at offset: Int? = nil) -> JinjaError {
    JinjaError(.syntax(problem), at: offset ?? current.offset, in: source)
  }

  func isSymbol(_ text: String) -> Bool { current.kind == .symbol && current.text == text }
  func isName(_ text: String) -> Bool { current.kind == .name && current.text == text }

  mutating func skip(_ symbol: String) -> Bool {
    guard isSymbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func skipName(_ name: String) -> Bool {
    guard isName(name) else { return false }
    advance()
    return true
  }

  mutating func expect(_ symbol: String) throws(JinjaError) {
    guard skip(symbol) else { throw fail("expected “\(symbol)”, found \(found)") }
  }

  mutating func expectName() throws(JinjaError) -> String {
    guard current.kind == .name else { throw fail("expected a name, found \(found)") }
    return advance().text
  }

  /// The current token, for messages.
  var found: String {
    switch current.kind {
    case .blockEnd, .variableEnd: "the end of the tag"
    case .end: "the end of the template"
    case .string: "a string"
    default: "“\(current.text)”"
    }
  }

  /// The number of a variable; reading a special one makes it a parameter of the macro around it.
  mutating func number(_ name: String, isRead: Bool) -> NameIndex {
    if isRead, !special.isEmpty {
      switch name {
      case "caller": special[special.count - 1].takesCaller = true
      case "varargs": special[special.count - 1].takesPositional = true
      case "kwargs": special[special.count - 1].takesNamed = true
      default: break
      }
    }
    if let number = numbers[name] { return number }
    names.append(name)
    numbers[name] = names.count - 1
    return names.count - 1
  }

  /// Counts a level of nesting; each call needs one of `leave`.
  mutating func enter() throws(JinjaError) {
    depth += 1
    guard depth <= JinjaLimits.nesting else {
      throw JinjaError(.tooDeep(limit: JinjaLimits.nesting), at: current.offset, in: source)
    }
  }

  mutating func leave() { depth -= 1 }
}
