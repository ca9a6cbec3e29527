/// What the code that `@Generable` writes calls, and nobody else.
///
/// Where the compiler knows more than the spelling of a type, overloads here decide: an alias of an optional is an
/// optional, one of ``GenerationID`` is not generated, raw values of an alias of `String` are texts, and members are
/// compared as they can be.
public enum _Generated {
  /// `schema` under another name than that of its type.
  public static func named(_ name: String, _ schema: GenerationSchema) -> GenerationSchema {
    GenerationSchema(schema.root.titled(name), definitions: schema.definitions, type: schema.type)
  }

  /// The text of a case whose raw value is one.
  public static func text<Case: RawRepresentable>(of value: Case, _ name: String) -> String
  where Case.RawValue == String { value.rawValue }

  /// The text of any other case: its name.
  public static func text<Case>(of value: Case, _ name: String) -> String { name }

  /// The property `name` of a structure.
  public static func value<Value: ConvertibleFromGeneratedContent>(
    _ name: String, of content: GeneratedContent
  ) throws -> Value { try content.value(forProperty: name) }

  /// The property `name` of a structure, where it may be missing.
  public static func value<Value: ConvertibleFromGeneratedContent>(
    _ name: String, of content: GeneratedContent
  ) throws -> Value? { try content.value(forProperty: name) }

  /// What the structure itself is called, whatever the property is.
  public static func value(_ name: String, of content: GeneratedContent) throws -> GenerationID {
    content.id ?? GenerationID()
  }

  /// The name of the case that content is of; nil while the name may go on.
  public static func caseName(of content: GeneratedContent) throws -> String? {
    let name = try content.value(GeneratedContent.self, forProperty: "case")
    return name.isComplete ? try String(name) : nil
  }

  /// Whether two members of partial forms are the same.
  public static func areEqual<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
    left == right
  }

  /// The same for members of which the compiler does not know that; those that cannot be compared are what they print.
  public static func areEqual<Value>(_ left: Value?, _ right: Value?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard let left = left as? any Equatable else {
      return String(reflecting: left) == String(reflecting: right)
    }
    return left.isEqual(to: right)
  }

  /// Feeds a member of a partial form to `hasher`.
  public static func hash<Value: Hashable>(_ value: Value?, into hasher: inout Hasher) {
    hasher.combine(value)
  }

  /// The same for a member of which the compiler does not know that; one that cannot be hashed adds nothing.
  public static func hash<Value>(_ value: Value?, into hasher: inout Hasher) {
    if let value, let value = value as? any Hashable { value.hash(into: &hasher) }
  }

  /// The properties of a schema, one after the other.
  public struct SchemaProperties {
    /// Those that are generated.
    public private(set) var all: [GenerationSchema.Property] = []

    /// No properties yet.
    public init() {}

    /// Adds a property.
    public mutating func append(_ property: GenerationSchema.Property) { all.append(property) }

    /// Passes over a property that is not generated.
    public mutating func append(_ property: Identity) {}
  }

  /// A property that takes the name of the whole.
  public struct Identity {
    /// A property of this name.
    public init(name: String, type: GenerationID.Type) {}

    /// It has no place for guides.
    @available(
      *, unavailable,
      message: "A GenerationID names the content and is not generated; remove its guide"
    )
    public init(
      name: String, description: String? = nil, type: GenerationID.Type,
      guides: [GenerationGuide<Int>] = []
    ) {}
  }

  /// The properties of a structure, written one after the other.
  public struct Properties {
    private let writesNil: Bool
    private var written: [(String, any ConvertibleToGeneratedContent)] = []
    private var id: GenerationID?

    /// Nothing yet; with `writesNil` a missing value is written as null, not left out.
    public init(writesNil: Bool = false) { self.writesNil = writesNil }

    /// Writes a value.
    public mutating func write<Value: ConvertibleToGeneratedContent>(
      _ name: String, _ value: Value
    ) { written.append((name, value)) }

    /// Writes a value that may be missing.
    public mutating func write<Value: ConvertibleToGeneratedContent>(
      _ name: String, _ value: Value?
    ) {
      if value != nil || writesNil { written.append((name, value)) }
    }

    /// Takes the name of the whole; of two the first stays.
    public mutating func write(_ name: String, _ value: GenerationID) { id = id ?? value }

    /// What was written; of two values of one name the first stays.
    public func content() -> GeneratedContent {
      GeneratedContent(properties: written, id: id, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The cases of an enumeration with values: structures of `case` with the name, and the values.
  public struct Cases {
    private var cases: [(name: String, properties: [GenerationSchema.Property])] = []

    /// No cases yet.
    public init() {}

    /// Begins the next case.
    public mutating func begin(_ name: String) {
      let head = GenerationSchema.Property(
        name: "case", type: String.self, guides: [.constant(name)])
      cases.append((name, [head]))
    }

    /// Adds a value to the case that was begun last.
    public mutating func append(_ property: GenerationSchema.Property) {
      cases[cases.count - 1].properties.append(property)
    }

    /// The schema of one of the cases.
    public func schema(
      type: any Generable.Type, description: String? = nil
    ) -> GenerationSchema {
      let type = SchemaType(type: type, rules: [])
      let definitions = cases.map { choice in
        let title = "Case_" + choice.name
        let properties = choice.properties.map(\.property)
        return SchemaDefinition(
          name: title, node: .object(SchemaObject(title: title, properties: properties)))
      }
      let root = SchemaChoice(
        title: type.name, description: description,
        branches: definitions.map { .reference($0.name) })
      return GenerationSchema(.choice(root), definitions: definitions, type: type)
    }
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension SchemaNode {
  /// The node under another name, where it has one.
  fileprivate func titled(_ title: String) -> SchemaNode {
    switch self {
    case .object(var object):
      object.title = title
      return .object(object)
    case .choice(var choice):
      choice.title = title
      return .choice(choice)
    case .string(var string):
      string.title = title
      return .string(string)
    default: return self
    }
  }
}
