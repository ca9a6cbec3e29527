extension DeclarationReader {
  /// Reads what stands behind `var` or `let`; stored properties of instances are kept.
  mutating func readBindings(
    _ attributes: [Attribute], _ modifiers: [String], isConstant: Bool
  ) throws(Problem) {
    let isStatic = modifiers.contains("static") || modifiers.contains("class")
    let access = modifiers.first { Self.accessWords.contains($0) }
    var guide: GuideAttribute?
    for attribute in attributes where attribute.name == "Guide" {
      let further = try attribute.guide()
      guide = guide?.joined(with: further) ?? further
    }
    var untyped: [Binding] = []
    repeat {
      let binding = try readBinding()
      if isStatic || binding.isComputed { continue }
      if isConstant, binding.hasValue {
        // It keeps its value whatever the model says.
        if let guide { throw binding.hasGuide(guide) }
        continue
      }
      if modifiers.contains("lazy") { throw binding.isLazy }
      untyped.append(binding)
      guard let type = binding.type ?? binding.evidentType else {
        if binding.hasValue { throw binding.missingType }
        continue
      }
      properties += untyped.map {
        StoredProperty(
          name: $0.name, offset: $0.offset, type: type, access: access, guide: guide)
      }
      untyped = []
    } while cursor.take(if: ",")
    if let first = untyped.first { throw first.missingType }
  }

  private mutating func readBinding() throws(Problem) -> Binding {
    let offset = cursor.offset
    guard let name = cursor.take(), name.kind == .word else {
      throw Problem(
        message: "@Generable needs one name for each property, not a pattern", offset: offset)
    }
    var binding = Binding(name: name.text, offset: offset)
    if cursor.take(if: ":") {
      let type = cursor.takeText(angles: true) {
        $0.isMark("=") || $0.isMark("{") || $0.isMark(",") || Self.endsMember($0)
      }
      // `T!` is `T?` with another way to read it.
      binding.type = type.map { $0.text.hasSuffix("!") ? $0.text.dropLast() + "?" : $0.text }
    }
    if cursor.take(if: "=") {
      binding.hasValue = true
      let value = cursor.takeText { $0.isMark(",") || Self.endsMember($0) }
      binding.evidentType = value.flatMap { Self.evidentType(of: $0.text) }
    } else if cursor.isAt("{") {
      var accessors = cursor
      accessors.take()
      let first = accessors.next?.text
      binding.isComputed = first != "willSet" && first != "didSet"
      cursor.takeWhole()
    }
    return binding
  }

  /// The type that a value says without an annotation: the one of a literal, or that of a new name of content.
  private static func evidentType(of value: String) -> String? {
    if ["GenerationID()", "FoundationModels.GenerationID()"].contains(value) {
      return "FoundationModels.GenerationID"
    }
    if ["true", "false"].contains(value) { return "Swift.Bool" }
    let tokens = SwiftScanner.tokens(of: value)
    if tokens.count == 1, tokens[0].isString { return "Swift.String" }
    let number = value.drop { $0 == "-" }.filter { $0 != "_" }
    guard value.utf8.allSatisfy({ "-+._0123456789eE".utf8.contains($0) }) else { return nil }
    if Int(number) != nil { return "Swift.Int" }
    return number.first?.isNumber == true && Double(number) != nil ? "Swift.Double" : nil
  }

  /// Reads what stands behind `case`.
  mutating func readCases() throws(Problem) {
    repeat {
      let offset = cursor.offset
      guard let name = cursor.take(), name.kind == .word else {
        throw Problem(message: "@Generable cannot read this case", offset: offset)
      }
      let values = cursor.isAt("(") ? cursor.takeArguments(angles: true) : []
      if cursor.take(if: "=") { _ = cursor.takeText { $0.isMark(",") || Self.endsMember($0) } }
      cases.append(
        EnumCase(
          name: name.text,
          values: values.map { argument in
            let (label, name) = (argument.labels.first, argument.labels.last)
            return EnumCase.Value(
              label: label == "_" ? nil : label, name: name == "_" ? nil : name,
              type: argument.text, offset: argument.offset)
          }))
    } while cursor.take(if: ",")
  }
}

/// One name behind `var` or `let`.
private struct Binding {
  let name: String
  let offset: Int
  var type: String?
  var hasValue = false
  var isComputed = false
  /// The type that a value says without an annotation.
  var evidentType: String?

  var missingType: Problem {
    Problem(message: "'\(name)' needs a type annotation to be generated", offset: offset)
  }

  /// The property computes its value when it is read.
  var isLazy: Problem {
    Problem(message: "'\(name)' is lazy, so it cannot be generated", offset: offset)
  }

  /// The property has its value already.
  func hasGuide(_ guide: GuideAttribute) -> Problem {
    Problem(
      message: "'\(name)' keeps its value and is not generated; remove its guide or make it 'var'",
      offset: guide.offset)
  }
}
