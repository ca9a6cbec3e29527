extension TemplateParser {
  /// What stands right behind a value: an attribute, an item, a call.
  mutating func parsePostfix() throws(JinjaError) -> TemplatePostfix? {
    let offset = current.offset
    if isSymbol("(") { return TemplatePostfix(kind: .call(try parseArguments()), offset: offset) }
    if skip("[") { return TemplatePostfix(kind: try parseSubscript(), offset: offset) }
    guard skip(".") else { return nil }
    let token = current
    switch token.kind {
    case .name:
      advance()
      return TemplatePostfix(kind: .attribute(token.text), offset: token.offset)
    case .integer:
      let index = try integer(advance())
      let item = TemplateExpression(kind: .literal(.integer(index)), offset: token.offset)
      return TemplatePostfix(kind: .item(item), offset: token.offset)
    default: throw fail("expected a name or number, found \(found)")
    }
  }

  private mutating func parseSubscript() throws(JinjaError) -> TemplatePostfix.Kind {
    let offset = current.offset
    var items: [TemplateExpression] = []
    while !isSymbol("]") {
      if !items.isEmpty { try expect(",") }
      let start = isSymbol(":") ? nil : try parseExpression()
      guard skip(":") else {
        if let start { items.append(start) }
        continue
      }
      guard items.isEmpty else { throw fail("a slice stands in a tuple") }
      let stop = isSymbol(":") || isSymbol("]") ? nil : try parseExpression()
      let step = skip(":") && !isSymbol("]") ? try parseExpression() : nil
      try expect("]")
      return .slice(start, stop, step)
    }
    advance()
    if items.count == 1 { return .item(items[0]) }
    return .item(TemplateExpression(kind: .tuple(items), offset: offset))
  }

  mutating func parseFilterOrTest() throws(JinjaError) -> TemplatePostfix? {
    if isSymbol("|") { return try parseFilter() }
    if isName("is") { return try parseTest() }
    guard isSymbol("(") else { return nil }
    let offset = current.offset
    return TemplatePostfix(kind: .call(try parseArguments()), offset: offset)
  }

  /// A filter with the stroke before it; the first one of a filter block has none.
  mutating func parseFilter(isFirst: Bool = false) throws(JinjaError) -> TemplatePostfix {
    if !isFirst { advance() }
    let offset = current.offset
    let name = try parseDottedName()
    let arguments = isSymbol("(") ? try parseArguments() : TemplateArguments()
    return TemplatePostfix(kind: .filter(name, arguments), offset: offset)
  }

  private mutating func parseDottedName() throws(JinjaError) -> String {
    var name = try expectName()
    while skip(".") { name += "." + (try expectName()) }
    return name
  }

  private mutating func parseTest() throws(JinjaError) -> TemplatePostfix {
    advance()
    let isNegated = skipName("not")
    let offset = current.offset
    let name = try parseDottedName()
    var arguments = TemplateArguments()
    if isSymbol("(") {
      arguments = try parseArguments()
    } else if startsTestArgument {
      if isName("is") { throw fail("tests cannot be chained with “is”") }
      let start = current.offset
      var value = try parsePrimary()
      var chain: [TemplatePostfix] = []
      while let next = try parsePostfix() { chain.append(next) }
      if !chain.isEmpty { value = TemplateExpression(kind: .postfix(value, chain), offset: start) }
      arguments.positional = [value]
    }
    return TemplatePostfix(kind: .test(name, arguments, isNegated: isNegated), offset: offset)
  }

  /// Whether a test's argument follows without parentheses.
  private var startsTestArgument: Bool {
    switch current.kind {
    case .name: !["else", "or", "and"].contains(current.text)
    case .string, .integer, .float: true
    case .symbol: ["[", "{"].contains(current.text)
    default: false
    }
  }

  private mutating func parseArguments() throws(JinjaError) -> TemplateArguments {
    try enter()
    defer { leave() }
    let offset = current.offset
    var arguments = TemplateArguments()
    var isFirst = true
    advance()
    while !isSymbol(")") {
      if !isFirst { try expect(",") }
      if isSymbol(")") { break }
      isFirst = false
      try parseArgument(&arguments, of: offset)
    }
    advance()
    return arguments
  }

  private mutating func parseArgument(
    _ arguments: inout TemplateArguments, of call: Int
  ) throws(JinjaError) {
    let isAfterDictionary = arguments.dictionary != nil
    if !isAfterDictionary, arguments.list == nil, skip("*") {
      arguments.list = try parseExpression()
    } else if !isAfterDictionary, skip("**") {
      arguments.dictionary = try parseExpression()
    } else if !isAfterDictionary, current.kind == .name, next.kind == .symbol, next.text == "=" {
      let name = advance().text
      advance()
      arguments.named.append((name, try parseExpression()))
    } else if !isAfterDictionary, arguments.list == nil, arguments.named.isEmpty {
      arguments.positional.append(try parseExpression())
    } else {
      throw fail("the arguments of a call stand in no possible order", at: call)
    }
  }
}
