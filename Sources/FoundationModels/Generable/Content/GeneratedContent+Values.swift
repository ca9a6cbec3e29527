extension GeneratedContent {
  /// Reads the content as a value.
  ///
  /// - Throws: What the value's own initializer does, ``GeneratedContentError`` for the stock types.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    try Value(self)
  }

  /// Reads a property.
  ///
  /// - Throws: ``GeneratedContentError``: the content is no structure, lacks the property, or has another value there.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self, forProperty property: String
  ) throws -> Value {
    guard let content = try self.property(property) else {
      throw GeneratedContentError.missingProperty(name: property)
    }
    return try Value(content)
  }

  /// Reads a property that need not be there; nil when it is missing or null, or still too short to be read.
  ///
  /// - Throws: ``GeneratedContentError`` when the content is no structure, or has a whole value of another type there.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value?.Type = Value?.self, forProperty property: String
  ) throws -> Value? {
    guard let content = try self.property(property), content.kind != .null else { return nil }
    do {
      return try Value(content)
    } catch {
      guard !content.isComplete else { throw error }
      return nil
    }
  }

  private func property(_ name: String) throws(GeneratedContentError) -> GeneratedContent? {
    guard case .structure(let properties, _) = kind else { throw mismatch([String: Any].self) }
    return properties[name]
  }
}
