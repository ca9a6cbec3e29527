extension Interpreter {
  func evaluate(
    _ expression: TemplateExpression, in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaValue {
    defer { leave() }
    try enter()
    switch expression.kind {
    case .literal(let literal): return literal.value
    case .name(let name):
      return scope[name] ?? .undefined("“\(names[name])” is not defined")
    case .list(let items): return try counted(.list(evaluate(items, in: scope)))
    case .tuple(let items): return try counted(.tuple(evaluate(items, in: scope)))
    case .dictionary(let items): return try evaluate(items, expression.offset, in: scope)
    case .or(let operands): return try firstOperand(operands, in: scope) { $0 }
    case .and(let operands): return try firstOperand(operands, in: scope) { !$0 }
    case .not(let value): return .bool(!(try evaluate(value, in: scope).isTrue))
    case .compare(let first, let others): return try compare(first, others, expression, in: scope)
    case .arithmetic(let first, let others):
      var value = try evaluate(first, in: scope)
      for (symbol, operand) in others {
        let right = try evaluate(operand, in: scope)
        place = expression.offset
        value = try counted(arithmetic(value, symbol, right))
      }
      return value
    case .concatenate(let operands):
      var text = SourcedText()
      for operand in operands {
        let part = try written(evaluate(operand, in: scope))
        place = expression.offset
        try reserve(part.bytes.count)
        text.append(part)
      }
      return .text(text)
    case .negative(let value): return try negative(value, expression, in: scope)
    case .positive(let value):
      let number = try evaluate(value, in: scope)
      try number.used()
      guard number.double != nil else { throw .wrongType("a \(number.typeName) has no sign") }
      return number.integer.map(JinjaValue.integer) ?? number
    case .conditional(let condition, let value, let otherwise):
      if try evaluate(condition, in: scope).isTrue { return try evaluate(value, in: scope) }
      guard let otherwise else {
        return .undefined("the condition does not hold and there is no “else”")
      }
      return try evaluate(otherwise, in: scope)
    case .postfix(let base, let chain):
      return try apply(chain, to: evaluate(base, in: scope), in: scope)
    }
  }

  func evaluate(
    _ expressions: [TemplateExpression], in scope: JinjaScope
  ) throws(JinjaFault) -> [JinjaValue] {
    var values: [JinjaValue] = []
    for expression in expressions { values.append(try evaluate(expression, in: scope)) }
    return values
  }

  private func evaluate(
    _ items: [(key: TemplateExpression, value: TemplateExpression)], _ offset: Int,
    in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaValue {
    let dictionary = JinjaDictionary()
    for (key, value) in items {
      let key = try evaluate(key, in: scope)
      let value = try evaluate(value, in: scope)
      place = offset
      guard try self.key(key) != nil else { throw .wrongType("a \(key.typeName) cannot be a key") }
      dictionary.set(key, value)
    }
    return try counted(.dictionary(dictionary))
  }

  /// The first operand whose truth `decides`, or the last.
  private func firstOperand(
    _ operands: [TemplateExpression], in scope: JinjaScope, decides: (Bool) -> Bool
  ) throws(JinjaFault) -> JinjaValue {
    for operand in operands.dropLast() {
      let value = try evaluate(operand, in: scope)
      if decides(value.isTrue) { return value }
    }
    return try evaluate(operands[operands.count - 1], in: scope)
  }

  private func negative(
    _ value: TemplateExpression, _ expression: TemplateExpression, in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaValue {
    let number = try evaluate(value, in: scope)
    place = expression.offset
    try number.used()
    if let integer = number.integer {
      guard integer != .min else { throw .overflow }
      return .integer(-integer)
    }
    guard case .double(let double) = number else {
      throw .wrongType("a \(number.typeName) has no negative")
    }
    return .double(-double)
  }

  private func compare(
    _ first: TemplateExpression,
    _ others: [(TemplateExpression.Comparison, TemplateExpression)],
    _ expression: TemplateExpression, in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaValue {
    var left = try evaluate(first, in: scope)
    for (comparison, operand) in others {
      let right = try evaluate(operand, in: scope)
      place = expression.offset
      guard try compare(left, comparison, right) else { return .bool(false) }
      left = right
    }
    return .bool(true)
  }

  private func compare(
    _ left: JinjaValue, _ comparison: TemplateExpression.Comparison, _ right: JinjaValue
  ) throws(JinjaFault) -> Bool {
    switch comparison {
    case .isIn, .isNotIn: try stepSearching(right, for: left)
    default: try stepComparing(left, right)
    }
    switch comparison {
    case .equal: return try left.equals(right)
    case .unequal: return !(try left.equals(right))
    case .less: return try left.isLess(than: right)
    case .greater: return try right.isLess(than: left)
    case .lessOrEqual:
      if try left.isLess(than: right) { return true }
      return try left.equals(right)
    case .greaterOrEqual:
      if try right.isLess(than: left) { return true }
      return try left.equals(right)
    case .isIn: return try right.contains(left)
    case .isNotIn: return !(try right.contains(left))
    }
  }
}

extension TemplateExpression.Literal {
  fileprivate var value: JinjaValue {
    switch self {
    case .none: .none
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .text(let text): .text(text)
    }
  }
}

extension Interpreter {
  /// What the filters, calls and so on of `chain` make of a value.
  func apply(
    _ chain: some Collection<TemplatePostfix>, to base: JinjaValue, in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaValue {
    var value = base
    for postfix in chain {
      try step()
      value = try apply(postfix, to: value, in: scope)
    }
    return value
  }

  private func apply(
    _ postfix: TemplatePostfix, to value: JinjaValue, in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaValue {
    switch postfix.kind {
    case .attribute(let name):
      place = postfix.offset
      return try attribute(name, of: value)
    case .item(let item):
      let key = try evaluate(item, in: scope)
      place = postfix.offset
      return try self.item(key, of: value)
    case .slice(let start, let stop, let step):
      let bounds = [
        try start.map { value throws(JinjaFault) in try evaluate(value, in: scope) },
        try stop.map { value throws(JinjaFault) in try evaluate(value, in: scope) },
        try step.map { value throws(JinjaFault) in try evaluate(value, in: scope) },
      ]
      place = postfix.offset
      return try counted(slice(value, bounds))
    case .call(let arguments):
      let arguments = try evaluate(arguments, in: scope)
      place = postfix.offset
      return try counted(call(value, arguments))
    case .filter(let name, let arguments):
      let arguments = try evaluate(arguments, in: scope)
      place = postfix.offset
      return try filter(name, value, arguments)
    case .test(let name, let arguments, let isNegated):
      let arguments = try evaluate(arguments, in: scope)
      place = postfix.offset
      return .bool(try test(name, value, arguments) != isNegated)
    }
  }

  func filter(
    _ name: String, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    guard let filter = JinjaFilters.all[name] else { throw JinjaFilters.fault(name) }
    try step(value.weight)
    try stepThroughTexts(of: arguments)
    return try counted(filter(self, value, arguments))
  }

  func test(
    _ name: String, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> Bool {
    guard let test = JinjaTests.all[name] else { throw .unknownTest(name) }
    guard JinjaTests.walking.contains(name) else { return try test(value, arguments) }
    let other = arguments.positional.first ?? arguments.named.first?.value ?? .none
    if name == "in" {
      try stepSearching(other, for: value)
    } else {
      try stepComparing(value, other)
    }
    guard JinjaTests.ofTexts.contains(name) else { return try test(value, arguments) }
    return try test(.text(written(value)), arguments)
  }

  func evaluate(
    _ arguments: TemplateArguments, in scope: JinjaScope
  ) throws(JinjaFault) -> JinjaArguments {
    var values = JinjaArguments()
    values.positional = try evaluate(arguments.positional, in: scope)
    for (name, value) in arguments.named {
      values.named.append((name, try evaluate(value, in: scope)))
    }
    if let list = arguments.list {
      values.positional += try self.values(
        of: evaluate(list, in: scope), for: "a list of arguments")
      try step(values.positional.count / 8)
    }
    if let dictionary = arguments.dictionary {
      guard case .dictionary(let items) = try evaluate(dictionary, in: scope) else {
        throw .wrongType("what follows “**” is no dictionary")
      }
      try step(items.count / 8)
      for (key, value) in items.items {
        guard let name = key.sourced else { throw .wrongType("the name of an argument is no text") }
        values.named.append((name.string, value))
      }
    }
    return values
  }

  func call(_ callee: JinjaValue, _ arguments: JinjaArguments) throws(JinjaFault) -> JinjaValue {
    switch callee {
    case .macro(let macro): return .text(try text(of: macro, arguments))
    case .function(let function): return try function.call(self, arguments)
    case .loop(let loop):
      guard let recurse = loop.recurse else {
        throw .wrongType("a loop can be called only when it is “recursive”")
      }
      let items = try arguments.bound(to: ["iterable"], required: 1, of: "loop")
      return .text(try recurse(items[0] ?? .none))
    default:
      try callee.used()
      throw .wrongType("a \(callee.typeName) cannot be called")
    }
  }
}
