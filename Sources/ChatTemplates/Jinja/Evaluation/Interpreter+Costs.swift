/// What goes through values or makes many of them, counted before it is done.
extension Interpreter {
  /// Bytes that each of many small texts takes beside its own.
  private static let part = 64

  /// Bytes that a value is written with at most; texts stay as they are.
  private var writtenLimit: Int { limits.bytes / 8 }

  /// How many parts a text may still be cut into.
  var partsLeft: Int { bytesLeft / Self.part }

  /// Counts texts that others are about to be cut into.
  func reserve(parts count: Int) throws(JinjaFault) { try reserve(Self.part, times: count) }

  /// What a loop over `value` gives.
  func values(
    of value: JinjaValue, for purpose: String = "looped over"
  ) throws(JinjaFault) -> [JinjaValue] {
    switch value {
    case .text(let text):
      try step(value.weight)
      try reserve(parts: text.count)
    case .dictionary, .range: try step(value.weight / 4)
    default: break
    }
    return try value.values(for: purpose)
  }

  /// The text that `{{ value }}` writes.
  func written(_ value: JinjaValue) throws(JinjaFault) -> SourcedText {
    if value.holdsValues { try step(value.size) }
    let text = try value.written(limit: writtenLimit)
    if value.sourced == nil { try step(text.bytes.count / 16) }
    return text
  }

  /// Python's `repr` of a value.
  func shown(_ value: JinjaValue) throws(JinjaFault) -> SourcedText {
    if value.holdsValues { try step(value.size) }
    let text = try value.shown(limit: writtenLimit)
    try step(text.bytes.count / 16)
    return text
  }

  /// The value as a key; nil for what Python cannot hash.
  func key(_ value: JinjaValue) throws(JinjaFault) -> JinjaKey? {
    if case .tuple = value { try step(value.size) } else { try step(value.weight) }
    return JinjaKey(value)
  }

  /// Counts what the order of values or their difference is seen from.
  func stepComparing(_ left: JinjaValue, _ right: JinjaValue) throws(JinjaFault) {
    try step(left.weight + right.weight)
    if left.holdsValues, right.holdsValues { try step(min(left.size, right.size)) }
  }

  /// Counts looking through `value` for an item.
  func stepSearching(_ value: JinjaValue, for item: JinjaValue) throws(JinjaFault) {
    try step(value.weight + item.weight)
    guard value.holdsValues else { return }
    let (product, isTooLarge) = item.size.multipliedReportingOverflow(by: value.length ?? 0)
    try step(isTooLarge ? value.size : min(value.size, product))
  }

  /// Counts bringing values into an order.
  func stepSorting(_ keys: [JinjaValue]) throws(JinjaFault) {
    for key in keys { try step(key.size) }
  }

  /// Counts the texts that a function is given.
  func stepThroughTexts(of arguments: JinjaArguments) throws(JinjaFault) {
    for case .text(let text) in arguments.positional { try step(text.bytes.count / 16) }
    for (_, value) in arguments.named {
      if case .text(let text) = value { try step(text.bytes.count / 16) }
    }
  }
}

extension JinjaValue {
  /// Whether other values are inside the value.
  var holdsValues: Bool {
    switch self {
    case .list, .tuple, .view, .dictionary: true
    default: false
    }
  }

  /// What going through all that is inside the value takes, in steps.
  var size: Int {
    switch self {
    case .list(let items), .tuple(let items), .view(_, let items): items.size
    case .dictionary(let dictionary): dictionary.size
    case .text(let text): 1 + text.bytes.count / 16
    case .huge(let digits): 1 + digits.utf8.count / 16
    default: 1
    }
  }

  /// The sum of two sizes; values that are inside others many times are large beyond all numbers.
  static func sum(_ left: Int, _ right: Int) -> Int { min(left + right, 1 << 40) }
}
