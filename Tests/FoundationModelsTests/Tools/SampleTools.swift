import Foundation
import FoundationModels

@Generable
enum Room: String { case hall, kitchen }

/// Arguments that any model can only write right.
struct Lamp: Tool {
  let name = "switchLamp"
  let description = "Switch a lamp on or off."
  var work: @Sendable (Arguments) async throws -> String = { "\($0.room) is \($0.isOn)" }

  @Generable
  struct Arguments {
    @Guide(description: "Where the lamp is") var room: Room
    var isOn: Bool
  }

  func call(arguments: Arguments) async throws -> String { try await work(arguments) }
}

struct Forecast: Tool {
  let description = "Tells the weather."

  @Generable(description: "A place and a time")
  struct Arguments {
    @Guide(description: "Days from now", .range(0...6)) var day: Int
    var place: Place?
  }

  @Generable
  struct Place { @Guide(.anyOf(["Bern", "Chur"])) var city: String }

  @Generable
  struct Weather {
    var degrees: Int
    var sky: String
  }

  func call(arguments: Arguments) async throws -> Weather {
    Weather(degrees: arguments.day, sky: "clear")
  }
}

struct Broken: Error, LocalizedError {
  var errorDescription: String? { "the fuse is gone" }
}

struct Hidden: Tool {
  let description = "Is not told of."
  let includesSchemaInInstructions = false

  @Generable
  struct Arguments {}

  func call(arguments: Arguments) async throws -> ToolOutput { ToolOutput("seen") }
}
