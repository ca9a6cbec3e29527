import Foundation
import FoundationModels
import Observation
import SessionTestSupport
import Synchronization
import Testing

// Tools as they are written for Apple's framework. That they compile is the test; those that can be are run.

struct BreadDatabaseTool: Tool {
  let name = "searchBreadDatabase"
  let description = "Searches a local database for bread recipes."

  @Generable
  struct Arguments {
    @Guide(description: "The type of bread to search for")
    var searchTerm: String
    @Guide(description: "The number of recipes to get", .range(1...6))
    var limit: Int
  }

  struct Recipe {
    var name: String
    var description: String
    var link: URL
  }

  func call(arguments: Arguments) async throws -> [String] {
    guard arguments.searchTerm != "rye" else { throw SearchBreadDatabaseToolError.databaseIsEmpty }
    let recipes = [Recipe(name: "Sourdough", description: "Sour", link: URL(filePath: "/bread"))]
    let formattedRecipes = recipes.map {
      "Recipe for '\($0.name)': \($0.description) Link: \($0.link)"
    }
    return formattedRecipes
  }
}

enum SearchBreadDatabaseToolError: Error { case databaseIsEmpty }

struct WeatherTool: Tool {
  let name = "getWeather"
  let description = "Retrieve the latest weather information for a city"

  @Generable
  struct Arguments {
    @Guide(description: "The city to get weather information for")
    var city: String
  }

  func call(arguments: Arguments) async throws -> ToolOutput {
    let temperature = 71.0
    if arguments.city.isEmpty { return ToolOutput("\(arguments.city)'s temperature is unknown.") }
    let content = GeneratedContent(properties: ["temperature": temperature])
    let output = ToolOutput(content)
    return output
  }
}

@Observable
final class FindPointsOfInterestTool: Tool {
  let name = "findPointsOfInterest"
  let description = "Finds points of interest for a landmark."

  let landmark: String

  @MainActor var lookupHistory: [String] = []

  init(landmark: String) {
    self.landmark = landmark
  }

  @Generable
  enum Category: String, CaseIterable {
    case campground
    case hotel
    case nationalMonument
  }

  @Generable
  struct Arguments {
    @Guide(description: "This is the type of destination to look up for.")
    let pointOfInterest: Category

    @Guide(description: "The natural language query of what to search for.")
    let naturalLanguageQuery: String
  }

  func call(arguments: Arguments) async throws -> String {
    await recordLookup(arguments)
    return "There are these \(arguments.pointOfInterest) in it: none"
  }

  @MainActor func recordLookup(_ arguments: Arguments) {
    lookupHistory.append(arguments.naturalLanguageQuery)
  }

  static var categories: String { Category.allCases.map { $0.rawValue }.joined(separator: ", ") }
}

struct SearchTool: Tool {
  let name = "searchWeb"
  let description = "Search the web for information on any topic"

  @Generable
  struct Arguments {
    @Guide(description: "The search query to look up")
    var query: String
    @Guide(description: "Maximum number of results to return", .range(1...10))
    var maxResults: Int?
  }

  @concurrent func call(arguments: Arguments) async throws -> some PromptRepresentable {
    guard !arguments.query.isEmpty else { return createErrorOutput(error: "empty") }
    return GeneratedContent(properties: [
      "query": arguments.query, "resultCount": 0, "status": "success",
    ])
  }

  private func createErrorOutput(error: String) -> GeneratedContent {
    GeneratedContent(properties: ["status": "error", "error": error])
  }
}

/// Arguments and schema of run time.
struct DynamicTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema

  func call(arguments: GeneratedContent) async throws -> String { arguments.jsonString }
}

struct CalendarTool: Tool {
  let name = "getCalendarEvent"
  let description: String
  let contactName: String

  @Generable
  struct Arguments {
    let day: Int
    let month: Int
    let year: Int
  }

  init(contactName: String) {
    self.contactName = contactName
    description = """
      Get an event from the player's calendar with \(contactName). \
      Today is \(Date().formatted(date: .complete, time: .omitted))
      """
  }

  func call(arguments: Arguments) async -> String { "\(contactName), \(arguments.day)" }
}

private func sessions(_ model: SystemLanguageModel) {
  let pointOfInterestTool = FindPointsOfInterestTool(landmark: "Alps")
  _ = LanguageModelSession(tools: [BreadDatabaseTool()])
  _ = LanguageModelSession(
    tools: [WeatherTool()], instructions: "Help the person with getting weather information")
  _ = LanguageModelSession(
    tools: [pointOfInterestTool],
    instructions: Instructions {
      "Your job is to create an itinerary for the person."
      "The point of interest categories may include:"
      FindPointsOfInterestTool.categories
    })
  _ = LanguageModelSession(model: model, tools: [SearchTool(), WeatherTool()]) {
    "Use the \(pointOfInterestTool.name) tool."
  }
  _ = LanguageModelSession(model: model, tools: [WeatherTool()], transcript: Transcript())
}

private func errors(_ session: LanguageModelSession) async -> String {
  do {
    let answer = try await session.respond(to: "Find a recipe for tomato soup.")
    return answer.content
  } catch let error as LanguageModelSession.ToolCallError {
    // Access the name of the tool, like BreadDatabaseTool.
    print(error.tool.name)
    // Access an underlying error that your tool throws and check if the tool encounters a specific condition.
    if case .databaseIsEmpty = error.underlyingError as? SearchBreadDatabaseToolError {
      return error.errorDescription ?? ""
    }
    return error.localizedDescription
  } catch {
    return "Some other error: \(error)"
  }
}

private func history(_ session: LanguageModelSession) {
  for entry in session.transcript {
    switch entry {
    case .instructions(let instructions): print(instructions.toolDefinitions)
    case .prompt(let prompt): print(prompt)
    case .toolCalls(let calls): for call in calls { print(call.toolName, call.arguments) }
    case .toolOutput(let output): print(output.toolName, output.segments)
    case .response(let response): print(response)
    case .reasoning(let reasoning): print(reasoning)
    }
  }
}

private func counts(_ model: SystemLanguageModel, _ tools: [any Tool]) async throws -> Int {
  try await model.tokenCount(for: tools)
    + model.tokenCount(for: BreadDatabaseTool.Arguments.generationSchema)
}

@Suite struct ToolSamplesTests {
  @Test func samplesRun() async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Order",
        properties: [
          .init(
            name: "count", schema: DynamicGenerationSchema(type: Int.self, guides: [.range(1...3)]))
        ]
      ), dependencies: [])
    let tools: [any Tool] = [
      BreadDatabaseTool(), WeatherTool(), FindPointsOfInterestTool(landmark: "Alps"), SearchTool(),
      CalendarTool(contactName: "Mia"),
      DynamicTool(name: "order", description: "Orders.", parameters: schema),
    ]
    for tool in tools {
      let session = LanguageModelSession(model: SampleModels.plain, tools: [tool])
      let arguments: GeneratedContent? =
        switch tool {
        case is BreadDatabaseTool: GeneratedContent(properties: ["searchTerm": "rye", "limit": 1])
        case is WeatherTool: GeneratedContent(properties: ["city": "Bern"])
        case is SearchTool: GeneratedContent(properties: ["query": "a"])
        case is FindPointsOfInterestTool:
          GeneratedContent(properties: ["pointOfInterest": "hotel", "naturalLanguageQuery": "a"])
        default: nil
        }
      session.toolCallReviewer = Reviewer { call in
        var call = call
        call.arguments = arguments ?? call.arguments
        return call
      }
      // What the base writes into a text may be long.
      let options = GenerationOptions(
        maximumResponseTokens: 400,
        toolCallingMode: tool is CalendarTool || tool is DynamicTool ? .required : .disallowed)
      _ = try await session.respond(to: "Please.", options: options)
      if let arguments, !(tool is BreadDatabaseTool) {
        #expect(!(try await tool.run(arguments)).isEmpty)
      }
    }
    await #expect(throws: SearchBreadDatabaseToolError.self) {
      try await BreadDatabaseTool().run(
        GeneratedContent(properties: ["searchTerm": "rye", "limit": 1]))
    }
  }
}

extension Tool {
  fileprivate func run(_ arguments: GeneratedContent) async throws -> String {
    Prompt(try await call(arguments: Arguments(arguments))).text
  }
}

/// Tools that keep something between calls, which run at once.
@Suite struct ToolStateTests {
  actor Counter: Tool {
    nonisolated let name = "count"
    nonisolated let description = "Counts."
    private var total = 0

    @Generable struct Arguments { var by: Int }

    private func add(_ number: Int) { total += number }
    var current: Int { total }

    nonisolated func call(arguments: Arguments) async throws -> String {
      await add(arguments.by)
      return "\(await current)"
    }
  }

  final class Tally: Tool {
    let name = "tally"
    let description = "Counts."
    let total = Mutex(0)

    func call(arguments: Counter.Arguments) async throws -> String {
      "\(total.withLock { $0 += arguments.by; return $0 })"
    }
  }

  @Test func stateStaysBetweenCalls() async throws {
    let steps = (1...8).flatMap { number in
      ["count", "tally"].map {
        ScriptedModel.Step.call("\($0)\(number)", $0, #"{"by": \#(number)}"#)
      }
    }
    let (counter, tally) = (Counter(), Tally())
    let session = LanguageModelSession(
      model: ScriptedModel(steps, [.text("Done.")]), tools: [counter, tally])
    session.toolCallReviewer = Reviewer(maximumRounds: 8, maximumCallsPerRound: 16)
    #expect(try await session.respond(to: "Count!").content == "Done.")
    #expect(await counter.current == 36)
    #expect(tally.total.withLock { $0 } == 36)
  }
}
