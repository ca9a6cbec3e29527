import Testing

@testable import MacroExpansion

/// What the compiler sends for a macro on a declaration.
func expansion(
  _ declaration: String, macro: String = "GenerableMacro", role: String = "member",
  attribute: String = "@Generable",
  context: [String] = []
) -> AttachedExpansion {
  func source(_ text: String, offset: Int = 0) -> AttachedExpansion.Source {
    .init(source: text, location: .init(fileName: "/tmp/A.swift", offset: offset, line: 7))
  }
  return AttachedExpansion(
    macro: .init(typeName: macro), macroRole: role, attributeSyntax: source(attribute),
    declSyntax: source(declaration, offset: 100), extendedTypeSyntax: source(" Outer.A "),
    conformanceListSyntax: source("struct Placeholder: Generable {}"),
    lexicalContext: context.map { source($0) })
}

@Suite struct ExpansionTests {
  private func lines(
    _ declaration: String, role: String = "member", attribute: String = "@Generable"
  ) throws -> [String] {
    try expansion(declaration, role: role, attribute: attribute).expanded()
      .split(separator: "\n").map { String($0.drop { $0 == " " }) }
      .filter { !$0.hasPrefix("#sourceLocation") }
  }

  @Test func aStructureGetsSchemaAndPartialForm() throws {
    let source =
      #"public struct A: Sendable { @Guide(description: "x", .range(1...2)) public private(set) var a: Int?; let b: [B] }"#
    #expect(
      try lines(source, attribute: #"@Generable(description: "An \"A\", see (b)")"#) == [
        "public nonisolated static var generationSchema: FoundationModels.GenerationSchema {",
        "var __properties = FoundationModels._Generated.SchemaProperties()",
        #"__properties.append(.init(name: "a", description: "x", type: Int?.self, guides: [.range(1...2)]))"#,
        #"__properties.append(.init(name: "b", type: [B].self))"#,
        #"return FoundationModels.GenerationSchema(type: Self.self, description: "An \"A\", see (b)", properties: __properties.all)"#,
        "}",
        "public nonisolated struct PartiallyGenerated: FoundationModels.ConvertibleFromGeneratedContent, Swift.Identifiable, Swift.Sendable {",
        "public var id: FoundationModels.GenerationID", "public var a: (Int?).PartiallyGenerated?",
        "var b: [B].PartiallyGenerated?",
        "public nonisolated init(_ content: FoundationModels.GeneratedContent) throws {",
        #"self.id = try FoundationModels._Generated.value("id", of: content)"#,
        #"self.a = try FoundationModels._Generated.value("a", of: content)"#,
        #"self.b = try FoundationModels._Generated.value("b", of: content)"#,
        "}", "}",
      ])
  }

  @Test func whatIsWrittenForAPropertyStandsOnItsLine() throws {
    let source = "struct A {\n  var a: Int\n\n  @Guide(.count(1))\n  var b: [URL]\n}"
    let members = try expansion(source).expanded()
    let marked = members.split(separator: "\n").map(String.init)
    let places = marked.indices.dropLast(2).filter { marked[$0].hasPrefix("#sourceLocation(file") }
    #expect(
      places.map { "\(marked[$0]) \(marked[$0 + 1].prefix(24)) \(marked[$0 + 2])" } == [
        #"#sourceLocation(file: "/tmp/A.swift", line: 8) __properties.append(.ini #sourceLocation()"#,
        #"#sourceLocation(file: "/tmp/A.swift", line: 11) __properties.append(.ini #sourceLocation()"#,
        #"#sourceLocation(file: "/tmp/A.swift", line: 8) var a: Int.PartiallyGene #sourceLocation()"#,
        #"#sourceLocation(file: "/tmp/A.swift", line: 11) var b: [URL].PartiallyGe #sourceLocation()"#,
        #"#sourceLocation(file: "/tmp/A.swift", line: 8) self.a = try FoundationM #sourceLocation()"#,
        #"#sourceLocation(file: "/tmp/A.swift", line: 11) self.b = try FoundationM #sourceLocation()"#,
      ])
  }

  @Test func aSchemaCanHaveAnotherName() throws {
    let attribute = #"@Generable(name: "Tale", description: "x")"#
    #expect(
      try lines("struct A {}", attribute: attribute).contains(
        #"return FoundationModels._Generated.named("Tale", FoundationModels.GenerationSchema(type: Self.self, description: "x", properties: __properties.all))"#
      ))
    #expect(
      try lines("enum A { case a }", attribute: attribute).contains(
        #"FoundationModels._Generated.named("Tale", FoundationModels.GenerationSchema(type: Self.self, description: "x", anyOf: [FoundationModels._Generated.text(of: Self.a, "a")]))"#
      ))
  }

  @Test func anEnumerationOfNamesAddsNoTypes() throws {
    let members = try expansion("public enum A: Equatable { case a, b }").expanded()
    #expect(!members.contains("struct") && !members.contains("enum"))
  }

  @Test func anEnumerationWithValuesGetsAPartialForm() throws {
    let source = "public enum A: Hashable { case a(x: Int?, _ y: [A]), b, c(_: B) }"
    #expect(
      try lines(source) == [
        "public nonisolated static var generationSchema: FoundationModels.GenerationSchema {",
        "var __cases = FoundationModels._Generated.Cases()", #"__cases.begin("a")"#,
        #"__cases.append(.init(name: "x", type: Int?.self))"#,
        #"__cases.append(.init(name: "y", type: [A].self))"#, #"__cases.begin("b")"#,
        #"__cases.begin("c")"#, #"__cases.append(.init(name: "_0", type: B.self))"#,
        "return __cases.schema(type: Self.self)", "}",
        "public nonisolated indirect enum PartiallyGenerated: FoundationModels.ConvertibleFromGeneratedContent, Swift.Hashable {",
        "case a(x: (Int?).PartiallyGenerated?, [A].PartiallyGenerated?)", "case b",
        "case c(B.PartiallyGenerated?)",
        "public nonisolated init(_ content: FoundationModels.GeneratedContent) throws {",
        "switch try FoundationModels._Generated.caseName(of: content) {",
        #"case "a": self = .a(x: try FoundationModels._Generated.value("x", of: content), try FoundationModels._Generated.value("y", of: content))"#,
        #"case "b": self = .b"#,
        #"case "c": self = .c(try FoundationModels._Generated.value("_0", of: content))"#,
        "default:", "throw FoundationModels.GeneratedContentError.wrongValue(",
        #"type: "A", value: content.jsonString)"#, "}", "}",
        "public nonisolated static func == (left: Self, right: Self) -> Swift.Bool {",
        "switch (left, right) {",
        "case (.a(let left0, let left1), .a(let right0, let right1)): FoundationModels._Generated.areEqual(left0, right0) && FoundationModels._Generated.areEqual(left1, right1)",
        "case (.b, .b): true",
        "case (.c(let left0), .c(let right0)): FoundationModels._Generated.areEqual(left0, right0)",
        "default: false", "}", "}",
        "public nonisolated func hash(into hasher: inout Swift.Hasher) {", "switch self {",
        "case .a(let value0, let value1):", #"hasher.combine("a")"#,
        "FoundationModels._Generated.hash(value0, into: &hasher)",
        "FoundationModels._Generated.hash(value1, into: &hasher)", "case .b:",
        #"hasher.combine("b")"#, "case .c(let value0):", #"hasher.combine("c")"#,
        "FoundationModels._Generated.hash(value0, into: &hasher)", "}", "}", "}",
      ])
  }

  @Test func aBoundCanHaveTheNameOfNoNumber() throws {
    let source = "struct A { @Guide(.minimum(nan)) var a: Double }"
    #expect(try lines(source).contains { $0.contains("guides: [.minimum(nan)]") })
  }

  @Test func onlyTheOneCaseOfAnEnumerationIsCompared() throws {
    #expect(
      try !expansion("enum A: Equatable { case a(Int) }").expanded().contains("default: false"))
  }

  @Test(arguments: [
    ("struct A { var a: Int }", [], []), ("struct A: Comparable { var a: Int }", [], []),
    (
      "struct A: Swift.Equatable { var a: Int; var id: GenerationID }", ["Swift.Equatable"],
      [
        "nonisolated static func == (left: Self, right: Self) -> Swift.Bool {",
        "FoundationModels._Generated.areEqual(left.a, right.a)",
        "&& FoundationModels._Generated.areEqual(left.id, right.id)", "}", "}",
      ]
    ),
    (
      "struct A: Equatable & Sendable {}", ["Swift.Sendable", "Swift.Equatable"],
      ["nonisolated static func == (left: Self, right: Self) -> Swift.Bool {", "true", "}", "}"]
    ),
    (
      "struct A: Equatable, Hashable { var a: Int }", ["Swift.Hashable"],
      [
        "nonisolated static func == (left: Self, right: Self) -> Swift.Bool {",
        "FoundationModels._Generated.areEqual(left.a, right.a)", "}",
        "nonisolated func hash(into hasher: inout Swift.Hasher) {",
        "FoundationModels._Generated.hash(self.a, into: &hasher)", "}", "}",
      ]
    ),
  ])
  func thePartialFormIsComparedWhereTheTypeIs(
    source: String, conformances: [String], end: [String]
  ) throws {
    let members = try lines(source)
    let head = try #require(members.first { $0.contains("struct PartiallyGenerated") })
    #expect(
      head.hasSuffix(
        (["Swift.Identifiable"] + conformances).joined(separator: ", ") + " {"))
    #expect(
      end.isEmpty ? !members.contains { $0.contains("==") } : members.suffix(end.count) == end[...])
  }

  @Test(arguments: ["Sendable", "Swift.Sendable", "@unchecked Sendable", "Codable & Sendable"])
  func thePartialFormCanBeSentWhereTheTypeCan(inherited: String) throws {
    let sent = try lines("struct A: Codable, \(inherited) {}").contains {
      $0.hasPrefix("nonisolated struct PartiallyGenerated") && $0.hasSuffix("Swift.Sendable {")
    }
    #expect(sent)
  }

  @Test func allGuidesOfAPropertyCount() throws {
    let source = """
      struct A {
        @Guide(description: "x") @Guide(.count(3))
        @Guide(description: y, .element(.range(n...9)), .maximumCount(n)) var a: [Int]
      }
      """
    #expect(
      try lines(source).contains(
        #"__properties.append(.init(name: "a", description: ("x") + " " + (y), type: [Int].self, guides: [.count(3), .element(.range(n...9)), .maximumCount(n)]))"#
      ))
  }

  @Test(arguments: [
    (
      "struct A { var id = GenerationID(); var a: Int }", "var id: FoundationModels.GenerationID",
      true
    ),
    ("public struct A { var id: GenerationID }", "public var id: GenerationID", true),
    ("struct A { var key: GenerationID }", "var key: GenerationID", false),
    ("struct A { var id: ID; var a: Int }", "var id: ID.PartiallyGenerated?", false),
    ("struct A { var a: Int }", "var id: FoundationModels.GenerationID", true),
  ])
  func aPartialFormHasOneName(source: String, variable: String, isIdentifiable: Bool) throws {
    let members = try lines(source)
    #expect(members.contains(variable))
    let head = try #require(members.first { $0.contains("struct PartiallyGenerated") })
    #expect(head.contains("Swift.Identifiable") == isIdentifiable)
  }

  @Test func nothingIsWrittenOfAnEmptyStructure() throws {
    #expect(
      try lines("struct A {}", role: "extension").contains(
        "let __properties = FoundationModels._Generated.Properties()"
      ))
  }

  @Test func theExtensionIsForTheWholeName() throws {
    let source = try lines("struct A { var `in`: Int? }", role: "extension")
    #expect(source.first == "extension Outer.A: nonisolated FoundationModels.Generable {")
    #expect(
      source.contains(#"self.`in` = try FoundationModels._Generated.value("in", of: content)"#))
    #expect(source.contains(#"__properties.write("in", self.`in`)"#))
  }

  @Test func anExtensionAddsNothingWhereTheMembersFailed() throws {
    #expect(try lines("class A {}", role: "extension").isEmpty)
  }

  @Test(arguments: [
    (
      "struct A { @Guide(.range(1...2)) var a: String }", 18,
      "The guide '.range' does not fit 'a', which is a String"
    ),
    (
      "struct A { @Guide(.count(1)) var a: Custom<Int>; @Guide(.anyOf([])) var b: Swift.Bool? }",
      56, "The guide '.anyOf' does not fit 'b', which is a Bool"
    ),
    (
      "struct A { @Guide(.constant(1)) var a: Array<Int> }", 18,
      "The guide '.constant' does not fit 'a', which is an array"
    ),
    (
      "struct A { @Guide(description: \"\", .count(1)) var a: Double }", 35,
      "The guide '.count' does not fit 'a', which is a number"
    ),
    (
      "struct A { @Guide(description: \"\") var id: GenerationID }", 11,
      "'id' names the content and is not generated; remove its guide"
    ),
    (
      "struct A { @Guide(.minimumCount(4)) @Guide(.count(3)) var a: [Int] }", 43,
      "The guides of 'a' contradict each other: they leave no value"
    ),
    (
      "struct A { @Guide(.range(1...2), .minimum(2.5)) var a: Double }", 33,
      "The guides of 'a' contradict each other: they leave no value"
    ),
    (
      "struct A { @Guide(/x/) var a: Int }", 18, "A pattern does not fit 'a', which is an Int"
    ),
    (
      "struct A { @Guide(.range(0...1.5)) var a: Int? }", 18,
      "The guide '.range' has a fraction, and 'a' is an Int"
    ),
    (
      "struct A { @Guide(.element(.anyOf([\"x\"]))) var a: [Int] }", 18,
      "The guide '.anyOf' does not fit 'the elements of a', which is an Int"
    ),
    (
      "struct A { var a: [String: Int]? }", 15,
      "'a' is a dictionary, whose keys no schema can know; use an array of a @Generable structure with key and value"
    ),
    ("struct A { var a: (x: Int, [Int]) }", 15, "'a' is a tuple; use a @Generable structure"),
    ("struct A { var a: [(Int, Int)] }", 15, "'a' is a tuple; use a @Generable structure"),
    (
      "struct A { var a: [String?] }", 15,
      "'a' is an array of optionals; leave what is missing out of the array"
    ),
    (
      "struct A { var a: (Int) throws -> Int }", 15,
      "'a' is a function, which no model can generate; make it 'static' or a method"
    ),
    (
      "struct A { var a: [any Shape] }", 15,
      "'a' is of no certain type, so it has no schema; use GeneratedContent for any content"
    ),
    (
      "enum A { case a(at: (Int, Int)) }", 20, "'at' is a tuple; use a @Generable structure"
    ),
    ("enum A {}", 0, "'A' has no cases, so there is nothing to generate"),
    (
      "enum A { case a(case: Int) }", 22,
      "The label 'case' is taken by the name of the case; choose another one"
    ),
    (
      "enum A { case a(Int, _0: Int) }", 25,
      "Two values of 'a' are named '_0'; choose another label"
    ),
  ])
  func misuseIsNamedWhereItStands(source: String, offset: Int, message: String) {
    #expect(throws: Problem(message: message, offset: offset)) { try expansion(source).expanded() }
  }

  @Test(arguments: [
    // Each may conform in an extension.
    ("@Guide(description: \"\") var a: Int", ["struct B {}"], "no error"),
    ("@Guide(description: \"\") var a: Int", ["/// x\npublic final class B {}"], "no error"),
    ("@Guide(description: \"\") var a: Int", ["@Other(a: 1) struct B<C: D> {}"], "no error"),
    ("@Guide(description: \"\") var a: Int", ["extension B: D {}"], "no error"),
    (
      "@Guide(description: \"\") var a: Int", ["class func b() {}", "class B {}"],
      "@Guide only works inside a type with @Generable"
    ),
    ("@Guide(description: \"\") var a: Int", [], "@Guide only works inside a type with @Generable"),
    (
      "@Guide(description: \"\") var a: Int { 1 }", ["@Generable struct B {}"],
      "@Guide only works on a stored property"
    ),
    (
      "@Guide(description: \"\") func a() {}", ["@FoundationModels.Generable() struct B {}"],
      "@Guide only works on a stored property"
    ),
    (
      "@Guide(description: \"\") var a: Int", ["/// x\n@Other(1) @Generable\nstruct B {}"],
      "no error"
    ),
    ("@Guide(description: \"\") var a: Int", ["struct B: Generable, Sendable {}"], "no error"),
    ("@Guide(description: \"\") var a: Int", ["@Other(a: 1) public struct B<C>: D {}"], "no error"),
  ])
  func aGuideNeedsAPlaceWhereItWorks(source: String, context: [String], message: String) {
    #expect(problem("GuideMacro", on: source, in: context) == message)
  }

  /// What a macro on a member says; "no error" where it is right.
  private func problem(_ macro: String, on source: String, in context: [String]) -> String {
    do throws(Problem) {
      _ = try expansion(source, macro: macro, role: "peer", context: context).expanded()
      return "no error"
    } catch {
      return error.message
    }
  }

  private func entry(_ source: String, role: String, context: [String]? = nil) throws -> [String] {
    try expansion(
      source, macro: "SessionPropertyEntryMacro", role: role,
      context: context ?? ["public extension FoundationModels.SessionPropertyValues {}"]
    ).expanded().split(separator: "\n").map { String($0.drop { $0 == " " }) }
  }

  @Test(arguments: [
    ("@SessionPropertyEntry var mood = \"calm\"", "defaultValue = \"calm\""),
    ("@SessionPropertyEntry public var mood: Mood? // x", "defaultValue: Mood? = nil"),
    (
      "@SessionPropertyEntry var `mood`: [String: Int] = [\"a\": 1]",
      "defaultValue: [String: Int] = [\"a\": 1]"
    ),
  ])
  func anEntryGetsAKey(source: String, value: String) throws {
    #expect(
      try entry(source, role: "accessor") == [
        "{", "get { self[__Key_mood.self] }", "set { self[__Key_mood.self] = newValue }", "}",
      ])
    #expect(
      try entry(source, role: "peer") == [
        "nonisolated private struct __Key_mood: FoundationModels.SessionPropertyKey {",
        "@FoundationModels.__SessionPropertyEntryDefaultValue static var \(value)", "}",
      ])
  }

  @Test(arguments: [
    (
      "var a = 1", ["extension Other {}"],
      "@SessionPropertyEntry only works in an extension of SessionPropertyValues"
    ),
    (
      "var a = 1", [], "@SessionPropertyEntry only works in an extension of SessionPropertyValues"
    ),
    (
      "var a: Int { 1 }", ["extension SessionPropertyValues {}"],
      "@SessionPropertyEntry needs one 'var' without accessors of its own"
    ),
    (
      "let a = 1", ["extension SessionPropertyValues {}"],
      "@SessionPropertyEntry needs one 'var' without accessors of its own"
    ),
    (
      "var a: Int", ["extension SessionPropertyValues {}"],
      "'a' needs a value, which there is until another one is kept"
    ),
  ])
  func misuseOfAnEntryIsNamed(source: String, context: [String], message: String) {
    #expect(problem("SessionPropertyEntryMacro", on: source, in: context) == message)
  }
}
