import Adapters
import ChatTemplates
import Foundation
import LanguageModels
import SessionTestSupport
import TensorFiles
import TestSupport
import Testing

@testable import FoundationModels

@Suite struct ActivatedAdapterTests {
  /// The tagging adapter as one that begins where the base's answers do.
  private func model(in folder: TemporaryDirectory) throws -> SystemLanguageModel {
    let path = SampleModels.base.path
    let base = try BaseModel(path: path)
    let renderer = try ChatRenderer(
      ChatStyle(GGUFFile(path: path).metadata, file: path), tokenizer: base.tokenizer())
    let plain = try Adapter(inspecting: SampleModels.tagging.path, base: base.contract())
    var metadata = plain.metadata
    try #require(metadata.statedSettings != nil)
    metadata.statedSettings?.invocation = renderer.answerOpening
    let package = try AdapterWriter.write(
      metadata, layers: plain.layers, to: folder.path("activated"))
    return try SampleModels.adapted(URL(fileURLWithPath: package))
  }

  /// What was said before is the base's, also what the adapter has said: a session that goes on answers as one that has read it all.
  @Test func itBeginsAtTheLastAnswer() async throws {
    let folder = try TemporaryDirectory()
    let model = try model(in: folder)
    let options = GenerationOptions(sampling: .greedy, maximumResponseTokens: 24)
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: SampleModels.note, options: options)
    let before = session.transcript
    let prompt = "Tag this note. The match was lost, and the train home was late."
    let answer = try await session.respond(to: prompt, options: options).content
    #expect(await session.engine.statistics?.isActivated == true)
    let other = LanguageModelSession(model: model, transcript: before)
    #expect(try await other.respond(to: prompt, options: options).content == answer)
  }
}
