import Foundation
import FoundationModels
import TestSupport
import Testing

// The documentation shows these types.
// docs:begin
@Generable(description: "A recipe for a card")
struct Recipe {
  @Guide(description: "What it is called") let name: String
  @Guide(description: "For how many", .range(1...12)) let servings: Int
  @Guide(.count(1...20)) let steps: [Step]
  let diet: Diet?
}

@Generable
struct Step {
  let text: String
  @Guide(description: "Minutes", .minimum(0)) let time: Int?
}

@Generable
enum Diet { case vegan, vegetarian, any }

func recipe(for dish: String, in session: LanguageModelSession) async throws -> Recipe {
  let stream = session.streamResponse(to: "A recipe for \(dish)", generating: Recipe.self)
  for try await snapshot in stream {
    print(snapshot.content.name ?? "", snapshot.content.steps?.count ?? 0)
  }
  return try await stream.collect().content
}
// docs:end

@Suite struct GenerableExampleTests {
  @Test func theExampleReadsItsContent() throws {
    let json = #"{"name": "Soup", "servings": 2, "steps": [{"text": "Boil."}], "diet": "vegan"}"#
    let recipe = try Recipe(GeneratedContent(json: json))
    #expect(recipe.generatedContent.jsonString == json)
  }
}
