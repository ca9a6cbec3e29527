import Foundation
import FoundationModels
import JSON
import SessionTestSupport
import Testing

struct TranscriptTests {
  private static func text(_ content: String) -> [Transcript.Segment] {
    [.text(Transcript.TextSegment(content: content))]
  }

  private let transcript = Transcript(entries: [
    .instructions(Transcript.Instructions(id: "1", segments: text("Be kind."))),
    .prompt(Transcript.Prompt(id: "2", segments: text("Hello?"))),
    .response(Transcript.Response(id: "3", assetIDs: [], segments: text("Hello!"))),
    .toolOutput(Transcript.ToolOutput(id: "4", toolName: "clock", segments: text("9:00"))),
  ])

  @Test func isACollectionOfItsEntries() {
    #expect(transcript.map(\.id) == ["1", "2", "3", "4"])
    #expect(transcript.count == 4)
    #expect(transcript[1].id == "2")
    #expect(Transcript(entries: transcript.dropFirst()).first?.id == "2")
    #expect(Transcript().isEmpty)
  }

  @Test func entriesAndSegmentsGetIdentitiesOfTheirOwn() {
    let entries = (0..<100).map { _ in Transcript.Prompt(segments: Self.text("Hello?")) }
    #expect(Set(entries.map(\.id) + entries.flatMap(\.segments).map(\.id)).count == 200)
  }
}

/// Entries with tools, schemas and structured content, by the members that Apple's Python package documents.
@Suite struct StructuredTranscriptTests {
  @Generable
  struct Weather: Equatable {
    let city: String
    let degrees: Int
  }

  private static let schema = #"""
    {"type": "object", "title": "Weather", "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
     "required": ["city", "degrees"], "additionalProperties": false, "x-order": ["city", "degrees"]}
    """#

  private static let json = #"""
    {"type": "FoundationModels.Transcript", "version": 1, "transcript": {"entries": [
      {"role": "instructions", "id": "I", "contents": [],
       "tools": [{"type": "function", "function":
         {"name": "weather", "description": "Tells the weather.", "parameters": \#(schema)}}]},
      {"role": "user", "id": "P", "contents": [{"type": "text", "id": "0", "text": "Cold?"}],
       "options": {"temperature": 0.5},
       "responseFormat": {"type": "jsonSchema", "jsonSchema": {"name": "Weather", "schema": \#(schema)}}},
      {"role": "response", "id": "C", "toolCalls":
        [{"id": "1", "name": "weather", "arguments": "{\"city\": \"Bern\"}"}]},
      {"role": "tool", "id": "1", "toolCallID": "1", "toolName": "weather",
       "contents": [{"type": "text", "id": "0", "text": "-2"}]},
      {"role": "response", "id": "R", "assets": [], "contents": [{"type": "structure", "id": "0",
        "structure": {"source": "Weather", "content": {"city": "Bern", "degrees": -2}}}]}
    ]}}
    """#

  private func read(_ json: String = Self.json) throws -> Transcript {
    try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
  }

  private func canonical(_ data: Data) throws -> String {
    try JSONDocument(parsing: Array(data)).root.text
  }

  @Test func whatWasReadIsWrittenAgainWithoutAChange() throws {
    let transcript = try read()
    #expect(try canonical(JSONEncoder().encode(transcript)) == canonical(Data(Self.json.utf8)))
  }

  @Test func entriesHaveTheirTypes() throws {
    let transcript = try read()
    let content = try GeneratedContent(json: #"{"city": "Bern", "degrees": -2}"#)
    let segment = Transcript.StructuredSegment(id: "0", source: "Weather", content: content)
    let call = Transcript.ToolCall(
      id: "1", toolName: "weather", arguments: try GeneratedContent(json: #"{"city": "Bern"}"#))
    #expect(transcript[2] == .toolCalls(Transcript.ToolCalls(id: "C", [call])))
    #expect(
      transcript[4]
        == .response(Transcript.Response(id: "R", assetIDs: [], segments: [.structure(segment)])))
    #expect(try Weather(segment.content) == Weather(city: "Bern", degrees: -2))
    guard case .instructions(let instructions) = transcript[0],
      case .prompt(let prompt) = transcript[1]
    else {
      Issue.record("other entries: \(transcript)")
      return
    }
    #expect(
      instructions.toolDefinitions == [
        Transcript.ToolDefinition(
          name: "weather", description: "Tells the weather.", parameters: Weather.generationSchema)
      ])
    #expect(prompt.responseFormat == Transcript.ResponseFormat(type: Weather.self))
    #expect(prompt.responseFormat == Transcript.ResponseFormat(schema: Weather.generationSchema))
  }

  @Generable
  struct Station: Equatable {
    @Guide(description: "What it is called") let name: String
    @Guide(description: "Metres", .range(0...4500)) let height: Double
    let weather: Weather
  }

  @Test func whatWasWrittenIsReadAsTheSame() throws {
    var calls = Transcript.ToolCalls(
      id: "C",
      [
        Transcript.ToolCall(
          id: "1", metadata: ["thought": "x", "index": 3], toolName: "station",
          arguments: try GeneratedContent(json: #"{"z": 1.0, "a": 2}"#)),
        Transcript.ToolCall(id: "2", toolName: "station", arguments: GeneratedContent(kind: .null)),
      ])
    calls.metadata = ["batch": "b", "share": 0.5]
    let tool = Transcript.ToolDefinition(
      name: "station", description: "Tells of one.", parameters: Station.generationSchema)
    let transcript = Transcript(entries: [
      .instructions(Transcript.Instructions(segments: [], toolDefinitions: [tool])),
      .prompt(
        Transcript.Prompt(
          segments: [], responseFormat: Transcript.ResponseFormat(type: Station.self))),
      .toolCalls(calls),
    ])
    let data = try JSONEncoder().encode(transcript)
    let read = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(zip(read, transcript).map { $0 == $1 } == [true, true, true])
    let readCalls = try #require(read[2].asToolCalls)
    #expect(readCalls[0].metadata["thought"] as? String == "x")
    #expect(readCalls.metadata["batch"] as? String == "b")
    var other = calls
    other.metadata = [:]
    #expect(other != calls)
  }

  private func isMarked(_ metadata: [String: GeneratedContent]) -> Bool {
    metadata["isMarked"].flatMap { try? Bool($0) } == true
  }

  @Test func metadataIsReadAsValuesAndAsContents() throws {
    let values = Transcript.Reasoning(
      id: "R", metadata: ["isMarked": true, "place": 3], segments: [])
    let contents: [String: any ConvertibleToGeneratedContent] = ["isMarked": true, "place": 3]
    let same = Transcript.Reasoning(id: "R", metadata: contents, segments: [])
    #expect(values == same)
    for entry in [values, same] {
      #expect(isMarked(entry.metadata))
      #expect(entry.metadata["isMarked"] as? Bool == true)
      #expect(entry.metadata["place"] as? Int == 3)
      #expect(entry.metadata["place"].flatMap { try? Int($0) } == 3)
      #expect(entry.metadata["place"]?.kind == .number(3))
      let (mark, place) = (entry.metadata["isMarked"], entry.metadata["place"])
      #expect(try mark.map { try Bool($0) } == true)
      #expect(try place.map { try Int($0) } == 3)
      #expect(throws: GeneratedContentError.self) { try place.map { try String($0) } }
    }
    #expect(
      !isMarked(
        Transcript.Response(metadata: contents.filter { $0.key == "place" }, segments: []).metadata)
    )
  }

  @Test func metadataIsWrittenAsValuesAndAsContents() async throws {
    typealias Usage = LanguageModelExecutorGenerationChannel.Usage
    let contents: [String: any ConvertibleToGeneratedContent] = ["isMarked": true]
    let session = LanguageModelSession(
      model: ScriptedModel([.text("yes")], [.text("yes")], [.text("yes")], [.text("yes")]))
    _ = try await session.respond(to: "One?", metadata: ["isMarked": true])
    _ = try await session.respond(to: "Two?", metadata: contents)
    _ = try await session.respond(to: Prompt("Three?"), metadata: contents)
    _ = try await session.streamResponse(metadata: contents) { "Four?" }.collect()
    var known = session.transcript.compactMap(\.asPrompt).map(\.metadata)
    known.append(Transcript.Prompt(metadata: contents, segments: []).metadata)
    let (read, written) = (
      Usage.Input(totalTokenCount: 1, cachedTokenCount: 0),
      Usage.Output(totalTokenCount: 1, reasoningTokenCount: 0)
    )
    known.append(Usage(input: read, output: written, metadata: contents).metadata)
    known.append(Usage(input: read, output: written, metadata: ["isMarked": true]).metadata)
    #expect(known.count == 7)
    #expect(known.allSatisfy { $0["isMarked"] as? Bool == true })
    let action = LanguageModelExecutorGenerationChannel.Response.Action.updateMetadata(contents)
    if case .metadata(let metadata) = action.kind {
      #expect(isMarked(metadata.values) && metadata.values["isMarked"] as? Bool == true)
    }
  }

  @Test func aFilterGivesEntriesOrATranscript() {
    let transcript = Transcript(entries: [
      .prompt(Transcript.Prompt(id: "P", segments: [])),
      .response(Transcript.Response(id: "R", segments: [])),
    ])
    let list = transcript.filter { $0.id == "R" }
    let entries: [Transcript.Entry] = list
    let whole: Transcript = transcript.filter { $0.id == "R" }
    #expect(entries.map(\.id) == ["R"])
    #expect(whole == Transcript(entries: entries))
  }

  @Test func describesCallsAndStructures() throws {
    #expect(
      try read().description == """
        Instructions: 
        Prompt: Cold?
        Tool calls: weather({"city": "Bern"})
        Tool weather: -2
        Response: {"city": "Bern", "degrees": -2}
        """)
  }

  @Test(arguments: [
    (#""arguments": "{\"city\": \"Bern\"}""#, #""arguments": "{\"city\": ""#),
    (#""arguments": "{\"city\": \"Bern\"}""#, #""arguments": "no JSON""#),
    (#""type": "function", "#, #""type": "other", "#),
    (#""type": "jsonSchema", "#, #""type": "other", "#),
    (#""source": "Weather", "#, ""),
    (#""id": "C", "#, #""id": "C", "contents": [{"type": "text", "id": "0", "text": "a"}], "#),
  ])
  func whatCannotBeKeptIsRefused(_ old: String, _ new: String) {
    let json = Self.json.replacingOccurrences(of: old, with: new)
    #expect(json != Self.json)
    #expect(throws: DecodingError.self) { try read(json) }
  }
}
