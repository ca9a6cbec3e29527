/// Evaluates the tree of a template.
final class Interpreter {
  /// What the rest of a block does after a statement.
  private enum Flow { case goOn, breakLoop, continueLoop }

  let names: [String]
  /// The number of the name `loop`; nil when the template has no such name.
  private let loopName: NameIndex?
  let limits: JinjaLimits
  /// The time that templates are told, the same throughout.
  private(set) lazy var date = readDate()
  private let readDate: () -> TemplateDate
  /// Where the evaluation is, for errors.
  var place = 0
  private var output = SourcedText()
  private var steps = 0
  private var bytes = 0
  private var depth = 0
  private var namespaces: [JinjaNamespace] = []
  private var macros: [JinjaMacro] = []
  private var loops: [JinjaLoop] = []

  init(names: [String], limits: JinjaLimits, date: @escaping () -> TemplateDate) {
    (self.names, self.limits, readDate) = (names, limits, date)
    loopName = names.firstIndex(of: "loop")
  }

  /// The text of the template; what it needs is in `scope`.
  func render(_ body: [TemplateStatement], in scope: JinjaScope) throws(JinjaFault) -> SourcedText {
    // What is in a namespace, a macro or a loop may hold it in turn.
    defer {
      for loop in loops { loop.forget() }
      for namespace in namespaces { namespace.values = JinjaDictionary() }
      for macro in macros { macro.scope = nil }
    }
    _ = try run(body, in: scope)
    return output
  }

  func step(_ count: Int = 1) throws(JinjaFault) {
    steps += count
    guard steps <= limits.steps else { throw .tooManySteps(limit: limits.steps) }
  }

  /// Bytes that may still be made.
  var bytesLeft: Int { limits.bytes - bytes }

  /// Counts text that is about to be made.
  func reserve(_ count: Int, times: Int = 1) throws(JinjaFault) {
    let (product, isTooLarge) = count.multipliedReportingOverflow(by: max(times, 0))
    guard !isTooLarge, product <= bytesLeft else {
      throw .tooMuchText(limit: limits.bytes)
    }
    bytes += product
  }

  /// Counts a value that was made.
  func counted(_ value: JinjaValue) throws(JinjaFault) -> JinjaValue {
    switch value {
    case .text(let text): try reserve(text.bytes.count)
    case .list(let items), .tuple(let items), .view(_, let items):
      try reserve(16, times: items.count)
    case .dictionary(let dictionary): try reserve(32, times: dictionary.count)
    default: break
    }
    try bound(value)
    return value
  }

  /// Sees that values are not too deep inside the value.
  private func bound(_ value: JinjaValue) throws(JinjaFault) {
    guard value.depth < JinjaLimits.nesting else { throw .tooDeep(limit: JinjaLimits.nesting) }
  }

  func makeNamespace() -> JinjaNamespace {
    let namespace = JinjaNamespace()
    namespaces.append(namespace)
    return namespace
  }

  /// Lets a loop forget at the end what it was asked.
  func keep(_ loop: JinjaLoop) { loops.append(loop) }

  /// Goes into an expression, a statement or a call; each needs one of `leave`.
  func enter() throws(JinjaFault) {
    depth += 1
    try step()
    guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
  }

  func leave() { depth -= 1 }

  /// What `body` writes, instead of writing it.
  private func captured(_ body: () throws(JinjaFault) -> Void) throws(JinjaFault) -> SourcedText {
    let outer = output
    output = SourcedText()
    defer { output = outer }
    try body()
    return output
  }
}

extension Interpreter {
  private func run(_ body: [TemplateStatement], in scope: JinjaScope) throws(JinjaFault) -> Flow {
    for statement in body {
      let flow = try run(statement, in: scope)
      guard flow == .goOn else { return flow }
    }
    return .goOn
  }

  private func run(_ statement: TemplateStatement, in scope: JinjaScope) throws(JinjaFault) -> Flow
  {
    place = statement.offset
    defer { leave() }
    try enter()
    switch statement.kind {
    case .text(let text): try write(text)
    case .output(let value): try write(written(evaluate(value, in: scope)))
    case .choice(let branches, let otherwise):
      for (condition, body) in branches where try evaluate(condition, in: scope).isTrue {
        return try run(body, in: scope)
      }
      return try run(otherwise, in: scope)
    case .loop(let loop): try run(loop, in: scope)
    case .assign(let target, let value):
      try assign(evaluate(value, in: scope), to: target, in: scope)
    case .capture(let target, let filters, let body):
      let inner = JinjaScope(in: scope)
      let text = try captured { () throws(JinjaFault) in _ = try run(body, in: inner) }
      try assign(apply(filters, to: .text(text), in: inner), to: target, in: scope)
    case .macro(let name, let definition): scope[name] = .macro(makeMacro(definition, in: scope))
    case .call(let call, let body): try runCall(call, body, in: scope)
    case .filter(let filters, let body):
      let inner = JinjaScope(in: scope)
      let text = try captured { () throws(JinjaFault) in _ = try run(body, in: inner) }
      try write(written(apply(filters, to: .text(text), in: inner)))
    case .with(let values, let body):
      let inner = JinjaScope(in: scope)
      for (target, value) in values {
        try assign(evaluate(value, in: scope), to: target, in: inner)
      }
      return try run(body, in: inner)
    case .generation(let body): _ = try run(body, in: JinjaScope(in: scope))
    case .breakLoop: return .breakLoop
    case .continueLoop: return .continueLoop
    }
    return .goOn
  }

  private func write(_ text: SourcedText) throws(JinjaFault) {
    try reserve(text.bytes.count)
    output.append(text)
  }

  private func makeMacro(_ definition: TemplateMacro, in scope: JinjaScope) -> JinjaMacro {
    let macro = JinjaMacro(definition, in: scope)
    macros.append(macro)
    return macro
  }

  private func assign(
    _ value: JinjaValue, to target: TemplateTarget, in scope: JinjaScope
  ) throws(JinjaFault) {
    try bound(value)
    switch target {
    case .name(let name): scope[name] = value
    case .attribute(let name, let attribute):
      guard case .namespace(let namespace)? = scope[name] else {
        throw .wrongType("“\(names[name])” is no namespace, so its “\(attribute)” cannot be set")
      }
      guard !attribute.hasPrefix("_") else { throw .forbidden("the attribute “\(attribute)”") }
      namespace.values.set(attribute, value)
    case .tuple(let targets):
      let values = try values(of: value, for: "taken apart")
      guard values.count == targets.count else {
        throw .wrongValue("\(values.count) values are assigned to \(targets.count) names")
      }
      for (target, value) in zip(targets, values) { try assign(value, to: target, in: scope) }
    }
  }
}

extension Interpreter {
  private func run(_ definition: TemplateLoop, in scope: JinjaScope) throws(JinjaFault) {
    let items = try evaluate(definition.items, in: scope)
    if definition.isRecursive {
      try write(loopText(definition, over: items, in: scope, depth: 0))
    } else {
      try run(definition, over: items, in: scope, depth: 0)
    }
  }

  /// What the body of a recursive loop writes for `items`.
  private func loopText(
    _ definition: TemplateLoop, over items: JinjaValue, in scope: JinjaScope, depth: Int
  ) throws(JinjaFault) -> SourcedText {
    try captured { () throws(JinjaFault) in
      try run(definition, over: items, in: scope, depth: depth)
    }
  }

  private func run(
    _ definition: TemplateLoop, over items: JinjaValue, in scope: JinjaScope, depth: Int
  ) throws(JinjaFault) {
    let loop = JinjaLoop(items: try values(of: items), of: items, level: depth)
    if let condition = definition.condition {
      loop.isWanted = { [unowned self] value throws(JinjaFault) in
        let inner = JinjaScope(in: scope)
        try assign(value, to: definition.target, in: inner)
        return try evaluate(condition, in: inner).isTrue
      }
    }
    if definition.isRecursive {
      loop.recurse = { [unowned self] items throws(JinjaFault) in
        try loopText(definition, over: items, in: scope, depth: depth + 1)
      }
    }
    defer { loop.end() }
    var isEmpty = true
    while let value = try loop.next() {
      isEmpty = false
      try step()
      let inner = JinjaScope(in: scope)
      if let loopName { inner[loopName] = .loop(loop) }
      try assign(value, to: definition.target, in: inner)
      if try run(definition.body, in: inner) == .breakLoop { return }
    }
    if isEmpty { _ = try run(definition.otherwise, in: JinjaScope(in: scope)) }
  }

  private func runCall(
    _ call: TemplateExpression, _ body: TemplateMacro, in scope: JinjaScope
  ) throws(JinjaFault) {
    guard case .postfix(let base, let chain) = call.kind, let last = chain.last,
      case .call(let arguments) = last.kind
    else { return }
    let callee = try apply(chain.dropLast(), to: evaluate(base, in: scope), in: scope)
    var values = try evaluate(arguments, in: scope)
    values.named.append(("caller", .macro(makeMacro(body, in: scope))))
    place = last.offset
    try write(written(self.call(callee, values)))
  }

  /// What a macro writes.
  func text(of macro: JinjaMacro, _ arguments: JinjaArguments) throws(JinjaFault) -> SourcedText {
    guard let outer = macro.scope else { return SourcedText() }
    let scope = JinjaScope(in: outer)
    let start = place
    let definition = macro.definition
    try bind(arguments, definition, in: scope)
    let text = try captured { () throws(JinjaFault) in _ = try run(definition.body, in: scope) }
    place = start
    return text
  }

  /// Makes variables of a macro's arguments.
  private func bind(
    _ arguments: JinjaArguments, _ definition: TemplateMacro, in scope: JinjaScope
  ) throws(JinjaFault) {
    let signature = definition.signature
    let parameters = signature.parameters
    var named = arguments.named
    var missing: [Int] = []
    for (index, parameter) in parameters.enumerated() {
      let name = names[parameter.name]
      try step(named.count / 8)
      if index < arguments.positional.count {
        scope[parameter.name] = arguments.positional[index]
      } else if let place = named.firstIndex(where: { $0.name == name }) {
        scope[parameter.name] = named.remove(at: place).value
      } else {
        missing.append(index)
      }
    }
    try bindSpecial(
      &named, Array(arguments.positional.dropFirst(parameters.count)), definition, in: scope)
    for index in missing {
      let name = parameters[index].name
      scope[name] = .undefined("the parameter “\(names[name])” was not provided")
    }
    // A default sees the parameters, never a variable outside that has the name of one.
    for index in missing {
      guard let value = parameters[index].value else { continue }
      scope[parameters[index].name] = try evaluate(value, in: scope)
    }
  }

  private func bindSpecial(
    _ named: inout [(name: String, value: JinjaValue)], _ rest: [JinjaValue],
    _ definition: TemplateMacro, in scope: JinjaScope
  ) throws(JinjaFault) {
    let (signature, name) = (definition.signature, definition.name)
    if signature.takesCaller {
      let place = named.firstIndex { $0.name == "caller" }
      let caller = place.map { named.remove(at: $0).value }
      set("caller", caller ?? .undefined("the macro was not called by a call block"), in: scope)
    }
    if signature.takesNamed {
      let dictionary = JinjaDictionary()
      for (name, value) in named { dictionary.set(name, value) }
      set("kwargs", .dictionary(dictionary), in: scope)
    } else if let extra = named.first {
      throw .wrongArguments("the macro “\(name)” has no argument “\(extra.name)”")
    }
    if signature.takesPositional {
      set("varargs", .tuple(rest), in: scope)
    } else if !rest.isEmpty {
      throw .wrongArguments(
        "the macro “\(name)” takes at most \(signature.parameters.count) arguments")
    }
  }

  private func set(_ name: String, _ value: JinjaValue, in scope: JinjaScope) {
    if let index = names.firstIndex(of: name) { scope[index] = value }
  }
}
