/// `value.name`, `value[item]` and slices.
extension Interpreter {
  /// `value.name`: a method or an attribute, or else the item with that name.
  func attribute(_ name: String, of value: JinjaValue) throws(JinjaFault) -> JinjaValue {
    try value.used()
    if let member = try member(name, of: value) { return member }
    if case .dictionary(let dictionary) = value, let item = dictionary[name] { return item }
    return .undefined("a \(value.typeName) has no “\(name)”")
  }

  /// `value[key]`: an item, or else the method or attribute with that name.
  func item(_ key: JinjaValue, of value: JinjaValue) throws(JinjaFault) -> JinjaValue {
    try value.used()
    if let item = try element(key, of: value) { return item }
    if let name = key.sourced?.string, let member = try member(name, of: value) { return member }
    return .undefined("a \(value.typeName) has no item \(try shown(key).string)")
  }

  private func element(
    _ key: JinjaValue, of value: JinjaValue
  ) throws(JinjaFault) -> JinjaValue? {
    try step(key.weight)
    switch value {
    case .dictionary(let dictionary): return try self.key(key).flatMap { dictionary[$0] }
    case .list(let items), .tuple(let items):
      return Self.index(key, count: items.count).map { items[$0] }
    case .text(let text):
      try step(value.weight)
      return Self.index(key, count: text.count).map { index in
        let start = text.offset(ofScalar: index)
        return .text(text[start..<text.scalar(at: start).end])
      }
    case .range(let start, _, let step, let count):
      return Self.index(key, count: count).map { .integer(start + $0 * step) }
    default: return nil
    }
  }

  private static func index(_ key: JinjaValue, count: Int) -> Int? {
    guard let index = key.integer, index >= -count, index < count else { return nil }
    return index < 0 ? index + count : index
  }

  /// A method or an attribute of `value`; nil when there is none.
  private func member(_ name: String, of value: JinjaValue) throws(JinjaFault) -> JinjaValue? {
    switch value {
    case .namespace(let namespace): return namespace.values[name]
    case .loop(let loop): return try loop.attribute(name)
    case .macro(let macro) where name == "name": return .string(macro.definition.name)
    case .text: return try JinjaMethods.ofText(name, value)
    case .dictionary(let dictionary): return try JinjaMethods.ofDictionary(name, dictionary, value)
    case .list(let items), .tuple(let items):
      if let index = items.names.firstIndex(of: name) { return items[index] }
      return try JinjaMethods.ofList(name, value)
    case .integer, .bool, .double, .huge:
      if ["real", "numerator"].contains(name) { return value }
      guard !JinjaMethods.unsupportedOfNumbers.contains(name) else {
        throw .unsupported("“\(name)” of a number")
      }
      return nil
    default: return nil
    }
  }

  /// `value[start:stop:step]`.
  func slice(_ value: JinjaValue, _ bounds: [JinjaValue?]) throws(JinjaFault) -> JinjaValue {
    try value.used()
    var numbers: [Int?] = []
    for bound in bounds {
      if let bound, !bound.isNone {
        guard let number = bound.integer else {
          throw .wrongType("a \(bound.typeName) cannot bound a slice")
        }
        numbers.append(number)
      } else {
        numbers.append(nil)
      }
    }
    let step = numbers[2] ?? 1
    guard step != 0 else { throw .wrongValue("the step of a slice is 0") }
    switch value {
    case .text(let text):
      try self.step(value.weight)
      return .text(try slice(text, numbers[0], numbers[1], step))
    case .list(let items):
      return .list(Self.places(numbers[0], numbers[1], step, items.count).map { items[$0] })
    case .tuple(let items):
      return .tuple(Self.places(numbers[0], numbers[1], step, items.count).map { items[$0] })
    case .range(let start, _, let stride, let count):
      return .list(
        Self.places(numbers[0], numbers[1], step, count).map { .integer(start + $0 * stride) })
    default: throw .wrongType("a \(value.typeName) has no slices")
    }
  }

  private func slice(
    _ text: SourcedText, _ start: Int?, _ stop: Int?, _ step: Int
  ) throws(JinjaFault) -> SourcedText {
    let (first, end, step) = Self.bounds(start, stop, step, text.count)
    if step == 1 {
      guard first < end else { return SourcedText() }
      return text[text.offset(ofScalar: first)..<text.offset(ofScalar: end)]
    }
    try reserve(8, times: text.bytes.count)
    let starts = text.scalars.map(\.range.lowerBound)
    var result = SourcedText()
    for place in stride(from: first, to: end, by: step) {
      result.append(text[starts[place]..<text.scalar(at: starts[place]).end])
    }
    return result
  }

  /// The indices that a slice of `count` things takes.
  private static func places(
    _ start: Int?, _ stop: Int?, _ step: Int, _ count: Int
  ) -> StrideTo<Int> {
    let (first, end, step) = bounds(start, stop, step, count)
    return Swift.stride(from: first, to: end, by: step)
  }

  /// Where a slice of `count` things begins, what it ends before, and its step, as Python has it.
  private static func bounds(
    _ start: Int?, _ stop: Int?, _ step: Int, _ count: Int
  ) -> (first: Int, end: Int, step: Int) {
    func clamped(_ bound: Int) -> Int {
      let bound = bound < 0 ? max(bound, -count - 1) + count : bound
      return step > 0 ? min(max(bound, 0), count) : min(max(bound, -1), count - 1)
    }
    let first = start.map(clamped) ?? (step > 0 ? 0 : count - 1)
    let end = stop.map(clamped) ?? (step > 0 ? count : -1)
    return (first, end, min(max(step, -count - 1), count + 1))
  }
}
