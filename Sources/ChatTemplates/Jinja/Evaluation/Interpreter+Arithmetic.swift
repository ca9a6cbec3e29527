extension Interpreter {
  func arithmetic(
    _ left: JinjaValue, _ symbol: TemplateExpression.Arithmetic, _ right: JinjaValue
  ) throws(JinjaFault) -> JinjaValue {
    // Of a text nothing is an error, too, but the text is asked first.
    if symbol == .modulo, case .text(let format) = left {
      return .text(try PercentFormat(format, self).text(right))
    }
    try left.used()
    try right.used()
    if let left = left.integer, let right = right.integer {
      return try arithmetic(left, symbol, right)
    }
    if let left = left.double, let right = right.double {
      return .double(try arithmetic(left, symbol, right))
    }
    switch (left, symbol, right) {
    case (.text(let first), .add, .text(let second)): return .text(try sum(first, second))
    case (.list(let first), .add, .list(let second)):
      try reserve(16, times: first.count + second.count)
      return .list(Array(first) + Array(second))
    case (.tuple(let first), .add, .tuple(let second)): return .tuple(Array(first) + Array(second))
    case (_, .multiply, _):
      if let count = right.integer, let repeated = try repeated(left, count) { return repeated }
      if let count = left.integer, let repeated = try repeated(right, count) { return repeated }
    default: break
    }
    throw .wrongType(
      "“\(symbol.rawValue)” has no meaning for a \(left.typeName) and a \(right.typeName)")
  }

  private func sum(_ first: SourcedText, _ second: SourcedText) throws(JinjaFault) -> SourcedText {
    try reserve(first.bytes.count + second.bytes.count)
    let isMarkup = first.isMarkup || second.isMarkup
    var text = isMarkup && !first.isMarkup ? first.escaped : first
    text.append(isMarkup && !second.isMarkup ? second.escaped : second)
    text.isMarkup = isMarkup
    return text
  }

  private func repeated(_ value: JinjaValue, _ count: Int) throws(JinjaFault) -> JinjaValue? {
    let count = max(count, 0)
    switch value {
    case .text(let text):
      try reserve(text.bytes.count, times: count)
      // Each part is counted, as joining takes a while for texts of nothing, too.
      try step(count / 8)
      var result = SourcedText()
      if !text.isEmpty { for _ in 0..<count { result.append(text) } }
      return .text(result)
    case .list(let items):
      try reserve(16 * items.count, times: count)
      return .list(items.isEmpty ? [] : (0..<count).flatMap { _ in items })
    case .tuple(let items):
      try reserve(16 * items.count, times: count)
      return .tuple(items.isEmpty ? [] : (0..<count).flatMap { _ in items })
    default: return nil
    }
  }

  private func arithmetic(
    _ left: Int, _ symbol: TemplateExpression.Arithmetic, _ right: Int
  ) throws(JinjaFault) -> JinjaValue {
    let result: (partialValue: Int, overflow: Bool)
    switch symbol {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    case .divide: return .double(try arithmetic(Double(left), .divide, Double(right)))
    case .floorDivide, .modulo:
      guard right != 0 else { throw .divisionByZero }
      guard right != -1 else {
        return symbol == .modulo ? .integer(0) : try arithmetic(0, .subtract, left)
      }
      // The remainder has the sign of the divisor.
      let remainder = left % right
      let isOff = remainder != 0 && (remainder < 0) != (right < 0)
      if symbol == .modulo { return .integer(isOff ? remainder + right : remainder) }
      return .integer(left / right - (isOff ? 1 : 0))
    case .power:
      guard right >= 0 else { return .double(try arithmetic(Double(left), .power, Double(right))) }
      return .integer(try power(left, right))
    }
    guard !result.overflow else { throw .overflow }
    return .integer(result.partialValue)
  }

  private func power(_ base: Int, _ exponent: Int) throws(JinjaFault) -> Int {
    if base == 0 || base == 1 { return exponent == 0 ? 1 : base }
    if base == -1 { return exponent % 2 == 0 ? 1 : -1 }
    var value = 1
    for _ in 0..<exponent {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: base)
      guard !isTooLarge else { throw .overflow }
      value = product
    }
    return value
  }

  private func arithmetic(
    _ left: Double, _ symbol: TemplateExpression.Arithmetic, _ right: Double
  ) throws(JinjaFault) -> Double {
    switch symbol {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply: return left * right
    case .divide:
      guard right != 0 else { throw .divisionByZero }
      return left / right
    case .floorDivide, .modulo:
      guard right != 0 else { throw .divisionByZero }
      var remainder = left.truncatingRemainder(dividingBy: right)
      if remainder != 0, (remainder < 0) != (right < 0) { remainder += right }
      return symbol == .modulo ? remainder : ((left - remainder) / right).rounded()
    case .power: return try power(left, right)
    }
  }

  private func power(_ base: Double, _ exponent: Double) throws(JinjaFault) -> Double {
    guard let count = Int(exactly: exponent), abs(count) <= 1024 else {
      throw .unsupported("a power with the exponent \(exponent.pythonText)")
    }
    guard base != 0 || count >= 0 else { throw .divisionByZero }
    var value = 1.0
    for _ in 0..<abs(count) { value *= base }
    return count < 0 ? 1 / value : value
  }
}

extension SourcedText {
  /// The text with what means something in HTML written as entities.
  var escaped: SourcedText {
    var result = mapScalars { _, scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "'": "&#39;"
      case "\"": "&#34;"
      default: "\(scalar)"
      }
    }
    result.isMarkup = true
    return result
  }
}
