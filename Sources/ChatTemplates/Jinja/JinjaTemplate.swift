/// A chat template: parsed once, rendered as often as there are chats.
///
/// It means what jinja2 makes of it in the environment of transformers: an immutable sandbox with `trim_blocks`,
/// `lstrip_blocks`, loop controls and `generation` blocks.
struct JinjaTemplate: Sendable {
  private let source: [UInt8]
  private let names: [String]
  /// The names that every template can call.
  private let functions: [(name: NameIndex, body: JinjaGlobals.Function)]
  private let body: [TemplateStatement]

  /// Parses a template.
  ///
  /// - Throws: what is wrong with it and where.
  init(_ template: String) throws(JinjaError) {
    var parser = try TemplateParser(template)
    body = try parser.parse()
    (source, names) = (parser.source, parser.names)
    functions = names.enumerated().compactMap { index, name in
      JinjaGlobals.all[name].map { (index, $0) }
    }
  }

  /// The text that the template makes of `variables`.
  ///
  /// - Throws: what went wrong and where; nothing that a template does takes longer than `limits` allow.
  func render(
    _ variables: [(name: String, value: JinjaValue)],
    date: @autoclosure @escaping () -> TemplateDate, limits: JinjaLimits = JinjaLimits()
  ) throws(JinjaError) -> SourcedText {
    let interpreter = Interpreter(names: names, limits: limits, date: date)
    let globals = JinjaScope(in: nil)
    for (index, body) in functions {
      globals[index] = .function(JinjaFunction(names[index], body))
    }
    for (index, name) in names.enumerated() {
      if let variable = variables.last(where: { $0.name == name }) {
        globals[index] = variable.value
      }
    }
    do throws(JinjaFault) {
      return try interpreter.render(body, in: JinjaScope(in: globals))
    } catch {
      throw JinjaError(error, at: interpreter.place, in: source)
    }
  }
}

/// The functions that every template can call.
enum JinjaGlobals {
  typealias Function =
    @Sendable (Interpreter, JinjaArguments) throws(JinjaFault) -> JinjaValue

  static let all: [String: Function] = [
    "raise_exception": { interpreter, arguments throws(JinjaFault) in
      let message = try arguments.bound(to: ["message"], required: 1, of: "raise_exception")[0]
      throw .raised(try interpreter.written(message ?? .none).string)
    },
    "strftime_now": { interpreter, arguments throws(JinjaFault) in
      let format = try JinjaMethods.textArgument(
        arguments.bound(to: ["format"], required: 1, of: "strftime_now")[0], "strftime_now")
      try interpreter.step(format.bytes.count / 16)
      return .string(try interpreter.date.text(format.string))
    },
    "range": { _, arguments throws(JinjaFault) in try range(arguments) },
    "namespace": { interpreter, arguments throws(JinjaFault) in
      let values = try dictionary(interpreter, arguments, of: "namespace")
      for (key, _) in values.items {
        guard let name = key.sourced?.string, name.hasPrefix("_") else { continue }
        throw .forbidden("the attribute “\(name)” of a namespace")
      }
      let namespace = interpreter.makeNamespace()
      namespace.values = values
      return .namespace(namespace)
    },
    "dict": { interpreter, arguments throws(JinjaFault) in
      .dictionary(try dictionary(interpreter, arguments, of: "dict"))
    },
    "lipsum": { _, _ throws(JinjaFault) in throw .unsupported("the function “lipsum”") },
    "cycler": { _, _ throws(JinjaFault) in throw .unsupported("the function “cycler”") },
    "joiner": { _, _ throws(JinjaFault) in throw .unsupported("the function “joiner”") },
  ]

  private static func range(_ arguments: JinjaArguments) throws(JinjaFault) -> JinjaValue {
    var numbers: [Int] = []
    for value in arguments.positional {
      try value.used()
      guard let number = value.integer else {
        throw .wrongType("range takes integers, not a \(value.typeName)")
      }
      numbers.append(number)
    }
    guard (1...3).contains(numbers.count), arguments.named.isEmpty else {
      throw .wrongArguments("range takes one to three integers")
    }
    let (start, end) = numbers.count == 1 ? (0, numbers[0]) : (numbers[0], numbers[1])
    let step = numbers.count == 3 ? numbers[2] : 1
    guard step != 0 else { throw .wrongValue("the step of a range is 0") }
    let (span, isTooLong) =
      step > 0 ? end.subtractingReportingOverflow(start) : start.subtractingReportingOverflow(end)
    if isTooLong, (end > start) == (step > 0) { throw .rangeTooLong(limit: JinjaLimits.range) }
    guard !isTooLong, span > 0 else { return .range(start: start, end: end, step: step, count: 0) }
    let stride = step.magnitude
    let count = (UInt(span) - 1) / stride + 1
    guard count <= JinjaLimits.range else { throw .rangeTooLong(limit: JinjaLimits.range) }
    return .range(start: start, end: end, step: step, count: Int(count))
  }

  /// A dictionary of a dictionary or of pairs, and of named arguments.
  private static func dictionary(
    _ interpreter: Interpreter, _ arguments: JinjaArguments, of name: String
  ) throws(JinjaFault) -> JinjaDictionary {
    guard arguments.positional.count <= 1 else {
      throw .wrongArguments("\(name) takes at most one argument that has no name")
    }
    let dictionary = JinjaDictionary()
    if let base = arguments.positional.first {
      try base.used()
      if case .dictionary(let other) = base {
        for (key, value) in other.items {
          try interpreter.step(1 + key.weight)
          dictionary.set(key, value)
        }
      } else {
        for pair in try interpreter.values(of: base, for: "made a dictionary") {
          let parts = try interpreter.values(of: pair, for: "taken for a key and a value")
          guard parts.count == 2, try interpreter.key(parts[0]) != nil else {
            throw .wrongValue("a dictionary is made of pairs of a key and a value")
          }
          dictionary.set(parts[0], parts[1])
        }
      }
    }
    for (key, value) in arguments.named { dictionary.set(key, value) }
    return dictionary
  }
}
