import FoundationEssentials
import Grammars
import RegexBuilder
import SessionTestSupport
import Testing

@testable import FoundationModels

private struct Sample: SchemaOnly {
  static var generationSchema: GenerationSchema {
    GenerationSchema(type: Sample.self, properties: [])
  }

  static func json(_ property: GenerationSchema.Property) -> String {
    let text = GenerationSchema(type: Sample.self, properties: [property]).debugDescription
    let start = text.ranges(of: #""p": "#).first?.upperBound ?? text.startIndex
    let end = text.ranges(of: #"}, "required""#).first?.lowerBound ?? text.endIndex
    return String(text[start..<end])
  }
}

/// Guides that say nothing of the type that they are for, and whose bounds are names that several types have.
@Generable
private struct OpenEnds {
  @Guide(.range(0 ... .infinity)) var double: Double
  @Guide(.range(0 ... .infinity)) var float: Float
  @Guide(.range(-.infinity...2.5), .minimum(-.infinity), .maximum(.infinity)) var optional: Float?
  @Guide(.range(0 ... .greatestFiniteMagnitude)) var decimal: Decimal
  @Guide(.range(0 ... .pi), .minimum(0.5)) var angle: Decimal
  @Guide(.range(0 ... .max)) var integer: Int
  @Guide(.element(.range(0 ... .infinity)), .count(2)) var list: [Float]
}

@Suite struct GenerationGuideTests {
  @Test func boundsThatSeveralTypesHaveAreThoseOfTheProperty() {
    let text = OpenEnds.generationSchema.debugDescription
    for part in [
      #""double": {"type": "number", "minimum": 0}"#,
      #""float": {"type": "number", "minimum": 0}"#,
      #""optional": {"type": "number", "maximum": 2.5}"#,
      #""angle": {"type": "number", "minimum": 0.5, "maximum": 3.14159265358979323846264338327950288419}"#,
      #""integer": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807}"#,
      #""list": {"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}"#,
    ] {
      #expect(text.contains(part), "\(text)")
    }
  }

  private static let cases: [(String, GenerationSchema.Property)] = [
    (
      #"{"type": "integer", "minimum": 2, "maximum": 5}"#,
      .init(name: "p", type: Int.self, guides: [.range(2...5)])
    ),
    (
      #"{"type": "integer", "minimum": 3, "maximum": 4}"#,
      .init(
        name: "p", type: Int?.self, guides: [.range(2...5), .minimum(3), .maximum(4), .minimum(1)])
    ),
    (
      #"{"type": "number", "minimum": 0.1}"#,
      .init(name: "p", type: Float.self, guides: [.minimum(0.1)])
    ),
    (
      #"{"type": "number", "maximum": 1e-07}"#,
      .init(name: "p", type: Double.self, guides: [.maximum(1e-7)])
    ),
    (
      #"{"type": "number", "minimum": -1.5, "maximum": 2}"#,
      .init(name: "p", type: Decimal.self, guides: [.range(-1.5...2)])
    ),
    (
      #"{"type": "number", "minimum": 0}"#,
      .init(name: "p", type: Double.self, guides: [.range(0 ... .infinity)])
    ),
    (
      #"{"type": "number", "maximum": 2.5}"#,
      .init(
        name: "p", type: Float.self,
        guides: [.range(-.infinity...2.5), .minimum(-.infinity), .maximum(.infinity)])
    ),
    (
      #"{"type": "string", "enum": ["a", "b"]}"#,
      .init(name: "p", type: String.self, guides: [.anyOf(["a", "b"])])
    ),
    (
      #"{"const": "b"}"#,
      .init(name: "p", type: String.self, guides: [.anyOf(["a", "b"]), .constant("b")])
    ),
    (
      #"{"type": "string", "pattern": "[a-z]+\\d"}"#,
      .init(name: "p", type: String.self, guides: [#/[a-z]+\d/#])
    ),
    (
      #"{"type": "string", "allOf": [{"pattern": "a+"}, {"pattern": ".b"}]}"#,
      .init(name: "p", type: String.self, guides: [.pattern(#/a+/#), .pattern(#/.b/#)])
    ),
    (
      #"{"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2}"#,
      .init(name: "p", type: [Int].self, guides: [.count(2), .element(.minimum(1))])
    ),
    (
      #"{"type": "array", "items": {"type": "array", "items": {"type": "string"}, "maxItems": 4}, "minItems": 1}"#,
      .init(
        name: "p", type: [[String]].self, guides: [.minimumCount(1), .element(.maximumCount(4))])
    ),
    (
      #"{"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 3}"#,
      .init(name: "p", type: [Bool].self, guides: [.count(2...3)])
    ),
  ]

  @Test(arguments: cases)
  func guidesStandInTheSchema(json: String, property: GenerationSchema.Property) {
    #expect(Sample.json(property) == json)
  }

  @Test(arguments: [
    ("nan", GenerationSchema.Property(name: "p", type: Double.self, guides: [.minimum(.nan)])),
    ("inf", .init(name: "p", type: Double.self, guides: [.minimum(.infinity)])),
    ("-inf", .init(name: "p", type: Float.self, guides: [.minimum(0), .maximum(-.infinity)])),
    ("NaN", .init(name: "p", type: Decimal.self, guides: [.maximum(.nan)])),
    ("nan", .init(name: "p", type: [Float].self, guides: [.element(.maximum(.nan))])),
  ])
  func aBoundThatLeavesNoValueIsRefused(bound: String, property: GenerationSchema.Property) throws {
    let schema = GenerationSchema(type: Sample.self, properties: [property])
    let error = #expect(throws: LanguageModelSession.GenerationError.self) {
      try schema.grammar()
    }
    #expect(error?.caseName == "unsupportedGuide")
    #expect(
      error?.failureReason
        == "A guide bounds a number by \(bound), which leaves no value; give a finite bound.")
    #expect(try !schema.accepts(GeneratedContent(json: #"{"p": 1}"#)))
  }

  @Test func patternsThatCodeHasBuiltAreRead() throws {
    let number = Regex {
      OneOrMore(.digit)
      ". "
      Optionally { "(a.b)" }
    }
    #expect(SchemaPattern(number) == .text(#"\d+\Q. \E(?:\Q(a.b)\E)?"#))
    #expect(Grammar.samples(of: #"\d+\Q. \E(?:\Q(a.b)\E)?"#) == ["9. ", "9. (a.b)"])
    #expect(SchemaPattern(number.ignoresCase()) != .unreadable)
    #expect(SchemaPattern(#/ab+/#.ignoresCase()) == .text("(?i:ab+)"))
    // This one prints as a choice between all that is before and the last word.
    let choice = Regex {
      "a"
      ChoiceOf {
        "b"
        "c"
      }
    }
    #expect(SchemaPattern(choice) == .unreadable)
  }
}
