import Testing

@testable import ChatTemplates

@Suite struct ThoughtStreamTests {
  private static let cases: [(prompt: String, text: String, thought: String, answer: String)] = [
    ("", "Hello", "", "Hello"),
    ("", "<think>\nOne.\nTwo.\n</think>\n\nHello\n", "One.\nTwo.", "Hello\n"),
    ("", " \n<think>x</think>y", "x", "y"),
    ("", "<think>\n\n</think>\n\nHello", "", "Hello"),
    ("", "[THINK]x[/THINK]y", "x", "y"),
    ("", "[THINK]x</think>y", "x</think>y", ""),
    ("", "  Hello", "", "  Hello"),
    ("", "<thin ice", "", "<thin ice"),
    ("", "A <think>b</think>", "", "A <think>b</think>"),
    ("", "<think>cut", "cut", ""),
    ("", "<think>a </thin b</think>c", "a </thin b", "c"),
    ("", "<think>x</think>\n", "x", ""),
    ("", "", "", ""),
    ("<|im_start|>assistant\n<think>\n", "One.</think>\nHello", "One.", "Hello"),
    ("<think>\n\n</think>\n\n", "Hello", "", "Hello"),
  ]

  /// In whatever pieces a text comes, both parts are the same.
  @Test(arguments: cases.indices, [1, 2, 3, 7, 100])
  func thoughtsAreApart(index: Int, size: Int) {
    let sample = Self.cases[index]
    var stream = ThoughtStream(after: sample.prompt)
    var parts: [ThoughtStream.Part] = []
    var rest = Substring(sample.text)
    while !rest.isEmpty {
      parts += stream.append(String(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    parts += stream.finish()
    var (thought, answer) = ("", "")
    for part in parts {
      switch part {
      case .thought(let text): thought += text
      case .answer(let text): answer += text
      }
    }
    #expect(thought == sample.thought, "\(sample.text)")
    #expect(answer == sample.answer, "\(sample.text)")
    #expect(!parts.contains(.thought("")) && !parts.contains(.answer("")))
  }

  @Test func whatIsKnownComesAtOnce() {
    var stream = ThoughtStream()
    #expect(stream.append("<think>One") == [.thought("One")])
    #expect(stream.append(".\n</thi").isEmpty == false)
    #expect(stream.append("nk>\nHel") == [.answer("Hel")])
    #expect(stream.append("lo") == [.answer("lo")])
    #expect(stream.finish().isEmpty)
  }
}
