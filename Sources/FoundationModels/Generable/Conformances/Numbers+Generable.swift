public import FoundationEssentials

import Adapters

extension Int: Generable {
  /// Any integer of 64 bits.
  public static var generationSchema: GenerationSchema { GenerationSchema(.integer(SchemaRange())) }

  /// Reads a number without fraction.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, also for a number beyond 64 bits.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let value) = content.kind else { throw content.mismatch(Self.self) }
    guard let integer = content.number?.integer ?? Int(exactly: value) else {
      throw GeneratedContentError.wrongValue(type: "Int", value: content.jsonString)
    }
    self = integer
  }

  /// The value as content, exactly.
  public var generatedContent: GeneratedContent { .number(Double(self), JSONNumber(self)) }
}

extension Double: Generable {
  /// Any number.
  public static var generationSchema: GenerationSchema { GenerationSchema(.number(SchemaRange())) }

  /// Reads the nearest number.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, also for a number beyond the type's range.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let value) = content.kind else { throw content.mismatch(Self.self) }
    guard value.isFinite else {
      throw GeneratedContentError.wrongValue(type: "Double", value: content.jsonString)
    }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent {
    .number(self, isFinite ? JSONNumber(self) : nil)
  }
}

extension Float: Generable {
  /// Any number.
  public static var generationSchema: GenerationSchema { GenerationSchema(.number(SchemaRange())) }

  /// Reads the nearest number.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, also for a number beyond the type's range.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let value) = content.kind else { throw content.mismatch(Self.self) }
    let nearest = content.number.flatMap { Float($0.text) } ?? Float(value)
    guard nearest.isFinite else {
      throw GeneratedContentError.wrongValue(type: "Float", value: content.jsonString)
    }
    self = nearest
  }

  /// The value as content.
  public var generatedContent: GeneratedContent {
    .number(Double(self), isFinite ? JSONNumber(text: "\(self)") : nil)
  }
}

extension Decimal: Generable {
  /// Any number.
  public static var generationSchema: GenerationSchema { GenerationSchema(.number(SchemaRange())) }

  /// Reads a number digit by digit, up to 38 of them.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, also for a number beyond the type's range.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let value) = content.kind else { throw content.mismatch(Self.self) }
    guard let decimal = Decimal(string: content.number?.text ?? "\(value)") else {
      throw GeneratedContentError.wrongValue(type: "Decimal", value: content.jsonString)
    }
    self = decimal
  }

  /// The value as content, exactly.
  public var generatedContent: GeneratedContent {
    let text = isNaN ? nil : "\(self)"
    return .number(text.flatMap { Double($0) } ?? .nan, text.flatMap(JSONNumber.init(text:)))
  }
}

extension GeneratedContent {
  fileprivate static func number(_ value: Double, _ number: JSONNumber?) -> GeneratedContent {
    GeneratedContent(kind: .number(value), id: nil, isComplete: true, number: number)
  }
}
