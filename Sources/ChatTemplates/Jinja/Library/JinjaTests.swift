/// What `value is name` asks.
enum JinjaTests {
  typealias Test = @Sendable (JinjaValue, JinjaArguments) throws(JinjaFault) -> Bool

  static let all: [String: Test] = merged(plain, comparisons)

  /// The tests that ask what a text is like, of which each value has one.
  static let ofTexts: Set<String> = ["lower", "upper"]
  /// The tests that go through what they are asked of.
  static let walking = ofTexts.union(["in", "filter", "test"]).union(comparisons.keys)

  private static func merged(_ tables: [String: Test]...) -> [String: Test] {
    tables.reduce(into: [:]) { all, table in all.merge(table) { first, _ in first } }
  }

  private static let plain: [String: Test] = [
    "defined": { value, _ in !value.isUndefined },
    "undefined": { value, _ in value.isUndefined },
    "none": { value, _ in value.isNone },
    "boolean": { value, _ in if case .bool = value { true } else { false } },
    "true": { value, _ in if case .bool(true) = value { true } else { false } },
    "false": { value, _ in if case .bool(false) = value { true } else { false } },
    "integer": { value, _ in ["int"].contains(value.typeName) },
    "float": { value, _ in if case .double = value { true } else { false } },
    "number": { value, _ in ["int", "bool", "float"].contains(value.typeName) },
    "string": { value, _ in value.sourced != nil },
    "mapping": { value, _ in if case .dictionary = value { true } else { false } },
    "sequence": { value, _ in
      switch value {
      case .undefined, .text, .list, .tuple, .dictionary, .range: true
      default: false
      }
    },
    "iterable": { value, _ in
      switch value {
      case .none, .bool, .integer, .huge, .double, .namespace, .macro, .function: false
      default: true
      }
    },
    "callable": { value, _ in
      switch value {
      case .undefined, .macro, .function, .loop: true
      default: false
      }
    },
    "escaped": { value, _ in value.sourced?.isMarkup ?? false },
    "lower": { value, _ in value.sourced?.isLower ?? false },
    "upper": { value, _ in value.sourced?.isUpper ?? false },
    "odd": { value, _ throws(JinjaFault) in try remainder(value, 2) == 1 },
    "even": { value, _ throws(JinjaFault) in try remainder(value, 2) == 0 },
    "divisibleby": { value, arguments throws(JinjaFault) in
      guard let divisor = try argument(arguments, "divisibleby").integer else {
        throw .wrongType("divisibleby takes an integer")
      }
      return try remainder(value, divisor) == 0
    },
    "filter": { value, _ in value.sourced.map { JinjaFilters.all[$0.string] != nil } ?? false },
    "test": { value, _ in value.sourced.map { all[$0.string] != nil } ?? false },
    "sameas": { value, arguments throws(JinjaFault) in
      let other = try argument(arguments, "sameas")
      switch (value, other) {
      case (.none, .none): return true
      case (.bool(let left), .bool(let right)): return left == right
      case (.namespace(let left), .namespace(let right)): return left === right
      case _ where value.typeName != other.typeName: return false
      default: throw .unsupported("“sameas” for a \(value.typeName)")
      }
    },
    "in": { value, arguments throws(JinjaFault) in
      try argument(arguments, "in").contains(value)
    },
  ]

  private static let comparisons: [String: Test] = {
    let kinds: [([String], Test)] = [
      (
        ["==", "eq", "equalto"],
        { value, arguments throws(JinjaFault) in try value.equals(argument(arguments, "equalto")) }
      ),
      (
        ["!=", "ne"],
        { value, arguments throws(JinjaFault) in !(try value.equals(argument(arguments, "ne"))) }
      ),
      (
        ["<", "lt", "lessthan"],
        { value, arguments throws(JinjaFault) in
          try value.isLess(than: argument(arguments, "lessthan"))
        }
      ),
      (
        [">", "gt", "greaterthan"],
        { value, arguments throws(JinjaFault) in
          try argument(arguments, "greaterthan").isLess(than: value)
        }
      ),
      (
        ["<=", "le"],
        { value, arguments throws(JinjaFault) in
          let other = try argument(arguments, "le")
          if try value.isLess(than: other) { return true }
          return try value.equals(other)
        }
      ),
      (
        [">=", "ge"],
        { value, arguments throws(JinjaFault) in
          let other = try argument(arguments, "ge")
          if try other.isLess(than: value) { return true }
          return try value.equals(other)
        }
      ),
    ]
    var tests: [String: Test] = [:]
    for (names, test) in kinds { for name in names { tests[name] = test } }
    return tests
  }()

  private static func argument(
    _ arguments: JinjaArguments, _ name: String
  ) throws(JinjaFault) -> JinjaValue {
    try arguments.bound(to: ["other"], required: 1, of: "the test “\(name)”")[0] ?? .none
  }

  private static func remainder(_ value: JinjaValue, _ divisor: Int) throws(JinjaFault) -> Int {
    try value.used()
    guard let number = value.integer else {
      throw .wrongType("a \(value.typeName) is neither odd nor even")
    }
    guard divisor != 0 else { throw .divisionByZero }
    guard divisor != -1 else { return 0 }
    let remainder = number % divisor
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder
  }
}
