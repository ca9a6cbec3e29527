/// Number of a variable's name in a template.
typealias NameIndex = Int

/// An expression of a template.
struct TemplateExpression: Sendable {
  enum Literal: Sendable {
    case none
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case text(SourcedText)
  }

  enum Arithmetic: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case floorDivide = "//"
    case modulo = "%"
    case power = "**"
  }

  enum Comparison: String, Sendable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case isIn = "in"
    case isNotIn = "not in"
  }

  /// Chains of operators of one kind are lists, so that long ones are not deep.
  indirect enum Kind: Sendable {
    case literal(Literal)
    case name(NameIndex)
    case list([TemplateExpression])
    case tuple([TemplateExpression])
    case dictionary([(key: TemplateExpression, value: TemplateExpression)])
    case or([TemplateExpression])
    case and([TemplateExpression])
    case not(TemplateExpression)
    case compare(TemplateExpression, [(Comparison, TemplateExpression)])
    case arithmetic(TemplateExpression, [(Arithmetic, TemplateExpression)])
    case concatenate([TemplateExpression])
    case negative(TemplateExpression)
    case positive(TemplateExpression)
    case conditional(TemplateExpression, then: TemplateExpression, else: TemplateExpression?)
    case postfix(TemplateExpression, [TemplatePostfix])
  }

  var kind: Kind
  /// Bytes from the start of the template.
  var offset: Int
}

/// What stands behind a value and makes another one of it.
struct TemplatePostfix: Sendable {
  enum Kind: Sendable {
    case attribute(String)
    case item(TemplateExpression)
    case slice(TemplateExpression?, TemplateExpression?, TemplateExpression?)
    case call(TemplateArguments)
    case filter(String, TemplateArguments)
    case test(String, TemplateArguments, isNegated: Bool)
  }

  var kind: Kind
  var offset: Int
}

/// The arguments of a call, a filter or a test.
struct TemplateArguments: Sendable {
  var positional: [TemplateExpression] = []
  var named: [(name: String, value: TemplateExpression)] = []
  /// `*list`.
  var list: TemplateExpression?
  /// `**dictionary`.
  var dictionary: TemplateExpression?
}

/// What is assigned to.
indirect enum TemplateTarget: Sendable {
  case name(NameIndex)
  case attribute(NameIndex, String)
  case tuple([TemplateTarget])
}

/// The parameters of a macro or of what a call block hands over.
struct TemplateSignature: Sendable {
  var parameters: [(name: NameIndex, value: TemplateExpression?)] = []
  /// Which of the special variables the body reads.
  var takesCaller = false
  var takesPositional = false
  var takesNamed = false
}

/// A macro, and what a call block is made into.
struct TemplateMacro: Sendable {
  var name: String
  var signature: TemplateSignature
  var body: [TemplateStatement]
}

/// A `for` block.
struct TemplateLoop: Sendable {
  var target: TemplateTarget
  var items: TemplateExpression
  var condition: TemplateExpression?
  var isRecursive: Bool
  var body: [TemplateStatement]
  var otherwise: [TemplateStatement]
}

/// A tag, or text between tags.
struct TemplateStatement: Sendable {
  indirect enum Kind: Sendable {
    case text(SourcedText)
    case output(TemplateExpression)
    case choice([(condition: TemplateExpression, body: [TemplateStatement])], [TemplateStatement])
    case loop(TemplateLoop)
    case assign(TemplateTarget, TemplateExpression)
    case capture(TemplateTarget, filters: [TemplatePostfix], [TemplateStatement])
    case macro(NameIndex, TemplateMacro)
    /// Calls a macro with a body as its `caller`.
    case call(TemplateExpression, TemplateMacro)
    case filter([TemplatePostfix], [TemplateStatement])
    case with([(target: TemplateTarget, value: TemplateExpression)], [TemplateStatement])
    case generation([TemplateStatement])
    case breakLoop
    case continueLoop
  }

  var kind: Kind
  var offset: Int
}
