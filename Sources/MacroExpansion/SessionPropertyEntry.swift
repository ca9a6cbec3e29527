/// What `@SessionPropertyEntry` adds to a variable in an extension of `SessionPropertyValues`: its accessors, and the key that they use.
struct SessionPropertyEntry {
  private let name: String
  private let type: String?
  private let value: String?

  /// - Throws: The macro is on something else than one variable there, or nothing says what there is at first.
  init(_ expansion: AttachedExpansion) throws(Problem) {
    let source = expansion.declSyntax.source
    let offset = TokenCursor(source).offset
    guard let context = expansion.lexicalContext?.first, Self.isForValues(context.source) else {
      throw Problem(
        message: "@SessionPropertyEntry only works in an extension of SessionPropertyValues",
        offset: offset)
    }
    guard let (name, type, value) = Self.variable(in: source) else {
      throw Problem(
        message: "@SessionPropertyEntry needs one 'var' without accessors of its own",
        offset: offset)
    }
    guard value != nil || type?.hasSuffix("?") == true else {
      throw Problem(
        message: "'\(name)' needs a value, which there is until another one is kept",
        offset: offset)
    }
    (self.name, self.type, self.value) = (name, type, value)
  }

  private var keyName: String { "__Key_" + name.filter { $0 != "`" } }

  /// Reading and writing by the key.
  var accessors: String {
    """
    {
      get { self[\(keyName).self] }
      set { self[\(keyName).self] = newValue }
    }
    """
  }

  /// The key with what there is at first.
  var key: String {
    """
    nonisolated private struct \(keyName): FoundationModels.SessionPropertyKey {
      @FoundationModels.__SessionPropertyEntryDefaultValue static var defaultValue\(type.map { ": " + $0 } ?? "") = \(value ?? "nil")
    }
    """
  }

  /// The getter of a key's value, which is made anew each time, so that it need not be kept for all threads.
  static func defaultGetter(_ source: String) throws(Problem) -> String {
    guard let value = variable(in: source)?.value else {
      throw Problem(
        message: "@__SessionPropertyEntryDefaultValue needs a variable with a value", offset: 0)
    }
    return "{\n  get { \(value) }\n}"
  }

  /// Whether a declaration extends the values of a session.
  private static func isForValues(_ source: String) -> Bool {
    var cursor = TokenCursor(source)
    guard cursor.takeText(until: { $0.text == "extension" }) != nil || cursor.next != nil else {
      return false
    }
    cursor.take()
    let name = cursor.takeText { $0.isMark("{") || $0.isMark(":") || $0.text == "where" }?.text
    return name?.split(separator: ".").last == "SessionPropertyValues"
  }

  /// The only variable that a source declares; nil for any other declaration.
  private static func variable(
    in source: String
  ) -> (name: String, type: String?, value: String?)? {
    var cursor = TokenCursor(source)
    while let token = cursor.next, token.text != "var" {
      if token.isMark("@") { _ = cursor.takeAttribute() } else { cursor.takeWhole() }
    }
    cursor.take()
    guard let name = cursor.take(), name.kind == .word else { return nil }
    var type: String?
    if cursor.take(if: ":") {
      type =
        cursor.takeText(angles: true) { $0.isMark("=") || $0.isMark("{") || $0.isMark(",") }?.text
    }
    var value: String?
    if cursor.take(if: "=") { value = cursor.takeText { $0.isMark(",") }?.text }
    return cursor.next == nil ? (name.text, type, value) : nil
  }
}
