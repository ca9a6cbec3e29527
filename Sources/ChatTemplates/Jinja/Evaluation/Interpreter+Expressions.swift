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
