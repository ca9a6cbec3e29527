public import FoundationEssentials

/// The ways in which a template can be wrong, or end its rendering.
public enum JinjaFault: Error, Equatable, Sendable {
  /// The template said so itself with `raise_exception`.
  case raised(String)
  /// Text that is no template.
  case syntax(String)
  /// A tag that is not known, or not supported.
  case unknownTag(String)
  case unknownFilter(String)
  case unknownTest(String)
  /// A function, method or attribute that jinja2 has and this interpreter has not.
  case unsupported(String)
  /// Something that has no value was used.
  case undefined(String)
  /// A value of a type that the operation has no meaning for.
  case wrongType(String)
  /// A value that the operation cannot take.
  case wrongValue(String)
  /// A call with arguments that the function does not have.
  case wrongArguments(String)
  /// What the sandbox keeps templates from doing.
  case forbidden(String)
  case divisionByZero
  /// An integer beyond 64 bits.
  case overflow
  /// More has been computed than any conversation needs.
  case tooManySteps(limit: Int)
  /// More text has been made than any conversation has.
  case tooMuchText(limit: Int)
  /// Macros, loops or values inside each other.
  case tooDeep(limit: Int)
  /// A range of more numbers than the sandbox of jinja2 allows.
  case rangeTooLong(limit: Int)
  case templateTooLong(bytes: Int, limit: Int)
}

extension JinjaFault: LocalizedError, CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch self {
    case .raised(let message): "the template refuses the chat: \(message)"
    case .syntax(let problem): problem
    case .unknownTag(let name): "the tag “\(name)” is not known"
    case .unknownFilter(let name): "the filter “\(name)” is not known"
    case .unknownTest(let name): "the test “\(name)” is not known"
    case .unsupported(let what): "\(what) is not supported"
    case .undefined(let what): what
    case .wrongType(let problem), .wrongValue(let problem), .wrongArguments(let problem): problem
    case .forbidden(let what): "\(what) is not allowed in a template"
    case .divisionByZero: "a number is divided by zero"
    case .overflow: "an integer does not fit into 64 bits"
    case .tooManySteps(let limit): "rendering takes more than \(limit) steps"
    case .tooMuchText(let limit): "rendering makes more than \(limit) bytes of text"
    case .tooDeep(let limit): "things are nested more than \(limit) deep"
    case .rangeTooLong(let limit): "a range has more than \(limit) numbers"
    case .templateTooLong(let bytes, let limit):
      "the template has \(bytes) bytes, the limit is \(limit)"
    }
  }

  /// The same.
  public var errorDescription: String? { description }
}

/// A fault with its place in the template.
public struct JinjaError: Error, Equatable, Sendable {
  /// What is wrong.
  public let fault: JinjaFault
  /// Line in the template, from 1.
  public let line: Int
  /// Character of that line, from 1.
  public let column: Int

  /// A fault at a place, both of whose numbers start from 1.
  public init(_ fault: JinjaFault, line: Int, column: Int) {
    (self.fault, self.line, self.column) = (fault, line, column)
  }

  init(_ fault: JinjaFault, at offset: Int, in source: [UInt8]) {
    self.fault = fault
    let before = source[..<min(offset, source.count)]
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    column = 1 + before[start...].count { !SourcedText.continues($0) }
  }
}

extension JinjaError: LocalizedError, CustomStringConvertible {
  /// The place in the template, and what is wrong there.
  public var description: String { "line \(line), column \(column): \(fault)" }

  /// The same.
  public var errorDescription: String? { description }
}

/// How much a template may take; what real ones take is far below.
struct JinjaLimits: Sendable {
  /// Evaluated expressions and statements, rounds of loops, and 16 bytes each of texts that are gone through.
  var steps = 3_000_000
  /// Bytes of all texts that are made on the way, and 16 for each element of a list.
  var bytes = 128 << 20
  /// Expressions and statements that are under way at once, those of called macros included.
  var depth = 400
  /// Expressions and blocks inside each other; values inside values.
  static let nesting = 100
  /// Numbers in a range.
  static let range = 100_000
  /// Bytes of a template.
  static let template = 4 << 20
}
