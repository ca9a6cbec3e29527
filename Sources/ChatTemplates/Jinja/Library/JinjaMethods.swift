/// Methods of texts, lists and dictionaries.
enum JinjaMethods {
  typealias TextMethod =
    @Sendable (Interpreter, SourcedText, JinjaArguments) throws(JinjaFault) -> JinjaValue

  static func ofText(_ name: String, _ value: JinjaValue) throws(JinjaFault) -> JinjaValue? {
    guard let text = value.sourced else { return nil }
    if let method = textMethods[name] {
      return .function(
        JinjaFunction(name, of: value) { interpreter, arguments throws(JinjaFault) in
          try interpreter.step(value.weight)
          try interpreter.stepThroughTexts(of: arguments)
          return try method(interpreter, text, arguments)
        })
    }
    guard !unsupportedOfText.contains(name) else {
      throw .unsupported("the method “\(name)” of a text")
    }
    return nil
  }

  private static let unsupportedOfText: Set<String> = [
    "encode", "expandtabs", "format_map", "isidentifier", "isprintable", "maketrans", "translate",
  ]

  static let unsupportedOfNumbers: Set<String> = [
    "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator", "from_bytes",
    "fromhex", "hex", "imag", "is_integer", "to_bytes",
  ]

  /// What would change a list or a dictionary, which no template may.
  private static let forbidden: Set<String> = [
    "append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove", "popitem",
    "setdefault", "update",
  ]

  private static func refusal(_ name: String, _ value: JinjaValue) -> JinjaValue {
    let type = value.typeName
    return .function(
      JinjaFunction(name) { _, _ throws(JinjaFault) in
        throw .forbidden("the method “\(name)”, which changes a \(type),")
      })
  }

  static func ofDictionary(
    _ name: String, _ dictionary: JinjaDictionary, _ value: JinjaValue
  ) throws(JinjaFault) -> JinjaValue? {
    let function: JinjaFunction
    switch name {
    case "items", "keys", "values":
      function = JinjaFunction(name, of: value) { _, arguments throws(JinjaFault) in
        try arguments.expectNone(of: name)
        return view(name, dictionary)
      }
    case "get":
      function = JinjaFunction(name, of: value) { interpreter, arguments throws(JinjaFault) in
        guard arguments.named.isEmpty else { throw .wrongArguments("get has no named arguments") }
        let values = try arguments.bound(to: ["key", "default"], required: 1, of: name)
        guard let key = try interpreter.key(values[0] ?? .none) else {
          throw .wrongType("a \(values[0]?.typeName ?? "") cannot be a key")
        }
        return dictionary[key] ?? values[1] ?? .none
      }
    case "copy":
      function = JinjaFunction(name, of: value) { _, arguments throws(JinjaFault) in
        try arguments.expectNone(of: name)
        return value
      }
    case "fromkeys": throw .unsupported("the method “fromkeys”")
    default:
      guard ["clear", "pop", "popitem", "setdefault", "update"].contains(name) else { return nil }
      return refusal(name, value)
    }
    return .function(function)
  }

  static func view(_ name: String, _ dictionary: JinjaDictionary) -> JinjaValue {
    let items: [JinjaValue] =
      switch name {
      case "keys": dictionary.items.map(\.key)
      case "values": dictionary.items.map(\.value)
      default: dictionary.items.map { .tuple([$0.key, $0.value]) }
      }
    return .view(name, JinjaList(items))
  }

  static func ofList(_ name: String, _ value: JinjaValue) throws(JinjaFault) -> JinjaValue? {
    switch name {
    case "count", "index":
      return .function(
        JinjaFunction(name, of: value) { interpreter, arguments throws(JinjaFault) in
          let items = try value.values()
          guard let item = try arguments.bound(to: ["value"], required: 1, of: name)[0] else {
            return .none
          }
          try interpreter.stepSearching(value, for: item)
          var count = 0
          for (index, other) in items.enumerated() where try other.equals(item) {
            if name == "index" { return .integer(index) }
            count += 1
          }
          guard name == "count" else {
            throw .wrongValue("a value is not in the \(value.typeName)")
          }
          return .integer(count)
        })
    case "copy":
      guard case .list = value else { return nil }
      return .function(JinjaFunction(name, of: value) { _, _ throws(JinjaFault) in value })
    default:
      guard case .list = value, forbidden.contains(name),
        !["popitem", "setdefault", "update"].contains(name)
      else { return nil }
      return refusal(name, value)
    }
  }
}
