import Foundation
import FoundationModels

@Generable
package enum Room: String { case hall, kitchen }

/// Arguments that any model can only write right.
package struct Lamp: Tool {
  package let name = "switchLamp"
  package let description = "Switch a lamp on or off."
  private let work: @Sendable (Arguments) async throws -> String

  package init(
    work: @escaping @Sendable (Arguments) async throws -> String = { "\($0.room) is \($0.isOn)" }
  ) { self.work = work }

  @Generable
  package struct Arguments {
    @Guide(description: "Where the lamp is") package var room: Room
    package var isOn: Bool
  }

  package func call(arguments: Arguments) async throws -> String { try await work(arguments) }
}

package struct Forecast: Tool {
  package let description = "Tells the weather."

  package init() {}

  @Generable(description: "A place and a time")
  package struct Arguments {
    @Guide(description: "Days from now", .range(0...6)) package var day: Int
    package var place: Place?
  }

  @Generable
  package struct Place { @Guide(.anyOf(["Bern", "Chur"])) package var city: String }

  @Generable
  package struct Weather {
    package var degrees: Int
    package var sky: String
  }

  package func call(arguments: Arguments) async throws -> Weather {
    Weather(degrees: arguments.day, sky: "clear")
  }
}

package struct Broken: Error, LocalizedError {
  package init() {}

  package var errorDescription: String? { "the fuse is gone" }
}

package struct Hidden: Tool {
  package let description = "Is not told of."
  package let includesSchemaInInstructions = false

  package init() {}

  @Generable
  package struct Arguments {}

  package func call(arguments: Arguments) async throws -> ToolOutput { ToolOutput("seen") }
}
