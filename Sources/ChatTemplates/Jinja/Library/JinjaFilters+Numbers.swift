extension JinjaFilters {
  static let ofNumbers: [String: Filter] = [
    "abs": { interpreter, value, _ throws(JinjaFault) in
      try value.used()
      if let number = value.integer {
        return try number < 0
          ? interpreter.arithmetic(.integer(0), .subtract, value) : .integer(number)
      }
      guard case .double(let number) = value else {
        throw .wrongType("a \(value.typeName) has no absolute value")
      }
      return .double(abs(number))
    },
    "int": { _, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["default", "base"], of: "int")
      return try integer(value, values[1]?.integer ?? 10) ?? values[0] ?? .integer(0)
    },
    "float": { _, value, arguments throws(JinjaFault) in
      let otherwise = try arguments.bound(to: ["default"], of: "float")[0]
      try value.used()
      return (value.double ?? number(value)).map(JinjaValue.double) ?? otherwise ?? .double(0)
    },
    "round": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["precision", "method"], of: "round")
      try interpreter.step(FormatSpecification.cost(of: value))
      return try round(value, values[0]?.integer ?? 0, values[1]?.sourced?.string ?? "common")
    },
  ]

  /// The number that a text is.
  private static func number(_ value: JinjaValue) -> Double? {
    guard let text = value.sourced?.trimmed().string.filter({ $0 != "_" }) else { return nil }
    switch text.lowercased() {
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    case "nan", "+nan", "-nan": return .nan
    default:
      // Swift reads hexadecimal numbers, too.
      return text.unicodeScalars.allSatisfy { "0123456789.eE+-".unicodeScalars.contains($0) }
        ? Double(text.hasPrefix(".") ? "0" + text : text.hasSuffix(".") ? text + "0" : text) : nil
    }
  }

  private static func integer(_ value: JinjaValue, _ base: Int) throws(JinjaFault) -> JinjaValue? {
    try value.used()
    if case .huge = value { return value }
    if let number = value.integer { return .integer(number) }
    if let text = value.sourced {
      guard (2...36).contains(base) else {
        throw .unsupported("the base \(base) of the filter “int”")
      }
      var digits = text.trimmed().string.filter { $0 != "_" }.lowercased()
      let prefix = [16: "0x", 8: "0o", 2: "0b"][base]
      if let prefix, digits.hasPrefix(prefix) { digits.removeFirst(2) }
      if let number = Int(digits, radix: base) { return .integer(number) }
    }
    var double = number(value)
    if case .double(let number) = value { double = number }
    guard let double, double.isFinite else { return nil }
    guard let number = Int(exactly: double.rounded(.towardZero)) else { throw .overflow }
    return .integer(number)
  }

  private static func round(
    _ value: JinjaValue, _ precision: Int, _ method: String
  ) throws(JinjaFault) -> JinjaValue {
    try value.used()
    guard let number = value.double else {
      throw .wrongType("a \(value.typeName) cannot be rounded")
    }
    guard (0...15).contains(precision) else {
      throw .unsupported("rounding to \(precision) digits")
    }
    var scale = 1.0
    for _ in 0..<precision { scale *= 10 }
    switch method {
    case "common":
      if let integer = value.integer { return .integer(integer) }
      return .double(Double(number.fixed(precision)) ?? number)
    case "ceil": return .double((number * scale).rounded(.up) / scale)
    case "floor": return .double((number * scale).rounded(.down) / scale)
    default: throw .wrongValue("rounding is common, ceil or floor")
    }
  }
}
