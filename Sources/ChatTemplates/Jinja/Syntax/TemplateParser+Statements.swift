extension TemplateParser {
  /// Statements up to a tag with one of the names in `ends`, whose name is the current token then.
  mutating func parseBody(
    until ends: Set<String>, of opener: TemplateToken?
  ) throws(JinjaError) -> [TemplateStatement] {
    try enter()
    defer { leave() }
    var body: [TemplateStatement] = []
    while true {
      let token = advance()
      switch token.kind {
      case .text:
        body.append(
          TemplateStatement(kind: .text(SourcedText(token.text, .template)), offset: token.offset))
      case .variableBegin:
        let value = try parseTuple(endsAt: nil)
        guard current.kind == .variableEnd else {
          throw fail("expected the end of the tag, found \(found)")
        }
        advance()
        body.append(TemplateStatement(kind: .output(value), offset: token.offset))
      case .blockBegin:
        if current.kind == .name, ends.contains(current.text) { return body }
        if let statement = try parseTag() { body.append(statement) }
        try endTag()
      default:
        guard let opener else { return body }
        throw fail("the block “\(opener.text)” has no end", at: opener.offset)
      }
    }
  }

  private mutating func endTag() throws(JinjaError) {
    guard current.kind == .blockEnd else {
      throw fail("expected the end of the tag, found \(found)")
    }
    advance()
  }

  /// The body of a block whose opening tag has been read up to its end; its closing tag's name is read, too.
  private mutating func parseBlock(
    _ opener: TemplateToken, until ends: String...
  ) throws(JinjaError) -> (body: [TemplateStatement], end: String) {
    _ = skip(":")
    try endTag()
    let body = try parseBody(until: Set(ends), of: opener)
    return (body, advance().text)
  }

  private mutating func parseTag() throws(JinjaError) -> TemplateStatement? {
    let tag = current
    guard tag.kind == .name else { throw fail("expected the name of a tag, found \(found)") }
    advance()
    let kind: TemplateStatement.Kind
    switch tag.text {
    case "if": kind = try parseIf(tag)
    case "for": kind = try parseFor(tag)
    case "set": kind = try parseSet(tag)
    case "macro": kind = try parseMacro(tag)
    case "call": kind = try parseCall(tag)
    case "filter": kind = try parseFilterBlock(tag)
    case "with": kind = try parseWith(tag)
    case "print":
      var items: [TemplateExpression] = []
      while current.kind != .blockEnd {
        if !items.isEmpty { try expect(",") }
        items.append(try parseExpression())
      }
      kind = .output(TemplateExpression(kind: .concatenate(items), offset: tag.offset))
    case "generation":
      let outer = loops
      loops = 0
      kind = .generation(try parseBlock(tag, until: "endgeneration").body)
      loops = outer
    case "break", "continue":
      guard loops > 0 else { throw fail("“\(tag.text)” stands outside of a loop", at: tag.offset) }
      kind = tag.text == "break" ? .breakLoop : .continueLoop
    default: throw JinjaError(.unknownTag(tag.text), at: tag.offset, in: source)
    }
    return TemplateStatement(kind: kind, offset: tag.offset)
  }

  private mutating func parseIf(_ tag: TemplateToken) throws(JinjaError) -> TemplateStatement.Kind {
    var branches: [(condition: TemplateExpression, body: [TemplateStatement])] = []
    while true {
      let condition = try parseTuple(endsAt: nil, isConditional: false)
      let (body, end) = try parseBlock(tag, until: "elif", "else", "endif")
      branches.append((condition, body))
      if end == "elif" { continue }
      let otherwise = end == "else" ? try parseBlock(tag, until: "endif").body : []
      return .choice(branches, otherwise)
    }
  }

  private mutating func parseFor(_ tag: TemplateToken) throws(JinjaError) -> TemplateStatement.Kind
  {
    loops += 1
    defer { loops -= 1 }
    let target = try parseTarget(endsAt: "in")
    guard skipName("in") else { throw fail("expected “in”, found \(found)") }
    let items = try parseTuple(endsAt: "recursive", isConditional: false)
    let condition = skipName("if") ? try parseExpression() : nil
    let isRecursive = skipName("recursive")
    let (body, end) = try parseBlock(tag, until: "endfor", "else")
    let otherwise = end == "else" ? try parseBlock(tag, until: "endfor").body : []
    return .loop(
      TemplateLoop(
        target: target, items: items, condition: condition, isRecursive: isRecursive, body: body,
        otherwise: otherwise))
  }

  private mutating func parseSet(_ tag: TemplateToken) throws(JinjaError) -> TemplateStatement.Kind
  {
    let target = try parseTarget(endsAt: nil)
    if skip("=") { return .assign(target, try parseTuple(endsAt: nil)) }
    var filters: [TemplatePostfix] = []
    while isSymbol("|") { filters.append(try parseFilter()) }
    return .capture(target, filters: filters, try parseBlock(tag, until: "endset").body)
  }

  private mutating func parseMacro(_ tag: TemplateToken) throws(JinjaError)
    -> TemplateStatement.Kind
  {
    let name = try expectName()
    let index = number(name, isRead: false)
    return .macro(
      index, try parseMacroBody(tag, name: name, hasSignature: true) { _ in "endmacro" })
  }

  /// What a macro and a call block have in common; `middle` reads what stands between signature and body.
  private mutating func parseMacroBody(
    _ tag: TemplateToken, name: String, hasSignature: Bool,
    middle: (inout TemplateParser) throws(JinjaError) -> String
  ) throws(JinjaError) -> TemplateMacro {
    let outer = loops
    loops = 0
    defer { loops = outer }
    var signature = TemplateSignature()
    if hasSignature { signature.parameters = try parseParameters() }
    let end = try middle(&self)
    special.append(TemplateSignature())
    let body = try parseBlock(tag, until: end).body
    let read = special.removeLast()
    let declared = Set(signature.parameters.map { names[$0.name] })
    signature.takesCaller = read.takesCaller && !declared.contains("caller")
    signature.takesPositional = read.takesPositional && !declared.contains("varargs")
    signature.takesNamed = read.takesNamed && !declared.contains("kwargs")
    return TemplateMacro(name: name, signature: signature, body: body)
  }

  private mutating func parseParameters() throws(JinjaError) -> [(
    name: NameIndex, value: TemplateExpression?
  )] {
    var parameters: [(name: NameIndex, value: TemplateExpression?)] = []
    try expect("(")
    while !isSymbol(")") {
      if !parameters.isEmpty { try expect(",") }
      let name = number(try expectName(), isRead: false)
      if skip("=") {
        parameters.append((name, try parseExpression()))
      } else if parameters.last?.value != nil {
        throw fail("a parameter without a value follows one that has one")
      } else {
        parameters.append((name, nil))
      }
    }
    advance()
    return parameters
  }

  private mutating func parseCall(_ tag: TemplateToken) throws(JinjaError) -> TemplateStatement.Kind
  {
    var call: TemplateExpression?
    let macro = try parseMacroBody(tag, name: "caller", hasSignature: isSymbol("(")) {
      (parser: inout TemplateParser) throws(JinjaError) in
      let expression = try parser.parseExpression()
      guard case .postfix(_, let chain) = expression.kind, case .call? = chain.last?.kind else {
        throw parser.fail("expected the call of a macro", at: tag.offset)
      }
      call = expression
      return "endcall"
    }
    guard let call else { throw fail("expected the call of a macro", at: tag.offset) }
    return .call(call, macro)
  }

  private mutating func parseFilterBlock(
    _ tag: TemplateToken
  ) throws(JinjaError) -> TemplateStatement.Kind {
    var filters = [try parseFilter(isFirst: true)]
    while isSymbol("|") { filters.append(try parseFilter()) }
    return .filter(filters, try parseBlock(tag, until: "endfilter").body)
  }

  private mutating func parseWith(_ tag: TemplateToken) throws(JinjaError) -> TemplateStatement.Kind
  {
    var values: [(target: TemplateTarget, value: TemplateExpression)] = []
    while current.kind != .blockEnd {
      if !values.isEmpty { try expect(",") }
      let target = try parseTarget(endsAt: nil)
      try expect("=")
      values.append((target, try parseExpression()))
    }
    return .with(values, try parseBlock(tag, until: "endwith").body)
  }

  /// What is assigned to: names, attributes of namespaces, and lists of both.
  private mutating func parseTarget(endsAt end: String?) throws(JinjaError) -> TemplateTarget {
    var targets: [TemplateTarget] = []
    var isTuple = false
    while true {
      if let end, isName(end) { break }
      guard isSymbol("(") || current.kind == .name else {
        if isTuple { break }
        throw fail("expected a name, found \(found)")
      }
      targets.append(try parseSingleTarget())
      guard skip(",") else { break }
      isTuple = true
    }
    return isTuple || targets.count != 1 ? .tuple(targets) : targets[0]
  }

  private mutating func parseSingleTarget() throws(JinjaError) -> TemplateTarget {
    if skip("(") {
      try enter()
      defer { leave() }
      let inner = try parseTarget(endsAt: nil)
      try expect(")")
      return inner
    }
    let offset = current.offset
    let name = try expectName()
    if ["true", "false", "none", "True", "False", "None"].contains(name) {
      throw fail("“\(name)” cannot be assigned to", at: offset)
    }
    if isSymbol("."), next.kind == .name {
      advance()
      return .attribute(number(name, isRead: true), try expectName())
    }
    if name == "loop", loops > 0 {
      throw fail("“loop” cannot be assigned to in a loop", at: offset)
    }
    return .name(number(name, isRead: false))
  }
}
