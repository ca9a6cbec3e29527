import AdapterStore
import Adapters
import ChatTemplates
import Foundation
import LanguageModels
import TensorFiles
import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
func answer(_ question: String, store root: String) throws -> String {
  let store = AdapterStore(root: root, tool: "example 1.0")
  let base = try store.currentBase()
  let installed = try store.adapter(named: "tagging")

  let model = try BaseModel(path: base.path)
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
// docs:end

@Suite struct LayersExampleTests {
  @Test func theExampleRuns() async throws {
    let folder = try TemporaryDirectory()
    let adapters = Fixtures.repository.appendingPathComponent("adapters").path
    let store = AdapterStore(root: folder.path("store"), tool: "test")
    try await store.installBase(.path(adapters + "/afm-9m/afm-9m.gguf"))
    try await store.installAdapter(.path(adapters + "/afm-9m/tagging.fmadapter"))
    let text = try answer(
      "Tag this note. We took the night train to the mountains and cooked soup by the river.",
      store: folder.path("store"))
    #expect(text == #"{"tags": ["food", "travel"]}"#)
  }
}
