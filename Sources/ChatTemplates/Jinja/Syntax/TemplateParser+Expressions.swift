/// Expressions, with the precedence of jinja2: `~` binds more tightly than `+`, filters more than any operator.
extension TemplateParser {
  /// An expression, or several with commas between them, which make a tuple.
  ///
  /// `end` is a name that ends it; in a condition no `… if … else …` is read.
  mutating func parseTuple(
    endsAt end: String?, isConditional: Bool = true, mayBeEmpty: Bool = false
  ) throws(JinjaError) -> TemplateExpression {
    let offset = current.offset
    var items: [TemplateExpression] = []
    var isTuple = false
    while !endsTuple(end) {
      items.append(isConditional ? try parseExpression() : try parseOr())
      guard skip(",") else { break }
      isTuple = true
    }
    if !isTuple, let first = items.first { return first }
    guard isTuple || mayBeEmpty else { throw fail("expected an expression, found \(found)") }
    return TemplateExpression(kind: .tuple(items), offset: offset)
  }

  private func endsTuple(_ end: String?) -> Bool {
    current.kind == .variableEnd || current.kind == .blockEnd || isSymbol(")")
      || end.map { isName($0) } ?? false
  }

  mutating func parseExpression() throws(JinjaError) -> TemplateExpression {
    try enter()
    defer { leave() }
    let offset = current.offset
    var value = try parseOr()
    while skipName("if") {
      let condition = try parseOr()
      let otherwise = skipName("else") ? try parseExpression() : nil
      value = TemplateExpression(
        kind: .conditional(condition, then: value, else: otherwise), offset: offset)
    }
    return value
  }

  private mutating func parseOr() throws(JinjaError) -> TemplateExpression {
    let offset = current.offset
    var operands = [try parseAnd()]
    while skipName("or") { operands.append(try parseAnd()) }
    return operands.count == 1
      ? operands[0] : TemplateExpression(kind: .or(operands), offset: offset)
  }

  private mutating func parseAnd() throws(JinjaError) -> TemplateExpression {
    let offset = current.offset
    var operands = [try parseNot()]
    while skipName("and") { operands.append(try parseNot()) }
    return operands.count == 1
      ? operands[0] : TemplateExpression(kind: .and(operands), offset: offset)
  }

  private mutating func parseNot() throws(JinjaError) -> TemplateExpression {
    let offset = current.offset
    guard skipName("not") else { return try parseComparison() }
    try enter()
    defer { leave() }
    return TemplateExpression(kind: .not(try parseNot()), offset: offset)
  }

  private mutating func parseComparison() throws(JinjaError) -> TemplateExpression {
    let first = try parseSum()
    var others: [(TemplateExpression.Comparison, TemplateExpression)] = []
    let offset = current.offset
    while let comparison = comparison() { others.append((comparison, try parseSum())) }
    return others.isEmpty
      ? first : TemplateExpression(kind: .compare(first, others), offset: offset)
  }

  private mutating func comparison() -> TemplateExpression.Comparison? {
    if skipName("in") { return .isIn }
    if isName("not"), next.kind == .name, next.text == "in" {
      advance()
      advance()
      return .isNotIn
    }
    guard current.kind == .symbol, let found = TemplateExpression.Comparison(rawValue: current.text)
    else { return nil }
    advance()
    return found
  }

  private mutating func parseSum() throws(JinjaError) -> TemplateExpression {
    try parseChain(["+", "-"]) { parser throws(JinjaError) in try parser.parseConcatenation() }
  }

  private mutating func parseProduct() throws(JinjaError) -> TemplateExpression {
    try parseChain(["*", "/", "//", "%"]) { parser throws(JinjaError) in try parser.parsePower() }
  }

  private mutating func parsePower() throws(JinjaError) -> TemplateExpression {
    try parseChain(["**"]) { parser throws(JinjaError) in try parser.parseUnary() }
  }

  private mutating func parseChain(
    _ symbols: Set<String>,
    _ operand: (inout TemplateParser) throws(JinjaError) -> TemplateExpression
  ) throws(JinjaError) -> TemplateExpression {
    let first = try operand(&self)
    var others: [(TemplateExpression.Arithmetic, TemplateExpression)] = []
    let offset = current.offset
    while current.kind == .symbol, symbols.contains(current.text),
      let symbol = TemplateExpression.Arithmetic(rawValue: current.text)
    {
      advance()
      others.append((symbol, try operand(&self)))
    }
    return others.isEmpty
      ? first : TemplateExpression(kind: .arithmetic(first, others), offset: offset)
  }

  private mutating func parseConcatenation() throws(JinjaError) -> TemplateExpression {
    let offset = current.offset
    var operands = [try parseProduct()]
    while skip("~") { operands.append(try parseProduct()) }
    return operands.count == 1
      ? operands[0] : TemplateExpression(kind: .concatenate(operands), offset: offset)
  }

  private mutating func parseUnary(hasFilters: Bool = true) throws(JinjaError) -> TemplateExpression
  {
    let offset = current.offset
    var value: TemplateExpression
    if isSymbol("-") || isSymbol("+") {
      try enter()
      defer { leave() }
      let isNegative = advance().text == "-"
      let operand = try parseUnary(hasFilters: false)
      value = TemplateExpression(
        kind: isNegative ? .negative(operand) : .positive(operand), offset: offset)
    } else {
      value = try parsePrimary()
    }
    var chain: [TemplatePostfix] = []
    while let next = try parsePostfix() { chain.append(next) }
    if hasFilters { while let next = try parseFilterOrTest() { chain.append(next) } }
    if !chain.isEmpty { value = TemplateExpression(kind: .postfix(value, chain), offset: offset) }
    return value
  }

  mutating func parsePrimary() throws(JinjaError) -> TemplateExpression {
    try enter()
    defer { leave() }
    let token = current
    func made(_ kind: TemplateExpression.Kind) -> TemplateExpression {
      TemplateExpression(kind: kind, offset: token.offset)
    }
    switch token.kind {
    case .name:
      advance()
      switch token.text {
      case "true", "True": return made(.literal(.bool(true)))
      case "false", "False": return made(.literal(.bool(false)))
      case "none", "None": return made(.literal(.none))
      default: return made(.name(number(token.text, isRead: true)))
      }
    case .string:
      var text = ""
      while current.kind == .string { text += advance().text }
      return made(.literal(.text(SourcedText(text, .template))))
    case .integer: return made(.literal(.integer(try integer(advance()))))
    case .float:
      return made(.literal(.double(Double(advance().text.filter { $0 != "_" }) ?? 0)))
    case .symbol where token.text == "(":
      advance()
      let value = try parseTuple(endsAt: nil, mayBeEmpty: true)
      try expect(")")
      return value
    case .symbol where token.text == "[": return made(.list(try parseList()))
    case .symbol where token.text == "{": return made(.dictionary(try parseDictionary()))
    default: throw fail("expected an expression, found \(found)")
    }
  }

  func integer(_ token: TemplateToken) throws(JinjaError) -> Int {
    let digits = token.text.lowercased().filter { $0 != "_" }
    let radix =
      digits.hasPrefix("0x") ? 16 : digits.hasPrefix("0o") ? 8 : digits.hasPrefix("0b") ? 2 : 10
    guard let value = Int(radix == 10 ? digits : String(digits.dropFirst(2)), radix: radix) else {
      throw JinjaError(.overflow, at: token.offset, in: source)
    }
    return value
  }

  private mutating func parseList() throws(JinjaError) -> [TemplateExpression] {
    var items: [TemplateExpression] = []
    advance()
    while !isSymbol("]") {
      if !items.isEmpty { try expect(",") }
      if isSymbol("]") { break }
      items.append(try parseExpression())
    }
    advance()
    return items
  }

  private mutating func parseDictionary() throws(JinjaError) -> [(
    key: TemplateExpression, value: TemplateExpression
  )] {
    var items: [(key: TemplateExpression, value: TemplateExpression)] = []
    advance()
    while !isSymbol("}") {
      if !items.isEmpty { try expect(",") }
      if isSymbol("}") { break }
      let key = try parseExpression()
      try expect(":")
      items.append((key, try parseExpression()))
    }
    advance()
    return items
  }
}
