import Foundation
import FoundationModels
import Observation
import Testing

// Code as it is written for Apple's framework. That it compiles is the test; what it does is tested elsewhere.

private func sessions(_ model: SystemLanguageModel, _ transcript: Transcript) {
  _ = LanguageModelSession()
  _ = LanguageModelSession(model: .default)
  _ = LanguageModelSession(instructions: "Be brief.")
  _ = LanguageModelSession(
    instructions: """
      You are a motivational workout coach that provides quotes to inspire \
      and motivate athletes.
      """)
  _ = LanguageModelSession(instructions: Instructions("Be brief."))
  _ = LanguageModelSession(model: model, instructions: "Be brief.")
  _ = LanguageModelSession {
    "Be brief."
    if model.isAvailable { "Be kind." }
  }
  _ = LanguageModelSession(model: model) { "Be brief." }
  _ = LanguageModelSession(transcript: transcript)
  let session: LanguageModelSession = .init(model: model, transcript: transcript)
  session.prewarm()
  session.prewarm(promptPrefix: Prompt("Once upon a time"))
}

private func responses(_ session: LanguageModelSession, _ topic: String) async throws {
  try await session.respond(to: "Hello")
  let response = try await session.respond(to: "Tell me about \(topic).")
  let content: String = response.content
  _ = try await session.respond(to: content, options: GenerationOptions(temperature: 2.0))
  _ = try await session.respond(to: Prompt("Hello"))
  let prompt = Prompt {
    "Tell me about"
    topic
  }
  _ = try await session.respond(to: prompt, options: GenerationOptions(sampling: .greedy))
  _ = try await session.respond { "Hello" }
  _ = try await session.respond(options: .init(sampling: .random(top: 40, seed: 7))) {
    "Hello"
    if topic.isEmpty { "nobody" } else { topic }
    for index in 0..<2 { "\(index)" }
  }
  for entry in response.transcriptEntries { print(entry.id) }
  print(response.rawContent.jsonString)
}

@Generable
private struct Quote {
  @Guide(description: "A person") var author: String
  @Guide(description: "Words", .count(1...3)) var lines: [String]
}

private func values(_ session: LanguageModelSession, _ schema: GenerationSchema) async throws {
  let quote = try await session.respond(to: "Quote somebody", generating: Quote.self).content
  let other: LanguageModelSession.Response<Quote> = try await session.respond(
    to: Prompt("Another one"))
  print(quote.author, other.content.lines)
  _ = try await session.respond(
    to: "Hello", generating: Quote.self, includeSchemaInPrompt: false,
    options: GenerationOptions(temperature: 1))
  _ = try await session.respond(generating: Quote.self) { "Quote somebody" }
  let content: GeneratedContent = try await session.respond(to: "Hello", schema: schema).content
  let text: String = try content.value(forProperty: "text")
  _ = try await session.respond(to: Prompt(text), schema: schema, options: GenerationOptions())
  _ = try await session.respond(schema: schema, includeSchemaInPrompt: false) { text }
  _ = try await session.respond(to: "Name a colour", generating: String.self).content.count
  for try await partial in session.streamResponse(to: "Quote", generating: Quote.self) {
    print(partial.content.author ?? "", partial.content.lines?.count ?? 0, partial.content.id)
  }
  for try await partial in session.streamResponse(to: "Hello", schema: schema) {
    print(partial.content)
  }
  let stream = session.streamResponse(generating: Quote.self) { "Quote somebody" }
  print(try await stream.collect().content.author)
  _ = try await session.streamResponse(schema: schema) { "Hello" }.collect()
}

private func streams(_ session: LanguageModelSession) async throws {
  for try await partial in session.streamResponse(to: "Hello") { print(partial.content) }
  let stream = session.streamResponse(
    to: Prompt("Hello"), options: GenerationOptions(sampling: .random(probabilityThreshold: 0.9)))
  for try await snapshot in stream {
    let text: String = snapshot.content
    print(text, snapshot.rawContent.isComplete)
  }
  let response: LanguageModelSession.Response<String> = try await stream.collect()
  print(response.content)
  _ = try await session.streamResponse(options: GenerationOptions(maximumResponseTokens: 9)) {
    "Hello"
  }.collect()
}

private func availability(_ model: SystemLanguageModel) -> String {
  switch model.availability {
  case .available: "ready"
  case .unavailable(.deviceNotEligible): "not eligible"
  case .unavailable(.appleIntelligenceNotEnabled): "not enabled"
  case .unavailable(.modelNotReady): "not ready"
  }
}

private func models() async throws {
  let general = SystemLanguageModel(useCase: .general)
  _ = SystemLanguageModel(useCase: .contentTagging, guardrails: .default)
  let permissive = SystemLanguageModel(guardrails: .permissiveContentTransformations)
  guard permissive.supportsLocale(), general.supportsLocale(Locale(identifier: "en_AU")) else {
    return
  }
  print(general.supportedLanguages.contains(Locale.current.language))
  print(general.contextSize)
  print(try await general.tokenCount(for: "Hello"))
  print(try await general.tokenCount(for: Prompt("Hello")))
  print(try await general.tokenCount(for: Instructions("Be brief.")))
  print(try await general.tokenCount(for: LanguageModelSession().transcript))
}

private func adapters() async throws {
  try SystemLanguageModel.Adapter.removeObsoleteAdapters()
  let url = URL(filePath: "absolute/path/to/my_adapter.fmadapter")
  let local = try SystemLanguageModel.Adapter(fileURL: url)
  let adapter = try SystemLanguageModel.Adapter(name: "myAdapter")
  try await adapter.compile()
  let author = adapter.creatorDefinedMetadata["author"] as? String
  print(author ?? "", local.creatorDefinedMetadata.count)
  print(SystemLanguageModel.Adapter.compatibleAdapterIdentifiers(name: "myAdapter"))
  let model = SystemLanguageModel(adapter: adapter)
  _ = SystemLanguageModel(adapter: local, guardrails: .permissiveContentTransformations)
  let session = LanguageModelSession(model: model)
  print(try await session.respond(to: "Your prompt here").content)
}

private func assetErrors(_ name: String) -> String {
  do {
    _ = try SystemLanguageModel.Adapter(name: name)
    return ""
  } catch SystemLanguageModel.Adapter.AssetError.invalidAdapterName(let context) {
    return context.debugDescription
  } catch let error as SystemLanguageModel.Adapter.AssetError {
    switch error {
    case .invalidAsset(let context), .invalidAdapterName(let context),
      .compatibleAdapterNotFound(let context):
      return context.debugDescription + (error.errorDescription ?? "")
    }
  } catch {
    return error.localizedDescription
  }
}

private func generationErrors(_ session: LanguageModelSession) async -> String {
  do {
    return try await session.respond(to: "Hello").content
  } catch LanguageModelSession.GenerationError.exceededContextWindowSize {
    return "too long"
  } catch LanguageModelSession.GenerationError.refusal(let refusal, _) {
    return (try? await refusal.explanation.content) ?? ""
  } catch let error as LanguageModelSession.GenerationError {
    switch error {
    case .exceededContextWindowSize(let context), .assetsUnavailable(let context),
      .guardrailViolation(let context), .unsupportedGuide(let context),
      .unsupportedLanguageOrLocale(let context), .decodingFailure(let context),
      .rateLimited(let context), .concurrentRequests(let context), .refusal(_, let context):
      return context.debugDescription + (error.recoverySuggestion ?? "")
    }
  } catch {
    return error.localizedDescription
  }
}

private func feedback(_ session: LanguageModelSession, _ entry: Transcript.Entry) -> Data {
  let data = session.logFeedbackAttachment(
    sentiment: .negative,
    issues: [
      LanguageModelFeedback.Issue(category: .incorrect, explanation: "It is out of date.")
    ], desiredOutput: entry)
  session.logFeedbackAttachment(sentiment: .positive)
  session.logFeedbackAttachment(sentiment: .positive, desiredResponseText: "Paris")
  return data
}

private func shortened(_ session: LanguageModelSession) -> LanguageModelSession {
  let all = session.transcript
  let entries = [all.first, all.last].compactMap { $0 }
  return LanguageModelSession(transcript: Transcript(entries: entries))
}

private func history(_ transcript: Transcript) throws -> Data {
  for entry in transcript {
    switch entry {
    case .instructions(let instructions):
      print(instructions.segments, instructions.toolDefinitions.map(\.name))
    case .prompt(let prompt):
      print(prompt.segments, prompt.options, prompt.responseFormat?.name ?? "")
    case .response(let response): print(response.segments, response.assetIDs)
    case .toolCalls(let calls):
      for call in calls { print(call.id, call.toolName, call.arguments.jsonString) }
    case .toolOutput(let output): print(output.id, output.toolName, output.segments)
    case .reasoning(let reasoning): print(reasoning.segments)
    }
  }
  _ = try JSONDecoder().decode(Transcript.self, from: JSONEncoder().encode(transcript))
  return try JSONEncoder().encode(transcript)
}

@Observable
private final class ViewModel {
  var session = LanguageModelSession()
  var text = ""

  @MainActor func ask() async {
    guard !session.isResponding else { return }
    do {
      for try await snapshot in session.streamResponse(to: "Hello") { text = snapshot.content }
    } catch {
      text = error.localizedDescription
    }
  }
}

private struct FamousHistoricalFigure: PromptRepresentable {
  var name: String
  var biggestAccomplishment: String

  var promptRepresentation: Prompt {
    """
    Famous Historical Figure:
    - name: \(name)
    """
    "- accomplishment: \(biggestAccomplishment)"
  }
}

@Suite struct SourceCompatibilityTests {
  @Test func namesThatAreNoneAreErrors() {
    #expect(assetErrors("a-b").hasPrefix("'a-b' is not the name of an adapter"))
  }

  @Test func promptsAreMadeOfOnesOwnTypes() {
    let figure = FamousHistoricalFigure(name: "Ada", biggestAccomplishment: "the first program")
    let prompt = Prompt {
      "Speak as:"
      figure
    }
    let lines = prompt.text.split(separator: "\n")
    #expect(lines.last == "- accomplishment: the first program")
    #expect(lines.count == 4)
  }
}
