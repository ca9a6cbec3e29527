import Testing

@testable import Chats

@Suite struct LoopWatchTests {
  /// Words, each a token, and how often they come.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var before = ""
    let run: String
    let times: Int
    var asked = ""
    var loop: LoopWatch.Loop?

    var testDescription: String { name }
  }

  private static let six = "and the cat sat down again"
  private static let many = (1...64).map { "w" + String(repeating: "o", count: $0) }
    .joined(separator: " ")

  private static let cases = [
    Case(name: "six words", run: six, times: 40, loop: .init(tokens: 6, times: 21)),
    Case(
      name: "after a beginning", before: "Once there was a house", run: six, times: 40,
      loop: .init(tokens: 6, times: 21)),
    Case(name: "one word", run: "no", times: 200, loop: .init(tokens: 1, times: 128)),
    Case(name: "six words, not for long", run: six, times: 21),
    Case(name: "a long sentence", run: many, times: 9, loop: .init(tokens: 64, times: 8)),
    Case(name: "a long sentence that was asked for", run: many, times: 23, asked: "Write " + many),
    Case(name: "more than a sentence", run: many + " more", times: 20),
    Case(name: "rows of a table that are alike", run: "| yes | no |", times: 12),
    Case(name: "zeros of a matrix", run: "0 ,", times: 150),
    Case(name: "zeros without an end", run: "0 ,", times: 300, loop: .init(tokens: 2, times: 192)),
    Case(
      name: "what was asked for", run: six, times: 60,
      asked: "Write 60 times: And the cat sat down again."),
    Case(
      name: "what was asked for, from its middle", before: "sat down again", run: six, times: 60,
      asked: "Write: and the cat, sat down again!"),
    Case(
      name: "what was asked for, without an end", run: six, times: 90,
      asked: "Write ten times: and the cat sat down again", loop: .init(tokens: 6, times: 64)),
    Case(
      name: "another text than was asked for", run: six, times: 40, asked: "Where sat the cat?",
      loop: .init(tokens: 6, times: 21)),
  ]

  @Test(arguments: cases) func loopsAreNoticed(_ test: Case) {
    #expect(
      Self.loop(test.before + " " + Self.repeated(test.run, test.times), test.asked) == test.loop)
  }

  @Test func whatChangesIsNoLoop() {
    let list = (1...100).map { "\($0) . another apple" }.joined(separator: " ")
    #expect(Self.loop(list, "") == nil)
    let code = (1...100).map { "let x\($0) = 0 ;" }.joined(separator: " ")
    #expect(Self.loop(code, "") == nil)
    // A refrain comes again, but not behind itself.
    let song = (1...100).map { "verse v\($0) " + Self.six }.joined(separator: " ")
    #expect(Self.loop(song, "") == nil)
  }

  private static func repeated(_ run: String, _ times: Int) -> String {
    Array(repeating: run, count: times).joined(separator: " ")
  }

  private static func loop(_ text: String, _ asked: String) -> LoopWatch.Loop? {
    var numbers: [String: Int32] = [:]
    var words: [String] = []
    let tokens = text.split(separator: " ").map { word in
      let known = numbers[String(word)]
      let number = known ?? Int32(words.count)
      if known == nil {
        numbers[String(word)] = number
        words.append(String(word))
      }
      return number
    }
    var watch = LoopWatch(asked: asked) { [words] tokens in
      tokens.map { words[Int($0)] }.joined(separator: " ")
    }
    for token in tokens { watch.append(token) }
    return watch.loop
  }
}
