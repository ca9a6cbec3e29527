import FoundationEssentials
import FoundationModels
import Testing

@Generable(description: "A trip with \"quotes\"")
private struct Trip: Equatable {
  @Guide(description: "A title")
  let title: String
  @Guide(description: "Days", .range(1...14))
  var days: Int
  @Guide(.anyOf(["km", "mi"])) var unit: String
  @Guide(description: "Stops", .count(2...3))
  var stops: [Stop]
  @Guide(.element(.minimum(0.5)), .maximumCount(4)) var scores: [Double]?
  var mood: Mood
  let `default`: Bool?
  var price: Decimal
  @Guide(description: "Code", #/[A-Z]{3}\d+/#) var code: String
  @Guide(.minimumCount(1)) var tags: [String]
  static let version: Int = 1
  var isLong: Bool { days > 7 }
}

@Generable
private struct Stop: Equatable, Sendable {
  var id: GenerationID
  let name: String
  let next: [Stop]
  let how: Transport?

  static func == (left: Stop, right: Stop) -> Bool {
    (left.name, left.next, left.how) == (right.name, right.next, right.how)
  }
}

@Generable(description: "How it feels")
private enum Mood: String, Equatable {
  case calm = "very calm"
  case wild
}

@Generable
private enum Color { case red, `default` }

@Generable
private indirect enum Transport: Equatable, Sendable {
  case walk
  case train(line: String, minutes: Int?)
  case mixed(Transport, [Transport])
}

@Generable
private enum Order: Hashable, Sendable {
  case tea(String)
  case meal(_ name: String, extras: [Extra], note: String?)
  case many([Order])
  case nothing
}

@Generable
private struct Extra: Hashable, Sendable { var name: String, cents: Int? }

/// Can be compared, and its partial form cannot.
@Generable
private struct Price { var cents: Int }

extension Price: Hashable {}

@Generable
private struct Bill: Hashable { var price: Price }

@Generable
private struct Plain { var count = 0, share = -1.5, isOn = true, name = "x" }

@Generable
private struct Page<Item: Generable> {
  var items: [Item]
  var first: Item?
}

@Generable(representNilExplicitlyInGeneratedContent: true)
private struct Explicit { var a: Int?; var id: Int }

/// Types that other modules can see.
public enum Outside {
  /// A type inside of another one.
  @Generable
  public struct Inner {
    /// Its value.
    public var value: Int
    /// Sets its value.
    public init(value: Int) { self.value = value }
  }
}

private typealias Maybe = Int?
private typealias Words = String
private typealias Key = GenerationID

@Generable
private enum Greeting: Words { case short = "hi there" }

@Generable
private struct Aliased { var count: Maybe; var note: Words?; var greeting: Greeting }

@Generable
private struct Keyed { var id: Key; var name: String }

@Generable
private struct Customer: Identifiable {
  let id = UUID()
  let place: String = "at the bar"
  var name: String
}

@Generable(name: "Tale", description: "Told in the evening")
private struct Story { var title: String; var next: [Story] }

@Generable
private struct Shelf { var tales: [Story] }

extension Date: Generable {
  /// A text.
  public static var generationSchema: GenerationSchema { String.generationSchema }
  /// Day and time.
  public var generatedContent: GeneratedContent { GeneratedContent(formatted(.iso8601)) }
  /// Reads day and time.
  public init(_ content: GeneratedContent) throws {
    self = try Date(String(content), strategy: .iso8601)
  }
}

@Generable
private struct Appointment {
  var start: Date
  var end: Date?
}

@Suite struct MacroTests {
  private let trip = Trip(
    title: "T", days: 3, unit: "km",
    stops: [
      Stop(id: GenerationID(), name: "A", next: [], how: .train(line: "S1", minutes: nil)),
      Stop(
        id: GenerationID(), name: "B", next: [], how: .mixed(.walk, [.train(line: "", minutes: 5)])),
    ],
    scores: nil, mood: .calm, default: nil, price: 1.25, code: "ABC1", tags: ["x"])
  private let json =
    #"{"title": "T", "days": 3, "unit": "km", "stops": [{"name": "A", "next": [], "how": {"case": "train", "line": "S1"}}, "#
    + #"{"name": "B", "next": [], "how": {"case": "mixed", "_0": {"case": "walk"}, "_1": [{"case": "train", "line": "", "minutes": 5}]}}], "#
    + #""mood": "very calm", "price": 1.25, "code": "ABC1", "tags": ["x"]}"#

  @Test func contentKeepsTheOrderOfDeclaration() throws {
    #expect(trip.generatedContent.jsonString == json)
    #expect(try Trip(GeneratedContent(json: json)) == trip)
  }

  @Test func theSchemaKeepsTheOrderOfDeclaration() {
    let schema = Trip.generationSchema.debugDescription
    let start = [
      #"{"title": "Trip", "description": "A trip with \"quotes\"", "type": "object", "properties": {"#,
      #""title": {"type": "string", "description": "A title"}, "#,
      #""days": {"type": "integer", "minimum": 1, "maximum": 14, "description": "Days"}, "#,
      ##""unit": {"type": "string", "enum": ["km", "mi"]}, "stops": {"type": "array", "items": {"$ref": "#/$defs/Stop"}, "##,
      #""minItems": 2, "maxItems": 3, "description": "Stops"}, "#,
      #""scores": {"type": "array", "items": {"type": "number", "minimum": 0.5}, "maxItems": 4}, "#,
      ##""mood": {"description": "How it feels", "type": "string", "enum": ["very calm", "wild"]}, "default": {"type": "boolean"}, "price": {"type": "number"}, "##,
      #""code": {"type": "string", "pattern": "[A-Z]{3}\\d+", "description": "Code"}"#,
    ]
    #expect(schema.hasPrefix(start.joined()))
    #expect(
      schema.contains(
        #""required": ["title", "days", "unit", "stops", "mood", "price", "code", "tags"]"#))
    #expect(!schema.contains(#""Mood""#))
    #expect(
      schema.contains(
        ##""Transport": {"title": "Transport", "anyOf": [{"$ref": "#/$defs/Case_walk"}, {"$ref": "#/$defs/Case_train"}, {"$ref": "#/$defs/Case_mixed"}]}"##
      ))
    #expect(schema.contains(##""next": {"type": "array", "items": {"$ref": "#/$defs/Stop"}}"##))
  }

  @Test func everyPrefixGivesAPartialValue() throws {
    for count in 0...json.count {
      let content = try GeneratedContent(json: String(json.prefix(count)))
      guard content.kind != .null else { continue }
      let partial = try Trip.PartiallyGenerated(content)
      if let name = partial.stops?.first?.name { #expect("A".hasPrefix(name)) }
      if let mood = partial.mood { #expect(mood == .calm) }
    }
    #expect(
      try Stop.PartiallyGenerated(GeneratedContent(json: #"{"name": "A", "how": {"case": "walk"#))
        .how == nil)
    let whole = try Trip.PartiallyGenerated(GeneratedContent(json: json))
    #expect(whole.stops?.map(\.name) == ["A", "B"])
    #expect(whole.stops?.first?.how == .train(line: "S1", minutes: nil))
    #expect(whole.default == nil)
    #expect(trip.asPartiallyGenerated().days == 3)
  }

  private static let growing: [(String, Order.PartiallyGenerated?)] = [
    (#"{"case": "te"#, nil), (#"{"case": "tea""#, .tea(nil)),
    (#"{"case": "tea", "_0": "Earl G"#, .tea("Earl G")),
    (#"{"case": "meal", "name": "So"#, .meal("So", extras: nil, note: nil)),
    (#"{"case": "meal", "name": "Soup", "extras": ["#, .meal("Soup", extras: [], note: nil)),
    (#"{"case": "many", "_0": [{"case": "nothing"}, {"case""#, .many([.nothing])),
  ]

  @Test func aCaseGrows() throws {
    for (json, expected) in Self.growing {
      let content = try GeneratedContent(json: #"{"items": ["# + json)
      let page = try Page<Order>.PartiallyGenerated(content)
      #expect(page.items?.first == expected, "\(json)")
    }
  }

  @Test func partialFormsAreComparedWhereTheTypesAre() throws {
    func part(_ json: String) throws -> Order.PartiallyGenerated {
      try Order.PartiallyGenerated(GeneratedContent(json: json))
    }
    func meal(_ cents: Int) -> Order {
      .meal("A", extras: [Extra(name: "B", cents: cents)], note: nil)
    }
    let all = [
      meal(1), meal(2), .tea("A"), .tea("B"), .nothing, .many([]), .many([.nothing]),
    ]
    for one in all {
      for other in all {
        let (left, right) = (one.asPartiallyGenerated(), other.asPartiallyGenerated())
        #expect((left == right) == (one == other), "\(one), \(other)")
        if one == other { #expect(left.hashValue == right.hashValue) }
      }
    }
    #expect(try part(#"{"case": "tea", "_0": "A"#) == .tea("A"))
    #expect(try part(#"{"case": "tea", "_0": "A"#) != .tea(nil))
    let bills = [1, 2].map { Bill(price: Price(cents: $0)).asPartiallyGenerated() }
    #expect(bills[0] == bills[0] && bills[0] != bills[1])
    #expect(Set(bills + bills).count == 2)
    let trip = self.trip.asPartiallyGenerated()
    #expect(trip == trip)
  }

  @Test func aLiteralTellsTheTypeOfItsProperty() throws {
    let json = #"{"count": 3, "share": 0.5, "isOn": false, "name": "y"}"#
    #expect(try Plain(GeneratedContent(json: json)).generatedContent.jsonString == json)
  }

  @Test func aCaseThatIsNoneIsRefused() {
    #expect(
      failure { _ = try Mood(GeneratedContent(json: #""wil""#)) }
        == #"The value "wil" cannot be read as Mood."#)
    #expect(
      failure { _ = try Transport(GeneratedContent(json: #"{"case": "fly"}"#)) }
        == #"The value {"case": "fly"} cannot be read as Transport."#)
  }

  @Test func otherShapesWork() throws {
    #expect(
      try Color(GeneratedContent(json: #""default""#)).generatedContent.jsonString == #""default""#)
    let page = try Page<Int>(GeneratedContent(json: #"{"items": [1, 2]}"#))
    #expect(page.items == [1, 2] && page.first == nil)
    #expect(
      try Page<Stop>.PartiallyGenerated(GeneratedContent(json: #"{"items": [{"name": "x"#)).items?[
        0
      ].name == "x")
    #expect(Explicit(a: nil, id: 1).generatedContent.jsonString == #"{"a": null, "id": 1}"#)
    #expect(
      Explicit.generationSchema.debugDescription.contains(
        #""a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "id": {"type": "integer"}}, "required": ["a", "id"]"#
      ))
    #expect(Outside.Inner(value: 1).generatedContent.jsonString == #"{"value": 1}"#)
    #expect(Outside.Inner(value: 1).promptRepresentation.text == #"{"value": 1}"#)
  }

  @Test func anAliasIsWhatItStandsFor() throws {
    let some = Aliased(count: nil, note: nil, greeting: .short)
    #expect(some.generatedContent.jsonString == #"{"greeting": "hi there"}"#)
    #expect(try Aliased(some.generatedContent).count == nil)
    #expect(Aliased.generationSchema.debugDescription.contains(#""required": ["greeting"]"#))
    #expect(Greeting.generationSchema.debugDescription.contains(#""const": "hi there""#))
  }

  @Test func anAliasOfTheNameOfContentIsNotGenerated() throws {
    let key = Key()
    var content = try GeneratedContent(json: #"{"name": "A", "id": 1}"#)
    content.id = key
    let keyed = try Keyed(content)
    #expect(keyed.id == key && keyed.generatedContent.id == key)
    #expect(keyed.generatedContent.jsonString == #"{"name": "A"}"#)
    #expect(Keyed.generationSchema.debugDescription.contains(#""required": ["name"]"#))
    #expect(try Keyed.PartiallyGenerated(content).id == key)
  }

  @Test func aConstantKeepsItsValue() throws {
    let customer = try Customer(GeneratedContent(json: #"{"name": "Ada", "place": "outside"}"#))
    #expect(customer.place == "at the bar" && customer.name == "Ada")
    #expect(customer.generatedContent.jsonString == #"{"name": "Ada"}"#)
    #expect(Customer.generationSchema.debugDescription.contains(#""required": ["name"]"#))
    let part = try Customer.PartiallyGenerated(GeneratedContent(json: "{"))
    #expect(part.name == nil)
  }

  @Test func aSchemaTakesTheNameThatItIsGiven() {
    #expect(Story.generationSchema.name == "Tale")
    #expect(
      Story.generationSchema.debugDescription.hasPrefix(
        #"{"title": "Tale", "description": "Told in the evening", "type": "object""#))
    #expect(
      Shelf.generationSchema.debugDescription.contains(
        ##""tales": {"type": "array", "items": {"$ref": "#/$defs/Tale"}}"##))
  }

  /// The overloads that stand for types which nobody has made generable give way.
  @Test func aTypeOfTheSystemCanBeMadeGenerable() throws {
    let json = #"{"start": "2026-11-26T16:00:00Z", "end": "2026-11-26T17:00:00Z"}"#
    let appointment = try Appointment(GeneratedContent(json: json))
    #expect(appointment.end == appointment.start + 3600)
    #expect(appointment.generatedContent.jsonString == json)
  }
}
