/// Values that are made when they are first read, and can be read once.
final class JinjaGenerator {
  private var make: (() throws(JinjaFault) -> [JinjaValue])?
  private var values: [JinjaValue] = []
  private var position = 0
  /// Generators and values inside each other.
  let depth: Int

  /// Reads `source`, or what is made of it, later; `arguments` are kept for it, too.
  init(
    of source: JinjaValue, with arguments: JinjaArguments = JinjaArguments(),
    _ make: @escaping () throws(JinjaFault) -> [JinjaValue]
  ) {
    self.make = make
    depth = max(source.depth, arguments.depth) + 1
  }

  func next() throws(JinjaFault) -> JinjaValue? {
    if let make {
      self.make = nil
      values = try make()
    }
    guard position < values.count else { return nil }
    position += 1
    return values[position - 1]
  }

  func rest() throws(JinjaFault) -> [JinjaValue] {
    var rest: [JinjaValue] = []
    while let value = try next() { rest.append(value) }
    return rest
  }
}
