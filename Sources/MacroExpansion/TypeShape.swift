/// How a type is written, as far as it tells that no model can generate its values.
struct TypeShape {
  private let text: String

  /// - Parameter type: A type as it stands in the source.
  init(_ type: String) {
    text = type
  }

  /// - Throws: What is to be done instead, for a type that no conformance can help.
  func check(_ name: String, at offset: Int) throws(Problem) {
    guard let fault else { return }
    throw Problem(message: "'\(name)' is \(fault)", offset: offset)
  }

  /// What the type is, and what takes its place; nil where the compiler judges.
  private var fault: String? {
    var cursor = TokenCursor(text)
    let first = cursor.next?.text
    if first == "any" || first == "some" || first == "Any" || first == "AnyObject" {
      return "of no certain type, so it has no schema; use GeneratedContent for any content"
    }
    if cursor.takeText(angles: true, until: { $0.isMark("->") }) != nil, cursor.next != nil {
      return "a function, which no model can generate; make it 'static' or a method"
    }
    if first == "(" { return tupleFault }
    guard first == "[" else { return nil }
    guard let element = listElement else {
      return text.hasSuffix("?") ? TypeShape(String(text.dropLast())).fault : Self.dictionary
    }
    if element.hasSuffix("?") {
      return "an array of optionals; leave what is missing out of the array"
    }
    return TypeShape(element).fault
  }

  private static let dictionary =
    "a dictionary, whose keys no schema can know; use an array of a @Generable structure with key and value"

  private var tupleFault: String? {
    var cursor = TokenCursor(text)
    let parts = cursor.takeArguments(angles: true)
    guard parts.count != 1 else { return TypeShape(parts[0].text).fault }
    return "a tuple; use a @Generable structure"
  }

  /// The type of the elements where the type stands in brackets and is no dictionary.
  var listElement: String? {
    var cursor = TokenCursor(text)
    guard cursor.isAt("[") else { return nil }
    cursor.take()
    let element = cursor.takeText(angles: true) { $0.isMark(":") || $0.isMark("]") }
    guard cursor.take(if: "]"), cursor.next == nil else { return nil }
    return element?.text
  }
}
