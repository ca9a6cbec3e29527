import Foundation
import SessionTestSupport
import Synchronization
import Testing

@testable import FoundationModels

@Suite struct AnswerAssemblyTests {
  private typealias Channel = LanguageModelExecutorGenerationChannel
  private typealias Event = Channel.Event

  private struct Note: Transcript.CustomSegment {
    let id: String
    var content: String
    var description: String { "[\(content)]" }
  }

  /// What came out of `events`: the entries, and the text as it was handed out.
  private func assemble(_ events: [Event]) throws -> (
    answer: SessionEngine.Answer, handedOut: String
  ) {
    let text = GrowingText()
    let assembly = AnswerAssembly { text.append($0) }
    for event in events { assembly.take(event) }
    return (try assembly.answer(), text.current.text)
  }

  /// Who gets the text, and what of it is taken back, may ask what has come.
  @Test(.timeLimit(.minutes(15))) func theReaderMayAskWhatHasCome() throws {
    let held = Mutex<AnswerAssembly?>(nil)
    let counts = Mutex<[Int]>([])
    let ask: @Sendable () -> Void = {
      let count = held.withLock { $0 }?.usage.output.totalTokenCount
      counts.withLock { $0.append(count ?? 0) }
    }
    let assembly = AnswerAssembly { _ in ask() }
    held.withLock { $0 = assembly }
    for piece in ["a", "b"] { assembly.take(text(piece, "R")) }
    #expect(counts.withLock { $0 } == [1, 2])
    for content in ["x", "y"] {
      let segment = Farewell(content: content, ask: ask)
      assembly.take(.response(entryID: "R", action: .updateCustomSegment(segment)))
    }
    #expect(counts.withLock { $0 } == [1, 2, 2])
    held.withLock { $0 = nil }
  }

  /// A segment that asks when it goes.
  private struct Farewell: Transcript.CustomSegment {
    private final class Last: Sendable {
      let ask: @Sendable () -> Void
      init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }
      deinit { ask() }
    }

    let id = "farewell"
    var content: String
    private let last: Last

    init(content: String, ask: @escaping @Sendable () -> Void) {
      (self.content, last) = (content, Last(ask))
    }

    static func == (left: Self, right: Self) -> Bool { left.content == right.content }
  }

  @Test func whatSeveralThreadsSendIsHandedOutInItsOrder() throws {
    let text = GrowingText()
    let assembly = AnswerAssembly { text.append($0) }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for _ in 0..<500 { assembly.take(self.text("\(thread)", "R")) }
    }
    let answer = try assembly.answer()
    #expect(answer.text.count == 2000 && text.current.text == answer.text)
  }

  private func text(_ text: String, _ entry: String? = nil, segment: String? = nil) -> Event {
    .response(entryID: entry, action: .appendText(text, segmentID: segment, tokenCount: 1))
  }

  private func thought(_ text: String, _ entry: String? = nil) -> Event {
    .reasoning(entryID: entry, action: .appendText(text, tokenCount: 1))
  }

  @Test func eventsOfOneKindInARowAreOneEntry() throws {
    let answer = try assemble([
      thought("a"), thought("b"), text("c"), text("d"), thought("e"), text("f"),
    ]).answer
    #expect(
      answer.entries.map(\.description) == [
        "Reasoning: ab", "Response: cd", "Reasoning: e", "Response: f",
      ])
    #expect(answer.usage.output.totalTokenCount == 6)
    #expect(answer.usage.output.reasoningTokenCount == 3)
  }

  @Test func identitiesKeepEntriesTogether() throws {
    let (answer, handedOut) = try assemble([
      text("a", "R"), thought("b", "T"), text("c", "R"), thought("d", "T"),
      .response(entryID: "R", action: .updateMetadata(["model": "m", "assetIDs": ["x"]])),
      .response(entryID: "R", action: .updateMetadata(["model": "n", "assetIDs": ["y"]])),
      .reasoning(entryID: "T", action: .updateMetadata(["k": 1])),
    ])
    #expect(answer.entries.map(\.id) == ["R", "T"])
    #expect(answer.text == "ac" && handedOut == "ac")
    let response = try #require(answer.entries[0].asResponse)
    #expect(response.assetIDs == ["y"] && response.metadata["model"] as? String == "n")
    #expect(answer.entries[1].asReasoning?.metadata["k"] as? Int == 1)
  }

  @Test func anEmptySegmentWithANameKeepsItsPlace() throws {
    let (answer, handedOut) = try assemble([
      text("a", segment: "1"), text("", segment: "2"), text("b ", segment: "3"),
      text("c", segment: "3"), text("", segment: "2"), text("d"), text(""),
    ])
    #expect(answer.text == "ab cd" && handedOut == "ab cd")
    #expect(answer.entries[0].asResponse?.segments.map(\.id) == ["1", "2", "3"])
    #expect(answer.entries[0].asResponse?.segments.map(\.text) == ["a", "", "b cd"])
  }

  @Test func segmentsCanBeReplacedAndTakenBack() throws {
    let image = Transcript.AttachmentSegment(
      id: "I",
      content: .image(Transcript.ImageAttachment(imageURL: URL(string: "https://a/b.png")!)),
      label: "sun")
    let (answer, handedOut) = try assemble([
      text("a", segment: "1"), text("b", segment: "2"), text("c", segment: "1"),
      .response(action: .replaceTextSegment("B", segmentID: "2", tokenCount: 1)),
      .response(action: .updateCustomSegment(Note(id: "N", content: "old"))),
      .response(action: .updateCustomSegment(Note(id: "N", content: "new"))),
      .response(action: .addAttachmentSegment(image)),
      .response(action: .removeAttachmentSegment(id: "I")),
      .response(action: .addAttachmentSegment(image)),
    ])
    #expect(answer.text == "acB" && handedOut == "acB")
    #expect(
      answer.entries.map(\.description) == [
        "Response: ac\nB\n[new]\n[image sun https://a/b.png]"
      ])
    let transcript = Transcript(entries: answer.entries)
    let read = try JSONDecoder().decode(
      Transcript.self, from: JSONEncoder().encode(transcript))
    #expect(read.description == transcript.description)
  }

  @Test func callsGrowSideBySide() throws {
    func call(_ id: String, _ arguments: String) -> Event {
      .toolCalls(
        entryID: "C",
        action: .toolCall(
          id: id, name: "t" + id, action: .appendArguments(arguments, tokenCount: 1)))
    }
    let answer = try assemble([
      call("1", "{\"a\""), call("2", ""), call("3", "{}"), call("1", ": 1}"),
      .toolCalls(action: .removeToolCall(id: "3")),
      .toolCalls(
        action: .toolCall(id: "1", name: "t1", action: .updateMetadata(["tag": "x"]))),
      .toolCalls(action: .updateMetadata(["batch": 7])),
    ]).answer
    #expect(answer.calls.map(\.description) == [#"t1({"a": 1})"#, "t2({})"])
    #expect(answer.calls[0].metadata["tag"] as? String == "x")
    #expect(answer.callsID == "C")
    let entry = try #require(answer.calling(answer.calls).asToolCalls)
    #expect(entry.id == "C" && entry.metadata["batch"] as? Int == 7)
  }

  @Test func aChannelOfOnesOwnIsASequence() async throws {
    let channel = LanguageModelExecutorGenerationChannel()
    await channel.send(text("a"))
    await channel.send(thought("b"))
    channel.finish(throwing: Broken())
    var count = 0
    await #expect(throws: Broken.self) { for try await _ in channel { count += 1 } }
    #expect(count == 2)
  }

  @Test func metadataOfEventsIsValuesOrContents() async throws {
    let contents: [String: any ConvertibleToGeneratedContent] = ["a": 1, "b": ["x"]]
    let action = LanguageModelExecutorGenerationChannel.Response.Action.updateMetadata(contents)
    guard case .metadata(let metadata) = action.kind else {
      Issue.record("\(action) has no metadata")
      return
    }
    #expect(metadata.values["a"] as? Int == 1)
    #expect(metadata.values["b"] as? [String] == ["x"])
    let values = LanguageModelExecutorGenerationChannel.Response.Action.updateMetadata(["a": 1])
    guard case .metadata(let metadata) = values.kind else {
      Issue.record("\(values) has no metadata")
      return
    }
    #expect(metadata.values["a"] as? Int == 1)
  }

  private struct Mark: Codable, Equatable { let place: Double }

  @Test func metadataSurvivesAsJSON() throws {
    let metadata: [String: any Sendable & Codable & Equatable] = [
      "text": "a", "count": 3, "share": 0.5, "isGood": true, "list": ["a", "b"], "whole": 2.0,
      "of": ["a": [1.5]], "own": Mark(place: 1.5),
    ]
    let entries: [Transcript.Entry] = [
      .prompt(
        Transcript.Prompt(
          metadata: metadata, segments: [],
          contextOptions: ContextOptions(
            includeSchemaInPrompt: false, reasoningLevel: .custom("deep")))),
      .reasoning(
        Transcript.Reasoning(metadata: metadata, segments: [], signature: Data("s".utf8))),
      .response(Transcript.Response(metadata: metadata, segments: [])),
    ]
    let transcript = Transcript(entries: entries)
    let data = try JSONEncoder().encode(transcript)
    let read = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(read == transcript)
    var other = transcript
    other[1] = .reasoning(Transcript.Reasoning(id: transcript[1].id, segments: []))
    #expect(other != transcript)
    for said in [transcript[2].asResponse, read[2].asResponse] {
      let values = try #require(said?.metadata)
      #expect(values["text"] as? String == "a" && values["isGood"] as? Bool == true)
      #expect(values["count"] as? Int == 3 && values["share"] as? Double == 0.5)
      #expect(values["list"] as? [String] == ["a", "b"] && values["none"] == nil)
      #expect(try values.content("of")?.value([Double].self, forProperty: "a") == [1.5])
      #expect(try values.content("own")?.value(Double.self, forProperty: "place") == 1.5)
    }
    #expect(transcript[2].asResponse?.metadata["own"] as? Mark == Mark(place: 1.5))
    #expect(transcript[2].asResponse?.metadata["of"] as? [String: [Double]] == ["a": [1.5]])
  }

  @Test func aTranscriptIsACollectionThatCanBeChanged() {
    let prompt = Transcript.Entry.prompt(Transcript.Prompt(segments: []))
    let instructions = Transcript.Entry.instructions(Transcript.Instructions(segments: []))
    var transcript = Transcript()
    transcript.append(prompt)
    transcript.insert(instructions, at: 0)
    let history: Transcript.HistoryView = transcript.history
    #expect(Array(history) == [prompt])
    transcript.history = []
    #expect(Array(transcript) == [instructions])
  }

  @Test func imagesStandInPrompts() async throws {
    let sun = try #require(URL(string: "https://a/sun.png"))
    let model = ScriptedModel([.text("A sun.")])
    let session = LanguageModelSession(model: model)
    _ = try await session.respond {
      "What is"
      "this?"
      Attachment(imageURL: sun).label("sun")
      if !session.isResponding { "Be brief." }
    }
    #expect(
      session.transcript.first?.asPrompt?.segments.map(\.description) == [
        "What is\nthis?", "[image sun https://a/sun.png]", "Be brief.",
      ])
    let reference = try ImageReference(GeneratedContent(properties: ["attachmentLabel": "sun"]))
    #expect(reference.resolved(in: session.transcript.history)?.url == sun)
    #expect(reference.resolved(in: Transcript()) == nil)
    #expect(reference.generatedContent.jsonString == #"{"attachmentLabel": "sun"}"#)
    let part = try ImageReference.PartiallyGenerated(GeneratedContent(json: "{"))
    #expect(part.attachmentLabel == nil)
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: SampleModels.plain).respond {
        Attachment(imageURL: sun)
      }
    }
    #expect(
      error?.debugDescription == "The request has an image, for which the model has no vision.")
  }

  @Test func imagesStandInInstructions() async throws {
    let sun = try #require(URL(string: "data:image/png;base64,c3Vu"))
    let model = ScriptedModel([.text("A sun.")], [.text("Yes.")])
    let session = LanguageModelSession(model: model) {
      "This is the house:"
      Attachment(imageURL: sun).label("house")
    }
    _ = try await session.respond(to: "What is it?")
    let entry = try #require(session.transcript.first?.asInstructions)
    #expect(
      entry.segments.map(\.description) == ["This is the house:", "[image house data]"])
    let dynamic = LanguageModelSession(
      model: model,
      dynamicInstructions: Instructions {
        "Look:"
        Attachment(imageURL: sun)
      })
    _ = try await dynamic.respond(to: "Do you?")
    #expect(dynamic.transcript.first?.segments.map(\.description) == ["Look:", "[image data]"])
    #expect(
      Prompt([Prompt("a"), Attachment(imageURL: sun).promptRepresentation]).segments.count == 2)
  }

  @Test(arguments: [
    ("data:image/png;base64,c3Vu", "sun"), ("data:,a%20b", "a b"), ("data:;base64,?", ""),
    ("https://a/b.png", ""), ("file:///no/such/image", ""), (#filePath, "import Foundation"),
  ])
  func theBytesOfAnImageAreThoseOfItsAddress(address: String, bytes: String) throws {
    let url = try #require(
      address.hasPrefix("/") ? URL(filePath: address) : URL(string: address))
    let data = Transcript.ImageAttachment(imageURL: url).data
    #expect(String(decoding: data.prefix(17), as: UTF8.self) == bytes)
  }

  @Test func imagesSayHowTheyAreTurned() async throws {
    let sun = try #require(URL(string: "https://a/sun.png"))
    let model = ScriptedModel([.text("A sun.")])
    let session = LanguageModelSession(model: model)
    _ = try await session.respond {
      Attachment(imageURL: sun)
      Attachment(imageURL: sun, orientation: .rightMirrored)
    }
    let written = try JSONEncoder().encode(session.transcript)
    let read = try JSONDecoder().decode(Transcript.self, from: written)
    #expect(read == session.transcript)
    let orientations = read.first?.segments.compactMap { segment in
      if case .attachment(let part) = segment, case .image(let image) = part.content {
        image.orientation
      } else {
        nil
      }
    }
    #expect(orientations == [.up, .rightMirrored])
    let text = String(decoding: written, as: UTF8.self)
    #expect(text.contains(#""orientation":7"#) && !text.contains(#""orientation":1"#))
    let wrong = Data(text.replacing(#""orientation":7"#, with: #""orientation":9"#).utf8)
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Transcript.self, from: wrong)
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == "An orientation is a number from 1 to 8, not 9.")
  }
}
