import Testing

@testable import MacroExpansion

/// What the compiler sends for a macro on a declaration.
func expansion(
  _ declaration: String, macro: String = "GenerableMacro", role: String = "member",
  attribute: String = "@Generable",
  context: [String] = []
) -> AttachedExpansion {
  func source(_ text: String, offset: Int = 0) -> AttachedExpansion.Source {
    .init(source: text, location: .init(fileName: "/tmp/A.swift", offset: offset))
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
  }

  @Test func aStructureGetsSchemaAndPartialForm() throws {
    let source =
      #"public struct A: Sendable { @Guide(description: "x", .range(1...2)) public private(set) var a: Int?; let b: [B] }"#
    #expect(
      try lines(source, attribute: #"@Generable(description: "An \"A\", see (b)")"#) == [
        "public nonisolated static var generationSchema: FoundationModels.GenerationSchema {",
        #"FoundationModels.GenerationSchema(type: Self.self, description: "An \"A\", see (b)", properties: ["#,
        #"FoundationModels.GenerationSchema.Property(name: "a", description: "x", type: Int?.self, guides: [.range(1...2)]),"#,
        #"FoundationModels.GenerationSchema.Property(name: "b", type: [B].self),"#,
        "])", "}",
        "public nonisolated struct PartiallyGenerated: FoundationModels.ConvertibleFromGeneratedContent, Swift.Identifiable, Swift.Sendable {",
        "public var id: FoundationModels.GenerationID", "public var a: (Int?).PartiallyGenerated?",
        "var b: [B].PartiallyGenerated?",
        "public nonisolated init(_ content: FoundationModels.GeneratedContent) throws {",
        "self.id = content.id ?? FoundationModels.GenerationID()",
        #"self.a = try content.value(forProperty: "a")"#,
        #"self.b = try content.value(forProperty: "b")"#,
        "}", "}",
      ])
  }

  @Test func allGuidesOfAPropertyCount() throws {
    let source = """
      struct A {
        @Guide(description: "x") @Guide(.count(3))
        @Guide(.element(.range(n...9)), .maximumCount(n)) var a: [Int]
      }
      """
    #expect(
      try lines(source).contains(
        #"FoundationModels.GenerationSchema.Property(name: "a", description: "x", type: [Int].self, guides: [.count(3), .element(.range(n...9)), .maximumCount(n)]),"#
      ))
  }

  @Test func anIdentityNeedsNoAnnotation() throws {
    let source = "struct A { var id = GenerationID(); var a: Int }"
    #expect(try lines(source).filter { $0.contains("Property(name:") }.count == 1)
    #expect(
      try lines(source, role: "extension").contains(
        "self.id = content.id ?? FoundationModels.GenerationID()"))
  }

  @Test func nothingIsWrittenOfAnEmptyStructure() throws {
    #expect(
      try lines("struct A {}", role: "extension").contains(
        "let properties: [(Swift.String, any FoundationModels.ConvertibleToGeneratedContent)] = []"
      ))
  }

  @Test func theExtensionIsForTheWholeName() throws {
    let source = try lines("struct A { var `in`: Int? }", role: "extension")
    #expect(source.first == "extension Outer.A: nonisolated FoundationModels.Generable {")
    #expect(source.contains(#"self.`in` = try content.value(forProperty: "in")"#))
    #expect(source.contains(#"if self.`in` != nil { properties.append(("in", self.`in`)) }"#))
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
      "struct A { @Guide(.count(1)) var a: [String: Int]; @Guide(.anyOf([])) var b: Swift.Bool? }",
      58, "The guide '.anyOf' does not fit 'b', which is a Bool"
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
      "struct A { @Guide(description: \"\") @Guide(description: \"\") var a: Int }", 35,
      "The property has two descriptions; keep one"
    ),
    (
      "struct A { @Guide(.minimumCount(4)) @Guide(.count(3)) var a: [Int] }", 43,
      "The guides of 'a' contradict each other: they leave no value"
    ),
    (
      "struct A { @Guide(.range(1...2), .minimum(2.5)) var a: Double }", 33,
      "The guides of 'a' contradict each other: they leave no value"
    ),
    ("enum A {}", 0, "'A' has no cases, so there is nothing to generate"),
    (
      "enum A { case a(case: Int) }", 22,
      "The label 'case' is taken by the name of the case; choose another one"
    ),
  ])
  func misuseIsNamedWhereItStands(source: String, offset: Int, message: String) {
    #expect(throws: Problem(message: message, offset: offset)) { try expansion(source).expanded() }
  }

  @Test(arguments: [
    (
      "@Guide(description: \"\") var a: Int", ["struct B {}"],
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
  ])
  func aGuideNeedsAPlaceWhereItWorks(source: String, context: [String], message: String) {
    var found = "no error"
    do throws(Problem) {
      _ = try expansion(source, macro: "GuideMacro", role: "peer", context: context).expanded()
    } catch {
      found = error.message
    }
    #expect(found == message)
  }
}
