import SessionTestSupport
import Testing

// The documentation shows this program.
// docs:begin
import Foundation
import FoundationModels

/// A conversation on the terminal: each line of input is answered word by word.
struct Ask {
  let session: LanguageModelSession

  init(_ model: SystemLanguageModel, instructions: String? = nil) {
    session = LanguageModelSession(model: model, instructions: instructions)
    session.prewarm()
  }

  func run(lines: () -> String?, write: (String) -> Void) async throws {
    while let line = lines() {
      var shown = ""
      do {
        for try await snapshot in session.streamResponse(to: line) {
          write(String(snapshot.content.dropFirst(shown.count)))
          shown = snapshot.content
        }
        write("\n")
      } catch let error as any LocalizedError {
        write("\(error.failureReason ?? "\(error)")\n")
      }
    }
  }
}
// docs:end

extension StoreTests {
  @Test func theExampleOfACommandRuns() async throws {
    var lines = ["What colour is grass?", "And snow?"]
    var text = ""
    let ask = Ask(SampleModels.plain, instructions: "Answer in one sentence.")
    try await ask.run(lines: { lines.isEmpty ? nil : lines.removeFirst() }) { text += $0 }
    let answers = ask.session.transcript.compactMap { entry in
      if case .response(let response) = entry {
        response.segments.map(\.description).joined()
      } else {
        nil as String?
      }
    }
    #expect(answers.count == 2)
    #expect(text == answers.map { $0 + "\n" }.joined())
  }

  @Test func theExampleOfACommandSaysWhatIsWrong() async throws {
    var lines = ["Hello"]
    var text = ""
    let ask = Ask(SystemLanguageModel(base: URL(filePath: "/no/such.gguf")))
    try await ask.run(lines: { lines.popLast() }) { text += $0 }
    #expect(text.contains("/no/such.gguf") && text.hasSuffix("\n"))
  }
}
