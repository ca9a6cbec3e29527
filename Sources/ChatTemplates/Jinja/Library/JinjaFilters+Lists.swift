extension JinjaFilters {
  static let ofLists: [String: Filter] = [
    "first": { interpreter, value, _ throws(JinjaFault) in
      if case .generator(let generator) = value {
        return try generator.next() ?? .undefined("there is no first item")
      }
      if let text = value.sourced, !text.isEmpty {
        return .text(text[0..<text.scalar(at: 0).end])
      }
      return try interpreter.values(of: value, for: "read").first
        ?? .undefined("there is no first item")
    },
    "last": { interpreter, value, _ throws(JinjaFault) in
      if case .generator = value { throw .wrongType("a generator cannot be read from its end") }
      if let text = value.sourced, !text.isEmpty {
        return .text(text[text.scalar(before: text.bytes.count).start..<text.bytes.count])
      }
      return try interpreter.values(of: value, for: "read").last
        ?? .undefined("there is no last item")
    },
    "reverse": { interpreter, value, _ throws(JinjaFault) in
      if let text = value.sourced {
        var result = SourcedText()
        var end = text.bytes.count
        while end > 0 {
          let start = text.scalar(before: end).start
          result.append(text[start..<end])
          end = start
        }
        return .text(result)
      }
      let values = try interpreter.values(of: value, for: "reversed")
      return .generator(JinjaGenerator(of: value) { values.reversed() })
    },
    "map": { interpreter, value, arguments throws(JinjaFault) in
      try map(interpreter, value, arguments)
    },
    "select": { interpreter, value, arguments throws(JinjaFault) in
      try select(interpreter, value, arguments, ofAttribute: false, keeps: true)
    },
    "reject": { interpreter, value, arguments throws(JinjaFault) in
      try select(interpreter, value, arguments, ofAttribute: false, keeps: false)
    },
    "selectattr": { interpreter, value, arguments throws(JinjaFault) in
      try select(interpreter, value, arguments, ofAttribute: true, keeps: true)
    },
    "rejectattr": { interpreter, value, arguments throws(JinjaFault) in
      try select(interpreter, value, arguments, ofAttribute: true, keeps: false)
    },
    "sort": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["reverse", "case_sensitive", "attribute"], of: "sort")
      let items = try interpreter.values(of: value, for: "sorted")
      var keys: [JinjaValue] = []
      for item in items {
        keys.append(try sortingKey(item, values[2], values[1]?.isTrue ?? false, interpreter))
      }
      try interpreter.stepSorting(keys)
      let order = try JinjaSorting.order(keys, isReversed: values[0]?.isTrue ?? false)
      return .list(order.map { items[$0] })
    },
    "unique": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["case_sensitive", "attribute"], of: "unique")
      return .generator(
        JinjaGenerator(of: value, with: arguments) { () throws(JinjaFault) in
          var seen: Set<JinjaKey> = []
          var unique: [JinjaValue] = []
          for item in try interpreter.values(of: value, for: "read") {
            let part = try attribute(values[1], of: item, interpreter)
            guard let key = try interpreter.key(folded(part, values[0]?.isTrue ?? false)) else {
              throw .wrongType("a \(item.typeName) cannot be a key")
            }
            if seen.insert(key).inserted { unique.append(item) }
          }
          return unique
        })
    },
    "min": { interpreter, value, arguments throws(JinjaFault) in
      try extreme(interpreter, value, arguments, "min") { left, right throws(JinjaFault) in
        try left.isLess(than: right)
      }
    },
    "max": { interpreter, value, arguments throws(JinjaFault) in
      try extreme(interpreter, value, arguments, "max") { left, right throws(JinjaFault) in
        try right.isLess(than: left)
      }
    },
    "groupby": { interpreter, value, arguments throws(JinjaFault) in
      try group(interpreter, value, arguments)
    },
    "batch": { interpreter, value, arguments throws(JinjaFault) in
      try batch(interpreter, value, arguments)
    },
    "slice": { interpreter, value, arguments throws(JinjaFault) in
      try slice(interpreter, value, arguments)
    },
    "sum": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["attribute", "start"], of: "sum")
      var sum = values[1] ?? .integer(0)
      guard sum.sourced == nil else { throw .wrongType("texts cannot be summed") }
      for item in try interpreter.values(of: value, for: "summed") {
        sum = try interpreter.arithmetic(sum, .add, attribute(values[0], of: item, interpreter))
      }
      return sum
    },
  ]

  /// The attribute of an item by a name with dots or a number, or the item itself for none.
  static func attribute(
    _ name: JinjaValue?, of item: JinjaValue, _ interpreter: Interpreter,
    otherwise: JinjaValue? = nil
  ) throws(JinjaFault) -> JinjaValue {
    guard let name, !name.isNone else { return item }
    guard let path = name.sourced else { return try interpreter.item(name, of: item) }
    try interpreter.step(name.weight)
    var value = item
    for part in path.string.split(separator: ".", omittingEmptySubsequences: false) {
      let key = Int(part).map(JinjaValue.integer) ?? .string(String(part))
      value = try interpreter.item(key, of: value)
      if let otherwise, !otherwise.isNone, value.isUndefined { value = otherwise }
    }
    return value
  }

  private static func sortingKey(
    _ item: JinjaValue, _ attributes: JinjaValue?, _ isCaseSensitive: Bool,
    _ interpreter: Interpreter
  ) throws(JinjaFault) -> JinjaValue {
    guard let names = attributes?.sourced?.string, names.contains(",") else {
      return folded(try attribute(attributes, of: item, interpreter), isCaseSensitive)
    }
    var parts: [JinjaValue] = []
    for name in names.split(separator: ",") {
      parts.append(
        folded(try attribute(.string(String(name)), of: item, interpreter), isCaseSensitive))
    }
    return .list(parts)
  }

  private static func map(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    if arguments.positional.isEmpty,
      let name = arguments.named.first(where: { $0.name == "attribute" })
    {
      let otherwise = arguments.named.first { $0.name == "default" }?.value
      for (name, _) in arguments.named where name != "attribute" && name != "default" {
        throw .wrongArguments("map has no argument “\(name)”")
      }
      return .generator(
        JinjaGenerator(of: value, with: arguments) { () throws(JinjaFault) in
          var values: [JinjaValue] = []
          for item in try interpreter.valuesIfAny(of: value) {
            values.append(try attribute(name.value, of: item, interpreter, otherwise: otherwise))
          }
          return values
        })
    }
    guard let name = arguments.positional.first?.sourced?.string else {
      throw .wrongArguments("map needs the name of a filter")
    }
    var rest = arguments
    rest.positional.removeFirst()
    return .generator(
      JinjaGenerator(of: value, with: arguments) { () throws(JinjaFault) in
        var values: [JinjaValue] = []
        for item in try interpreter.valuesIfAny(of: value) {
          try interpreter.step()
          values.append(try interpreter.filter(name, item, rest))
        }
        return values
      })
  }

  private static func select(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments, ofAttribute: Bool,
    keeps: Bool
  ) throws(JinjaFault) -> JinjaValue {
    var rest = arguments
    var name: JinjaValue?
    if ofAttribute {
      guard !rest.positional.isEmpty else {
        throw .wrongArguments("the name of an attribute is missing")
      }
      name = rest.positional.removeFirst()
    }
    let test =
      rest.positional.isEmpty
      ? nil : try JinjaMethods.textArgument(rest.positional.removeFirst(), "select")
    return .generator(
      JinjaGenerator(of: value, with: arguments) { () throws(JinjaFault) in
        var kept: [JinjaValue] = []
        for item in try interpreter.valuesIfAny(of: value) {
          try interpreter.step()
          let part = try attribute(name, of: item, interpreter)
          let holds =
            try test.map { test throws(JinjaFault) in
              try interpreter.test(test.string, part, rest)
            } ?? part.isTrue
          if holds == keeps { kept.append(item) }
        }
        return kept
      })
  }

  private static func extreme(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments, _ name: String,
    isBetter: (JinjaValue, JinjaValue) throws(JinjaFault) -> Bool
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["case_sensitive", "attribute"], of: name)
    var best: (item: JinjaValue, key: JinjaValue)?
    for item in try interpreter.values(of: value, for: "read") {
      let key = folded(
        try attribute(values[1], of: item, interpreter), values[0]?.isTrue ?? false)
      try interpreter.stepSorting([key])
      if let found = best, !(try isBetter(key, found.key)) { continue }
      best = (item, key)
    }
    return best?.item ?? .undefined("there is no item to choose")
  }

  private static func group(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(
      to: ["attribute", "default", "case_sensitive"], required: 1, of: "groupby")
    let items = try interpreter.values(of: value, for: "grouped")
    var names: [JinjaValue] = []
    for item in items {
      names.append(try attribute(values[0], of: item, interpreter, otherwise: values[1]))
    }
    let keys = names.map { folded($0, values[2]?.isTrue ?? false) }
    try interpreter.stepSorting(keys)
    var groups: [(key: JinjaValue, name: JinjaValue, items: [JinjaValue])] = []
    for index in try JinjaSorting.order(keys) {
      if let last = groups.last, try last.key.equals(keys[index]) {
        groups[groups.count - 1].items.append(items[index])
      } else {
        groups.append((keys[index], names[index], [items[index]]))
      }
    }
    return .list(
      groups.map { .tuple([$0.name, .list($0.items)], names: ["grouper", "list"]) })
  }

  private static func count(_ value: JinjaValue?, _ name: String) throws(JinjaFault) -> Int {
    guard let count = value?.integer, count > 0, count <= JinjaLimits.range else {
      throw .wrongValue("\(name) takes a number from 1 to \(JinjaLimits.range)")
    }
    return count
  }

  private static func batch(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["linecount", "fill_with"], required: 1, of: "batch")
    let size = try count(values[0], "batch")
    let items = try interpreter.values(of: value, for: "read")
    let batches = (items.count + size - 1) / size
    try interpreter.reserve(16, times: batches * size)
    return .list(
      stride(from: 0, to: items.count, by: size).map { start in
        var batch = Array(items[start..<min(start + size, items.count)])
        if let fill = values[1], !fill.isNone {
          batch += Array(repeating: fill, count: size - batch.count)
        }
        return .list(batch)
      })
  }

  private static func slice(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["slices", "fill_with"], required: 1, of: "slice")
    let slices = try count(values[0], "slice")
    let items = try interpreter.values(of: value, for: "read")
    var start = 0
    return .list(
      (0..<slices).map { number in
        let hasExtra = number < items.count % slices
        let end = start + items.count / slices + (hasExtra ? 1 : 0)
        var slice = Array(items[start..<end])
        if !hasExtra, let fill = values[1], !fill.isNone { slice.append(fill) }
        start = end
        return .list(slice)
      })
  }
}

extension Interpreter {
  /// The values of a list; none of what is false, whatever it is.
  fileprivate func valuesIfAny(of value: JinjaValue) throws(JinjaFault) -> [JinjaValue] {
    value.isTrue ? try values(of: value, for: "read") : []
  }
}
