public import JSON

/// Where a value breaks a JSON Schema, and what that says there.
public struct SchemaViolation: Equatable, Sendable {
  /// A step into a value.
  public enum Step: Equatable, Sendable {
    /// To the member with this key.
    case key(String)
    /// To this element, from 0.
    case index(Int)
  }

  /// The way to the part that breaks it, from the innermost step.
  private var way: [Step] = []
  /// That part.
  public let value: JSONValue
  /// The keyword that it breaks; of a schema that is `false`, that.
  public let keyword: String
  /// What the keyword says; of `required` the one name that is missing.
  public let demand: JSONValue

  init(_ value: JSONValue, _ keyword: String, _ demand: JSONValue) {
    (self.value, self.keyword, self.demand) = (value, keyword, demand)
  }

  /// Steps to the part.
  var depth: Int { way.count }

  /// The same of a value that this one is in.
  func inside(_ step: Step) -> SchemaViolation {
    var outer = self
    outer.way.append(step)
    return outer
  }

  /// The way to the part from the whole value.
  public var steps: [Step] { way.reversed() }
}

extension SchemaViolation: CustomStringConvertible {
  /// A clause such as `'items[2].price' is "cheap", where the schema says "type": "number"`.
  public var description: String {
    switch keyword {
    case "required":
      "\(place ?? "the value") has no '\(Self.short(demand.string ?? ""))', which the schema requires"
    case "false": "\(place ?? "the value") is there, which the schema does not allow"
    default:
      "\(place ?? "the value") is \(Self.short(value.line)), where the schema says \"\(keyword)\": \(Self.short(demand.line))"
    }
  }

  /// The way to the part in quotation marks, as in `items[2].price`; nil for the whole value.
  private var place: String? {
    guard !way.isEmpty else { return nil }
    let text = steps.map { step in
      switch step {
      case .key(let key): "." + Self.short(key)
      case .index(let index): "[\(index)]"
      }
    }.joined()
    return "'\(text.hasPrefix(".") ? String(text.dropFirst()) : text)'"
  }

  /// At most 100 scalars of `text`; a character has as many as it likes.
  private static func short(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return scalars.count > 100 ? String(scalars.prefix(99)) + "…" : text
  }
}
