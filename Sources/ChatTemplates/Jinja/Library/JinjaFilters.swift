/// What `value | name` makes of a value.
enum JinjaFilters {
  typealias Filter =
    @Sendable (Interpreter, JinjaValue, JinjaArguments) throws(JinjaFault) -> JinjaValue

  static let all: [String: Filter] = {
    var filters = plain
    for table in [ofTexts, ofLists, ofNumbers] { filters.merge(table) { first, _ in first } }
    for (alias, name) in [("count", "length"), ("d", "default"), ("e", "escape")] {
      filters[alias] = filters[name]
    }
    return filters
  }()

  private static let unsupported: Set<String> = [
    "filesizeformat", "pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr",
  ]

  /// Why there is no filter `name`.
  static func fault(_ name: String) -> JinjaFault {
    unsupported.contains(name) ? .unsupported("the filter “\(name)”") : .unknownFilter(name)
  }

  private static let plain: [String: Filter] = [
    "default": { _, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["default_value", "boolean"], of: "default")
      let isReplaced = value.isUndefined || (values[1]?.isTrue ?? false) && !value.isTrue
      return isReplaced ? values[0] ?? .string("") : value
    },
    "length": { _, value, _ throws(JinjaFault) in
      guard let length = value.length else { throw .wrongType("a \(value.typeName) has no length") }
      return .integer(length)
    },
    "string": { interpreter, value, _ throws(JinjaFault) in
      .text(try interpreter.written(value))
    },
    "list": { interpreter, value, _ throws(JinjaFault) in
      .list(try interpreter.values(of: value, for: "made a list"))
    },
    "tojson": { interpreter, value, arguments throws(JinjaFault) in
      let json = try json(interpreter, arguments)
      try interpreter.step(value.size)
      try interpreter.reserve(json.width(at: value.depth + 1), times: value.size)
      return .text(try json.text(value))
    },
    "attr": { interpreter, value, arguments throws(JinjaFault) in
      let name = try JinjaMethods.textArgument(
        arguments.bound(to: ["name"], required: 1, of: "attr")[0], "attr")
      if case .dictionary = value { return .undefined("a dict has no attribute “\(name.string)”") }
      return try interpreter.attribute(name.string, of: value)
    },
    "items": { _, value, _ throws(JinjaFault) in
      if value.isUndefined { return .list([]) }
      guard case .dictionary(let dictionary) = value else {
        throw .wrongType("a \(value.typeName) has no items")
      }
      return .generator(
        JinjaGenerator(of: value) { () throws(JinjaFault) in
          try JinjaMethods.view("items", dictionary).values()
        })
    },
    "dictsort": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["case_sensitive", "by", "reverse"], of: "dictsort")
      guard case .dictionary(let dictionary) = value else {
        throw .wrongType("a \(value.typeName) has no items")
      }
      let byValue = values[1]?.sourced?.string == "value"
      let keys = dictionary.items.map { byValue ? $0.value : $0.key }
      try interpreter.stepSorting(keys)
      let order = try JinjaSorting.order(
        keys.map { folded($0, values[0]?.isTrue ?? false) }, isReversed: values[2]?.isTrue ?? false)
      return .list(order.map { .tuple([dictionary.items[$0].key, dictionary.items[$0].value]) })
    },
  ]

  /// Text in lower case, unless case matters.
  static func folded(_ value: JinjaValue, _ isCaseSensitive: Bool) -> JinjaValue {
    guard !isCaseSensitive, let text = value.sourced else { return value }
    return .text(text.lowercased)
  }

  private static func json(
    _ interpreter: Interpreter, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaJSON {
    let values = try arguments.bound(
      to: ["ensure_ascii", "indent", "separators", "sort_keys"], of: "tojson")
    var json = JinjaJSON()
    json.isASCII = values[0]?.isTrue ?? false
    json.sortsKeys = values[3]?.isTrue ?? false
    if let indent = values[1], !indent.isNone {
      if let width = indent.integer {
        guard width <= 64 else { throw .wrongValue("tojson indents by at most 64 spaces") }
        json.indent = SourcedText(String(repeating: " ", count: max(width, 0)), .data)
      } else {
        json.indent = try JinjaMethods.textArgument(indent, "tojson")
      }
      json.itemSeparator = SourcedText(",", .data)
    }
    if let separators = values[2], !separators.isNone {
      let pair = try interpreter.values(of: separators)
      guard pair.count == 2 else { throw .wrongValue("tojson takes two separators") }
      json.itemSeparator = try JinjaMethods.textArgument(pair[0], "tojson")
      json.keySeparator = try JinjaMethods.textArgument(pair[1], "tojson")
    }
    return json
  }
}
