import AdapterStore
import Adapters
import ChatTemplates
import Foundation
import LanguageModels
import TensorFiles
import TestSupport
import Testing

@testable import fmadapter

// The README shows this function; the test below compares the two.
// readme:begin
func answer(_ question: String, store root: String) async throws -> String {
  let store = AdapterStore(root: root, tool: "example 1.0")
  let base = try await store.currentBase()
  let installed = try await store.adapter(named: "tagging")

  let model = try LanguageModel(path: base.path)
  let adapter = try Adapter(package: installed.path, for: base.contract)
  let chat = try ChatRenderer(
    ChatStyle(GGUFFile(path: base.path).metadata, file: base.path), tokenizer: model.tokenizer())

  let session = try ModelSession(model, adapters: [AppliedAdapter(adapter)])
  let generator = try TokenGenerator(
    session, prompt: chat.prompt([ChatMessage(role: .user, content: question)]),
    stopTokens: chat.stopTokens)
  var decoder = chat.answerDecoder()
  var text = ""
  while let token = try generator.next() { text += decoder.append(token) }
  return text + decoder.finish()
}
// readme:end

@Suite struct ReadmeTests {
  @Test func theExampleIsCompiledCode() throws {
    let shown = try ReadmeExample.part(
      of: ReadmeExample.readme(), from: "<!-- swift:begin -->", to: "<!-- swift:end -->")
    #expect(shown.contains(try ReadmeExample.code(in: #filePath)))
  }

  @Test func everyCommandThatIsShownParses() throws {
    let lines = try ReadmeExample.readme().split(separator: "\n").filter {
      $0.hasPrefix("    fmadapter ") || $0.hasPrefix("$ fmadapter ")
    }
    #expect(lines.count > 10)
    for line in lines {
      let text = line.drop { $0 != "f" }.prefix { $0 != "#" }
      let words = HelpTextTests.words(of: String(text))
      #expect(throws: Never.self, "\(line)") {
        _ = try ArgumentParser(root: .root).parse(words)
      }
    }
  }
}
