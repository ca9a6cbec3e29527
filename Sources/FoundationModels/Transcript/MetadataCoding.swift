import Foundation
import JSON

/// What is known of an entry beside its contents.
package typealias EntryMetadata = [String: any Sendable & Codable & Equatable]

extension [String: any Sendable & Codable & Equatable] {
  /// The value under `key` as content, whatever its type is: an extension; nil where there is none that JSON can have.
  public func content(_ key: String) -> GeneratedContent? {
    self[key].flatMap(MetadataCoding.content)
  }

  /// All values that JSON can have, as contents.
  var contents: [String: GeneratedContent] { compactMapValues(MetadataCoding.content) }

  /// Values of the plain types that contents stand for.
  init(contents: [String: any ConvertibleToGeneratedContent]) {
    self = contents.mapValues { MetadataCoding.value(ContentCoding($0.generatedContent)) }
  }
}

/// Metadata that can be compared, and stands in a transcript as JSON.
///
/// What was read is of the plain types that JSON stands for: `Bool`, `Int`, `Double`, `String`, and arrays of one of them.
struct MetadataCoding: Sendable, Equatable, Codable {
  var values: EntryMetadata

  init(_ values: EntryMetadata) { self.values = values }

  init(from decoder: any Decoder) throws {
    values = try [String: ContentCoding](from: decoder).mapValues(MetadataCoding.value)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, value) in values {
      if let content = MetadataCoding.plainContent(value) {
        try container.encode(ContentCoding(content), forKey: Name(stringValue: name))
      } else {
        try container.encode(value, forKey: Name(stringValue: name))
      }
    }
  }

  /// Whether each value is the same: equal to one of its type, or the same in JSON where one of them was read from there.
  static func == (left: Self, right: Self) -> Bool {
    left.values.count == right.values.count
      && left.values.allSatisfy { name, value in
        right.values[name].map { isEqual(value, $0) } ?? false
      }
  }

  private static func isEqual<Value: Sendable & Codable & Equatable>(
    _ left: Value, _ right: any Sendable & Codable & Equatable
  ) -> Bool {
    if let right = right as? Value { return left == right }
    guard let content = content(left) else { return false }
    return content == self.content(right)
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension MetadataCoding {
  static func content(
    _ value: any Sendable & Codable & Equatable
  ) -> GeneratedContent? {
    if let content = plainContent(value) { return content }
    guard let data = try? JSONEncoder().encode(value) else { return nil }
    return try? GeneratedContent(json: String(decoding: data, as: UTF8.self))
  }

  private static func plainContent(
    _ value: any Sendable & Codable & Equatable
  ) -> GeneratedContent? {
    (value as? ContentCoding)?.content
      ?? (value as? any ConvertibleToGeneratedContent)?.generatedContent
  }

  fileprivate static func value(_ coding: ContentCoding) -> any Sendable & Codable & Equatable {
    switch coding.content.json {
    case .bool(let value): value
    case .string(let value): value
    case .number(let number): number.integer ?? number.double
    case .array(let values): list(values) ?? coding
    default: coding
    }
  }

  private static func list(_ values: [JSONValue]) -> (any Sendable & Codable & Equatable)? {
    let texts = values.compactMap(\.string)
    if texts.count == values.count { return texts }
    let truths = values.compactMap { if case .bool(let value) = $0 { value } else { nil } }
    if truths.count == values.count { return truths }
    let numbers = values.compactMap(\.number)
    guard numbers.count == values.count else { return nil }
    let integers = numbers.compactMap(\.integer)
    return integers.count == values.count ? integers : numbers.map(\.double)
  }
}
