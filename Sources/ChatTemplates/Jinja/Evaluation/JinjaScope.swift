/// What `namespace()` makes: the one value that a template can change.
final class JinjaNamespace {
  var values = JinjaDictionary()
}

/// Variables of a part of a template.
final class JinjaScope {
  private var values: [NameIndex: JinjaValue] = [:]
  private let outer: JinjaScope?

  init(in outer: JinjaScope?) { self.outer = outer }

  subscript(name: NameIndex) -> JinjaValue? {
    get {
      var scope: JinjaScope? = self
      while let current = scope {
        if let value = current.values[name] { return value }
        scope = current.outer
      }
      return nil
    }
    set { values[name] = newValue }
  }
}

/// A macro with the variables that it sees.
final class JinjaMacro {
  let definition: TemplateMacro
  /// Taken away at the end, as the scope has the macro in it.
  var scope: JinjaScope?

  init(_ definition: TemplateMacro, in scope: JinjaScope) {
    (self.definition, self.scope) = (definition, scope)
  }
}
