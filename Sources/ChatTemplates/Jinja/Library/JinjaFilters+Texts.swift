extension JinjaFilters {
  static let ofTexts: [String: Filter] = [
    "trim": { interpreter, value, arguments throws(JinjaFault) in
      try JinjaMethods.strip(interpreter.written(value), arguments, true, true)
    },
    "upper": { interpreter, value, _ throws(JinjaFault) in
      .text(try interpreter.written(value).uppercased)
    },
    "lower": { interpreter, value, _ throws(JinjaFault) in
      .text(try interpreter.written(value).lowercased)
    },
    "capitalize": { interpreter, value, _ throws(JinjaFault) in
      .text(try interpreter.written(value).capitalized)
    },
    "title": { interpreter, value, _ throws(JinjaFault) in
      .text(try title(interpreter.written(value)))
    },
    "safe": { interpreter, value, _ throws(JinjaFault) in
      var text = try interpreter.written(value)
      text.isMarkup = true
      return .text(text)
    },
    "escape": { interpreter, value, _ throws(JinjaFault) in
      let text = try interpreter.written(value)
      return .text(text.isMarkup ? text : text.escaped)
    },
    "forceescape": { interpreter, value, _ throws(JinjaFault) in
      .text(try interpreter.written(value).escaped)
    },
    "replace": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["old", "new", "count"], required: 2, of: "replace")
      var text = try interpreter.written(value)
      text.isMarkup = false
      return try JinjaMethods.replace(
        interpreter, text, interpreter.written(values[0] ?? .none),
        interpreter.written(values[1] ?? .none), values[2])
    },
    "join": { interpreter, value, arguments throws(JinjaFault) in
      let values = try arguments.bound(to: ["d", "attribute"], of: "join")
      let separator = try interpreter.written(values[0] ?? .string(""))
      var parts: [SourcedText] = []
      for item in try interpreter.values(of: value, for: "joined") {
        parts.append(try interpreter.written(attribute(values[1], of: item, interpreter)))
      }
      return .text(try JinjaMethods.join(interpreter, parts, separator))
    },
    "indent": { interpreter, value, arguments throws(JinjaFault) in
      try indent(interpreter, value, arguments)
    },
    "center": { interpreter, value, arguments throws(JinjaFault) in
      let width = try arguments.bound(to: ["width"], of: "center")[0] ?? .integer(80)
      let method = try interpreter.attribute("center", of: .text(interpreter.written(value)))
      return try interpreter.call(method, JinjaArguments(positional: [width]))
    },
    "truncate": { interpreter, value, arguments throws(JinjaFault) in
      try truncate(interpreter, interpreter.written(value), arguments)
    },
    "wordcount": { interpreter, value, _ throws(JinjaFault) in
      .integer(try wordCount(interpreter.written(value)))
    },
    "urlencode": { interpreter, value, _ throws(JinjaFault) in
      switch value {
      case .dictionary, .list, .tuple, .view, .generator:
        throw .unsupported("the filter “urlencode” for a \(value.typeName)")
      default: return .text(try interpreter.written(value).percentEncoded)
      }
    },
    "format": { interpreter, value, arguments throws(JinjaFault) in
      guard arguments.named.isEmpty else {
        guard arguments.positional.isEmpty else {
          throw .wrongArguments("format takes either named arguments or others")
        }
        let dictionary = JinjaDictionary()
        for (name, value) in arguments.named { dictionary.set(name, value) }
        return .text(
          try PercentFormat(interpreter.written(value), interpreter).text(.dictionary(dictionary)))
      }
      return .text(
        try PercentFormat(interpreter.written(value), interpreter).text(
          .tuple(arguments.positional)))
    },
  ]

  private static func title(_ text: SourcedText) -> SourcedText {
    var result = SourcedText()
    var word = 0
    func addWord(_ end: Int) {
      guard word < end else { return }
      let first = text.scalar(at: word).end
      result.append(text[word..<first].uppercased)
      result.append(text[first..<end].lowercased)
    }
    for (scalar, range) in text.scalars
    where scalar.isPythonSpace || "-({[<".unicodeScalars.contains(scalar) {
      addWord(range.lowerBound)
      result.append(text[range])
      word = range.upperBound
    }
    addWord(text.bytes.count)
    result.isMarkup = text.isMarkup
    return result
  }

  private static func wordCount(_ text: SourcedText) -> Int {
    var (count, isInside) = (0, false)
    for (scalar, _) in text.scalars {
      let isWord =
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
      if isWord, !isInside { count += 1 }
      isInside = isWord
    }
    return count
  }

  private static func indent(
    _ interpreter: Interpreter, _ value: JinjaValue, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["width", "first", "blank"], of: "indent")
    let width = values[0] ?? .integer(4)
    guard let text = value.sourced else { throw .wrongType("indent takes a text") }
    let indentation: SourcedText
    if let given = width.sourced {
      indentation = given
    } else {
      guard let count = width.integer else { throw .wrongType("indent takes a number or a text") }
      try interpreter.reserve(max(count, 0))
      indentation = SourcedText(String(repeating: " ", count: max(count, 0)), .template)
    }
    var ended = text
    ended.append("\n", .template)
    try interpreter.reserve(parts: ended.lineCount)
    let lines = ended.lines()
    try interpreter.reserve(indentation.bytes.count + 1, times: lines.count + 1)
    let includesBlank = values[2]?.isTrue ?? false
    var result = values[1]?.isTrue ?? false ? indentation : SourcedText()
    for (index, line) in lines.enumerated() {
      if index > 0 {
        result.append("\n", .template)
        if includesBlank || !line.isEmpty { result.append(indentation) }
      }
      result.append(line)
    }
    return .text(result)
  }

  private static func truncate(
    _ interpreter: Interpreter, _ text: SourcedText, _ arguments: JinjaArguments
  ) throws(JinjaFault) -> JinjaValue {
    let values = try arguments.bound(to: ["length", "killwords", "end", "leeway"], of: "truncate")
    // No text is as long as what is beyond.
    let length = min(values[0]?.integer ?? 255, 1 << 40)
    let end = try interpreter.written(values[2] ?? .string("..."))
    let leeway = min(values[3]?.integer ?? 5, 1 << 40)
    guard length >= end.count, leeway >= 0 else {
      throw .wrongValue("truncate is given a length below that of its end")
    }
    guard text.count > length + leeway else { return .text(text) }
    var result = text[0..<text.offset(ofScalar: length - end.count)]
    if !(values[1]?.isTrue ?? false),
      let space = result.bytes.lastIndex(of: UInt8(ascii: " "))
    {
      result = result[0..<space]
    }
    result.append(end)
    return .text(result)
  }
}

extension SourcedText {
  /// The text with all but letters, digits and `_.-~/` as percent escapes.
  fileprivate var percentEncoded: SourcedText {
    var result = SourcedText()
    for (offset, byte) in bytes.enumerated() {
      let isPlain = byte < 0x80 && (TemplateLexer.isWord(byte) || "/.-~".utf8.contains(byte))
      if isPlain {
        result.append(CollectionOfOne(byte), source(at: offset))
      } else {
        let hex = String(byte, radix: 16, uppercase: true).padded(to: 2)
        result.append("%" + hex, source(at: offset))
      }
    }
    return result
  }
}
