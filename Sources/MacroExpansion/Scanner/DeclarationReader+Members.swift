extension DeclarationReader {
  /// Reads what stands behind `var` or `let`; stored properties of instances are kept.
  mutating func readBindings(
    _ attributes: [Attribute], _ modifiers: [String], isConstant: Bool
  ) throws(Problem) {
    let isStatic = modifiers.contains("static") || modifiers.contains("class")
    let access = modifiers.first { Self.accessWords.contains($0) }
    var guide: GuideAttribute?
    if let attribute = attributes.first(where: { $0.name == "Guide" }) {
      guide = try attribute.guide()
    }
    var untyped: [Binding] = []
    repeat {
      let binding = try readBinding()
      if isStatic || binding.isComputed { continue }
      if isConstant || modifiers.contains("lazy") { try binding.checkCanBeSet(isConstant) }
      untyped.append(binding)
      guard let type = binding.type else {
        if binding.hasValue { throw binding.missingType }
        continue
      }
      properties += untyped.map {
        StoredProperty(name: $0.name, type: type, access: access, guide: guide)
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
      _ = cursor.takeText { $0.isMark(",") || Self.endsMember($0) }
    } else if cursor.isAt("{") {
      var accessors = cursor
      accessors.take()
      let first = accessors.next?.text
      binding.isComputed = first != "willSet" && first != "didSet"
      cursor.takeWhole()
    }
    return binding
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
            EnumCase.Value(
              label: argument.labels.first { $0 != "_" }, type: argument.text,
              offset: argument.offset)
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

  var missingType: Problem {
    Problem(message: "'\(name)' needs a type annotation to be generated", offset: offset)
  }

  /// - Throws: The property has its value already, or computes it when it is read.
  func checkCanBeSet(_ isConstant: Bool) throws(Problem) {
    guard isConstant else {
      throw Problem(message: "'\(name)' is lazy, so it cannot be generated", offset: offset)
    }
    guard !hasValue else {
      throw Problem(
        message:
          "'\(name)' has a value already, so it cannot be generated; make it 'var' or 'static'",
        offset: offset)
    }
  }
}
