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
