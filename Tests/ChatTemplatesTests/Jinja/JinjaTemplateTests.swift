import Testing

@testable import ChatTemplates

/// Both compare with what `tools/fixtures/make_jinja_fixtures.py` got from jinja2 and transformers.
@Suite struct JinjaTemplateTests {
  @Test func snippetsMeanWhatTheyDoInPython() throws {
    let fixture = try JinjaFixture.json("snippets.json").object
    let values = JinjaFixture.variables(try #require(fixture?["values"]))
    let snippets = try #require(fixture?["snippets"]?.array)
    #expect(snippets.count > 700)
    for snippet in snippets {
      let template = try #require(snippet.object?["template"]?.string)
      let difference = JinjaFixture.difference(snippet) { () throws(JinjaError) in
        try JinjaTemplate(template).render(values, date: JinjaFixture.date)
      }
      #expect(difference == nil, "\(template)")
    }
  }

  @Test func templatesRenderAsInTransformers() throws {
    let conversations = try #require(JinjaFixture.json("conversations.json").array)
    let groups = try #require(JinjaFixture.json("rendered.json").array)
    #expect(conversations.count >= 27)
    var count = 0
    for group in groups {
      let name = try #require(group.object?["name"]?.string)
      let isCommitted = group.object?["licence"]?.string != nil
      guard let text = try JinjaFixture.template(name) else {
        #expect(!isCommitted, "\(name)")
        continue
      }
      #expect(group.object?["sha256"]?.string == JinjaFixture.sha256(text), "\(name)")
      let cases = try #require(group.object?["cases"]?.array)
      #expect(cases.count == conversations.count)
      let template = Result { () throws(JinjaError) in try JinjaTemplate(text) }
      for (conversation, expected) in zip(conversations, cases) {
        let variables = JinjaFixture.variables(of: conversation)
        let difference = JinjaFixture.difference(expected) { () throws(JinjaError) in
          try template.get().render(variables, date: JinjaFixture.date)
        }
        #expect(difference == nil, "\(name): \(conversation.object?["name"]?.string ?? "")")
        count += 1
      }
    }
    #expect(count >= 22 * 27)
  }
}
