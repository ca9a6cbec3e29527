extension GenerationSchema {
  /// A property of a structure.
  public struct Property: Sendable {
    let property: SchemaObject.Property

    private init(
      _ name: String, _ description: String?, _ type: any Generable.Type, _ rules: [SchemaRule],
      isOptional: Bool
    ) {
      property = SchemaObject.Property(
        name: name, description: description, node: .type(SchemaType(type: type, rules: rules)),
        isOptional: isOptional)
    }

    /// A property that is always generated.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(name, description, type, guides.flatMap(\.rules), isOptional: false)
    }

    /// A property that the model may leave out.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(name, description, Value.self, guides.flatMap(\.rules), isOptional: true)
    }

    /// A text that matches each of `guides` as a whole.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      let rules = guides.map { SchemaRule.pattern(SchemaPattern($0)) }
      self.init(name, description, type, rules, isOptional: false)
    }

    /// A text that the model may leave out, and that matches each of `guides` as a whole.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String?.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      let rules = guides.map { SchemaRule.pattern(SchemaPattern($0)) }
      self.init(name, description, String.self, rules, isOptional: true)
    }
  }
}
