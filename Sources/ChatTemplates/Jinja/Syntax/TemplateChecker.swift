/// Refuses a template that uses filters and tests which do not exist.
///
/// As in jinja2 those inside a condition are an error only once they are used, because a template may ask first whether
/// they exist.
struct TemplateChecker {
  let source: [UInt8]
  let names: [String]

  func check(_ body: [TemplateStatement], mayMiss: Bool = false) throws(JinjaError) {
    for statement in body { try check(statement, mayMiss) }
  }

  private func check(_ statement: TemplateStatement, _ mayMiss: Bool) throws(JinjaError) {
    switch statement.kind {
    case .text, .breakLoop, .continueLoop: break
    case .output(let value): try check(value, mayMiss)
    case .choice(let branches, let otherwise):
      for (condition, body) in branches {
        try check(condition, true)
        try check(body, mayMiss: true)
      }
      try check(otherwise, mayMiss: true)
    case .loop(let loop):
      try check(loop.items, mayMiss)
      if let condition = loop.condition { try check(condition, false) }
      try check(loop.body)
      try check(loop.otherwise)
    case .assign(_, let value): try check(value, mayMiss)
    case .capture(_, let filters, let body), .filter(let filters, let body):
      try check(body)
      try check(filters, false)
    case .macro(_, let macro): try check(macro)
    case .call(let call, let macro):
      try check(call, mayMiss)
      try check(macro)
    case .with(let values, let body):
      for (_, value) in values { try check(value, mayMiss) }
      try check(body)
    case .generation(let body): try check(body)
    }
  }

  private func check(_ macro: TemplateMacro) throws(JinjaError) {
    for case (_, let value?) in macro.signature.parameters { try check(value, false) }
    try check(macro.body)
  }

  private func check(_ expressions: [TemplateExpression], _ mayMiss: Bool) throws(JinjaError) {
    for expression in expressions { try check(expression, mayMiss) }
  }

  private func check(_ expression: TemplateExpression, _ mayMiss: Bool) throws(JinjaError) {
    switch expression.kind {
    case .literal, .name: break
    case .list(let items), .tuple(let items), .or(let items), .and(let items),
      .concatenate(let items):
      try check(items, mayMiss)
    case .dictionary(let items):
      for (key, value) in items { try check([key, value], mayMiss) }
    case .not(let value), .negative(let value), .positive(let value): try check(value, mayMiss)
    case .compare(let first, let others): try check([first] + others.map(\.1), mayMiss)
    case .arithmetic(let first, let others): try check([first] + others.map(\.1), mayMiss)
    case .conditional(let condition, let value, let otherwise):
      try check([condition, value] + [otherwise].compactMap(\.self), true)
    case .postfix(let value, let chain):
      try check(value, mayMiss)
      try check(chain, mayMiss)
    }
  }

  private func check(_ chain: [TemplatePostfix], _ mayMiss: Bool) throws(JinjaError) {
    for postfix in chain {
      switch postfix.kind {
      case .attribute: break
      case .item(let item): try check(item, mayMiss)
      case .slice(let start, let stop, let step):
        try check([start, stop, step].compactMap(\.self), mayMiss)
      case .call(let arguments): try check(arguments, mayMiss)
      case .filter(let name, let arguments):
        try check(arguments, mayMiss)
        if !mayMiss, JinjaFilters.all[name] == nil {
          throw JinjaError(JinjaFilters.fault(name), at: postfix.offset, in: source)
        }
      case .test(let name, let arguments, _):
        try check(arguments, mayMiss)
        if !mayMiss, JinjaTests.all[name] == nil {
          throw JinjaError(.unknownTest(name), at: postfix.offset, in: source)
        }
      }
    }
  }

  private func check(_ arguments: TemplateArguments, _ mayMiss: Bool) throws(JinjaError) {
    try check(arguments.positional + arguments.named.map(\.value), mayMiss)
    try check([arguments.list, arguments.dictionary].compactMap(\.self), mayMiss)
  }
}
