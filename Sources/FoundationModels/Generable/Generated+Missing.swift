public import FoundationEssentials

// What the compiler finds where a property has a type of the system that is not generable: it says what to write instead. A program
// that makes such a type ``Generable`` gets the other overloads, as these are disfavored.

extension _Generated {
  /// For the compiler's error alone.
  @available(
    *, unavailable, message: "no model writes a Date; keep a String, and make the Date of it"
  )
  @_disfavoredOverload
  public static func value(_ name: String, of content: GeneratedContent) throws -> Date {
    fatalError()
  }

  /// For the compiler's error alone.
  @available(
    *, unavailable, message: "no model writes a URL; keep a String, and make the URL of it"
  )
  @_disfavoredOverload
  public static func value(_ name: String, of content: GeneratedContent) throws -> URL {
    fatalError()
  }

  /// For the compiler's error alone.
  @available(
    *, unavailable, message: "no model writes a UUID; give it when the value is there"
  )
  @_disfavoredOverload
  public static func value(_ name: String, of content: GeneratedContent) throws -> UUID {
    fatalError()
  }

  /// For the compiler's error alone.
  @available(
    *, unavailable, message: "no model writes a Set; keep an array, and make the Set of it"
  )
  @_disfavoredOverload
  public static func value<Element>(
    _ name: String, of content: GeneratedContent
  ) throws -> Set<Element> { fatalError() }
}
