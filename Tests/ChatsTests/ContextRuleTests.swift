import Testing

@testable import Chats

@Suite struct ContextRuleTests {
  /// How many of turns with these sizes go, and which sizes were asked for.
  private func cut(
    _ rule: ContextRule, _ turns: [Int], opening: Int = 10, limit: Int = 100, room: Int = 20
  ) -> (dropped: Int, asked: [Int]) {
    var search = ContextSearch(rule, count: turns.count, limit: limit, room: room)
    var asked: [Int] = []
    while let next = search.next {
      asked.append(next)
      search.note(opening + turns[next...].reduce(0, +))
    }
    return (search.dropped, asked)
  }

  @Test func nothingGoesWhileThereIsRoom() {
    #expect(cut(.dropOldest, [20, 20, 30]) == (0, [0]))
    #expect(cut(.dropOldest, []) == (0, []))
    #expect(cut(.keepLast(3), [20, 20, 30]) == (0, [0]))
  }

  /// What is left takes three quarters of what it may, here 60 of 80.
  @Test(arguments: 1...40)
  func asFewAsPossibleGoForThreeQuarters(_ count: Int) {
    let turns = (0..<count).map { 5 + ($0 * 7) % 11 }
    let sizes = (0...count).map { 10 + turns[$0...].reduce(0, +) }
    let expected = sizes[0] <= 80 ? 0 : sizes.firstIndex { $0 <= 60 }
    let result = cut(.dropOldest, turns)
    #expect(result.dropped == expected)
    #expect(result.asked.count <= 8)
  }

  @Test func whereNothingWouldBeEnoughAllGo() {
    #expect(cut(.dropOldest, [30, 30], opening: 90).dropped == 2)
    #expect(cut(.dropOldest, [90]).dropped == 1)
  }

  @Test func theLastTurnsStayAtMost() {
    #expect(cut(.keepLast(2), [1, 1, 1, 1]) == (2, [2]))
    #expect(cut(.keepLast(0), [1, 1, 1]) == (3, []))
    #expect(cut(.keepLast(2), [1, 50, 50]).dropped == 2)
  }

  @Test func aSummaryNeedsRoomOfItsOwn() {
    // An eighth of 100 comes on top: 48 of 80 stay.
    #expect(cut(.dropOldest, [20, 5, 5, 40]).dropped == 0)
    #expect(cut(.dropOldest, [31, 5, 5, 38]).dropped == 1)
    #expect(cut(.summarize, [31, 5, 5, 38]).dropped == 3)
    #expect(ContextRule.summaryLength(limit: 100) == 12)
    #expect(ContextRule.summaryLength(limit: 4) == 1)
  }

  @Test(arguments: [
    (100, 10, 10), (100, 80, 50), (100, nil, 25), (3, nil, 0), (100, -1, 0), (100, Int.min, 0),
  ])
  func anAnswerGetsItsRoom(_ limit: Int, _ maximum: Int?, _ room: Int) {
    #expect(ContextRule.room(limit: limit, maximum: maximum) == room)
  }
}
