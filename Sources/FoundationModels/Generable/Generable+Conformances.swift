public import FoundationEssentials
import JSON

extension Int: Generable {
  /// Any integer of 64 bits.
  public static var generationSchema: GenerationSchema { GenerationSchema(.integer(SchemaRange())) }

  /// Reads a number without fraction.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, also for a number beyond 64 bits.
  public init(_ content: GeneratedContent) throws {
    self = try content.number { $1?.integer ?? Int(exactly: $0) }
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
    // Without digits it is the value of a program, not one that a text has made infinite.
    self = try content.number { $0.isFinite || $1 == nil ? $0 : nil }
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
    self = try content.number { value, digits in
      let nearest = digits.flatMap { Float($0.text) } ?? Float(value)
      return nearest.isFinite || digits == nil && !value.isFinite ? nearest : nil
    }
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
    self = try content.number { value, digits in
      digits == nil && value.isNaN ? .nan : Decimal(string: digits?.text ?? "\(value)")
    }
  }

  /// The value as content, exactly.
  public var generatedContent: GeneratedContent {
    let text = isNaN ? nil : "\(self)"
    return .number(text.flatMap { Double($0) } ?? .nan, text.flatMap(JSONNumber.init(text:)))
  }
}

extension GeneratedContent {
  /// The number as `convert` makes it of the nearest double and the digits; nil says that the type has no such value.
  fileprivate func number<Value>(_ convert: (Double, JSONNumber?) -> Value?) throws -> Value {
    guard case .number(let value) = kind else { throw mismatch(Value.self) }
    guard let result = convert(value, number) else {
      throw GeneratedContentError.wrongValue(type: "\(Value.self)", value: jsonString)
    }
    return result
  }

  fileprivate static func number(_ value: Double, _ number: JSONNumber?) -> GeneratedContent {
    GeneratedContent(kind: .number(value), id: nil, isComplete: true, number: number)
  }
}

extension String: Generable {
  /// Any text.
  public static var generationSchema: GenerationSchema { GenerationSchema(.string(SchemaString())) }

  /// Reads a text, or as much of it as there is.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else.
  public init(_ content: GeneratedContent) throws {
    guard case .string(let value) = content.kind else { throw content.mismatch(Self.self) }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { GeneratedContent(kind: .string(self)) }
}

extension Bool: Generable {
  /// `true` or `false`.
  public static var generationSchema: GenerationSchema { GenerationSchema(.boolean) }

  /// Reads a boolean.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else.
  public init(_ content: GeneratedContent) throws {
    guard case .bool(let value) = content.kind else { throw content.mismatch(Self.self) }
    self = value
  }

  /// The value as content.
  public var generatedContent: GeneratedContent { GeneratedContent(kind: .bool(self)) }
}

extension Array: Generable where Element: Generable {
  /// The elements that are there, each as far as it is there.
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// A list of any number of elements.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      .list(SchemaList(element: .type(SchemaType(type: Element.self, rules: [])))))
  }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// The elements as content, in their order.
  public var generatedContent: GeneratedContent {
    GeneratedContent(kind: .array(map(\.generatedContent)))
  }
}

extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// Reads a list; a last element that is too short to be read yet is left out.
  ///
  /// - Throws: ``GeneratedContentError`` for anything else, or what an element throws.
  public init(_ content: GeneratedContent) throws {
    guard case .array(let elements) = content.kind else { throw content.mismatch(Self.self) }
    self = []
    reserveCapacity(elements.count)
    for element in elements {
      do {
        append(try Element(element))
      } catch {
        guard !element.isComplete else { throw error }
      }
    }
  }
}

extension Optional where Wrapped: Generable {
  /// As much of the value as is there.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}

extension Optional: ConvertibleToGeneratedContent where Wrapped: ConvertibleToGeneratedContent {
  /// The value as content, or null.
  public var generatedContent: GeneratedContent {
    map(\.generatedContent) ?? GeneratedContent(kind: .null)
  }
}

extension Optional: InstructionsRepresentable where Wrapped: ConvertibleToGeneratedContent {}

extension Optional: PromptRepresentable where Wrapped: ConvertibleToGeneratedContent {}

extension Never: Generable {
  /// No value.
  public static var generationSchema: GenerationSchema { GenerationSchema(.nothing) }

  /// Refuses all content.
  ///
  /// - Throws: ``GeneratedContentError`` always.
  public init(_ content: GeneratedContent) throws {
    throw content.mismatch(Never.self)
  }

  /// Never asked for.
  public var generatedContent: GeneratedContent {
    switch self {}
  }
}
