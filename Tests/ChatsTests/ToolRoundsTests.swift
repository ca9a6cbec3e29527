import ChatTemplates
import JSON
import Testing

@testable import Chats

@Suite struct ToolRoundsTests {
  private static func call(_ city: String, id: String = "1") -> ChatToolCall {
    ChatToolCall(id: id, name: "weather", arguments: .object(["city": .string(city)]))
  }

  @Test func whatIsRequiredIsOneRound() {
    var rounds = ToolRounds(.required, limit: 3)
    var calling = [rounds.calling]
    for city in ["Bern", "Chur", "Rome"] {
      rounds.note([Self.call(city)])
      calling.append(rounds.calling)
    }
    #expect(calling == [.required, .allowed, .allowed, .disallowed])
    #expect(rounds.end == .limit && rounds.count == 3)
  }

  @Test(arguments: [ToolCalling.allowed, .required, .disallowed])
  func noRoundsAreNoCalls(_ calling: ToolCalling) {
    let rounds = ToolRounds(calling, limit: 0)
    #expect(rounds.calling == .disallowed && rounds.end == nil)
  }

  @Test func eightRoundsAreUsual() {
    var rounds = ToolRounds()
    while rounds.calling == .allowed { rounds.note([Self.call("\(rounds.count)")]) }
    #expect(rounds.count == 8)
  }

  /// Identities are other ones each time.
  @Test(
    arguments: [
      ([["Bern"], ["Bern"]], .repetition), ([["Bern"], ["Chur"]], nil),
      ([["Bern"], ["Chur"], ["Bern"]], nil), ([["Bern", "Chur"], ["Bern", "Chur"]], .repetition),
      ([["Bern", "Chur"], ["Bern"]], nil), ([["Bern", "Bern"]], nil),
    ] as [([[String]], ToolRounds.End?)])
  func theSameTwiceInARowEndsThem(_ asked: [[String]], _ end: ToolRounds.End?) {
    var rounds = ToolRounds()
    for (number, cities) in asked.enumerated() {
      rounds.note(cities.map { Self.call($0, id: "\(number)") })
    }
    #expect(rounds.end == end)
    #expect(rounds.calling == (end == nil ? .allowed : .disallowed))
  }
}
