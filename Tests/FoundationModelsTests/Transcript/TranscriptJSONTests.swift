import Foundation
import FoundationModels
import JSON
import SessionTestSupport
import TestSupport
import Testing

struct TranscriptJSONTests {
  private static func read(_ json: String) throws -> Transcript {
    try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
  }

  private static func document(_ entries: String, version: String = "1") -> String {
    """
    {"type": "FoundationModels.Transcript", "version": \(version), "transcript": {"entries": [\(entries)]}}
    """
  }

  /// Members in one order, so that documents can be compared.
  private static func canonical(_ bytes: some Sequence<UInt8>) throws -> String {
    try JSONDocument(parsing: Array(bytes)).root.text
  }

  @Test func applesTranscriptIsReadAndWrittenAgainWithoutAChange() throws {
    let bytes = try Fixtures.bytes("FoundationModelsTests", "transcript.json")
    let transcript = try JSONDecoder().decode(Transcript.self, from: Data(bytes))
    #expect(transcript.count == 7)
    let prompt = try #require(transcript[1].asPrompt)
    let response = try #require(transcript[2].asResponse)
    #expect(prompt.segments.first?.description == "What is 5+3?")
    #expect(prompt.options == GenerationOptions())
    #expect(response.segments.first?.id == "0")
    #expect(response.assetIDs.last == "com.apple.fm.language.instruct_3b.tokenizer")
    #expect(try Self.canonical(JSONEncoder().encode(transcript)) == Self.canonical(bytes))
  }

  @Generable
  struct Route {
    var to: String
    var from: String
    var stops: [Stop]
  }

  @Generable
  struct Stop {
    var place: String
    var minutes: Int
  }

  @Test func structuresKeepTheirOrder() throws {
    let line =
      #"{"to": "Chur", "from": "Bern", "stops": [{"place": "Olten", "minutes": 3}, {"place": "Aarau", "minutes": 2}]}"#
    let content = try GeneratedContent(json: line)
    func transcript(_ format: Transcript.ResponseFormat?) -> Transcript {
      let segment = Transcript.StructuredSegment(id: "S", source: "Route", content: content)
      return Transcript(entries: [
        .prompt(Transcript.Prompt(id: "P", segments: [], responseFormat: format)),
        .toolOutput(
          Transcript.ToolOutput(id: "T", toolName: "route", segments: [.structure(segment)])),
        .response(Transcript.Response(id: "R", assetIDs: [], segments: [.structure(segment)])),
      ])
    }
    for format in [nil, Transcript.ResponseFormat(type: Route.self)] {
      let whole = transcript(format)
      let data = try JSONEncoder().encode(whole)
      let read = try JSONDecoder().decode(Transcript.self, from: data)
      #expect(read[1].description == "Tool route: " + line)
      #expect(read[2].description == "Response: " + line)
      #expect(read == whole)
    }
    // Apple's own JSON has no order but that of the schema.
    let data = try JSONEncoder().encode(transcript(Transcript.ResponseFormat(type: Route.self)))
    let plain = Self.withoutOrder(try JSONDocument(parsing: Array(data)).root).line
    #expect(!plain.contains(#""order""#))
    let apples = try Self.read(plain)
    #expect(apples[2].description == "Response: " + line)
  }

  private static func withoutOrder(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      .object(
        JSONObject(
          object.members.filter { $0.key != "order" }.map {
            JSONObject.Member(key: $0.key, value: withoutOrder($0.value))
          }))
    case .array(let values): .array(values.map(withoutOrder))
    default: value
    }
  }

  @Test(arguments: [
    #"{"price": 3.14159265358979323846264338, "a": 1}"#,
    #"{"a": 3.14159265358979323846264338, "b": 18446744073709551615, "c": 9007199254740993}"#,
    #"{"z": 2.0, "a": 1e-7, "b": -0.1, "c": 1e300, "d": 5e-324, "e": 0.30000000000000004}"#,
    #"{"a": 0.1234567890123456789012345678901234567890123456789, "b": [1e999, -1E5]}"#,
    #"{"b": 1.2345678901234567890123e-200, "a": 123456789012345678901234567890}"#,
  ])
  func numbersKeepTheirDigits(json: String) throws {
    let content = try GeneratedContent(json: json)
    let segment = Transcript.StructuredSegment(id: "S", source: "X", content: content)
    let whole = Transcript(entries: [
      .response(Transcript.Response(id: "R", assetIDs: [], segments: [.structure(segment)]))
    ])
    let data = try JSONEncoder().encode(whole)
    let read = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(read == whole, "\(read)")
    guard case .response(let response) = read[0],
      case .structure(let structure) = response.segments[0],
      case .structure(_, let keys) = structure.content.kind,
      case .structure(_, let written) = content.kind
    else {
      Issue.record("\(read)")
      return
    }
    #expect(keys == written)
  }

  @Test func anOrderOfOtherContentDoesNotCount() throws {
    let segment =
      #"{"type": "structure", "id": "0", "structure": {"source": "A", "content": {"a": 1, "b": 2}, "order": "{\"b\": 3, \"a\": 1}"}}"#
    let read = try Self.read(
      Self.document(#"{"role": "response", "id": "R", "assets": [], "contents": [\#(segment)]}"#))
    #expect(read[0].description == #"Response: {"a": 1, "b": 2}"#)
  }

  @Test(arguments: [
    ("nothing", GenerationOptions(), "{}"),
    ("greedy", GenerationOptions(sampling: .greedy), #"{"greedy":true}"#),
    (
      "top", GenerationOptions(sampling: .random(top: 41, seed: 73), maximumResponseTokens: 256),
      #"{"maximumResponseTokens":256,"randomSeed":73,"topK":41}"#
    ),
    (
      "threshold", GenerationOptions(sampling: .random(probabilityThreshold: 0.5), temperature: 2),
      #"{"temperature":2,"topP":0.5}"#
    ),
    (
      "largest seed", GenerationOptions(sampling: .random(top: 1, seed: .max)),
      #"{"randomSeed":18446744073709551615,"topK":1}"#
    ),
  ])
  func optionsKeepTheirNames(_ name: String, _ options: GenerationOptions, _ json: String) throws {
    let prompt = Transcript.Prompt(id: "P", segments: [], options: options)
    let transcript = Transcript(entries: [.prompt(prompt)])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(transcript), as: UTF8.self)
    #expect(text.contains(#""options":\#(json)"#), "\(name)")
    #expect(try Self.read(text) == transcript)
  }

  @Test func toolOutputsKeepTheIdentityOfTheirCall() throws {
    let json = Self.document(
      #"""
      {"role": "tool", "id": "E", "toolCallID": "C", "toolName": "clock",
       "contents": [{"type": "text", "id": "0", "text": "9:00"}]}
      """#)
    let output = Transcript.ToolOutput(
      id: "C", toolName: "clock",
      segments: [.text(Transcript.TextSegment(id: "0", content: "9:00"))])
    #expect(try Self.read(json) == Transcript(entries: [.toolOutput(output)]))
  }

  @Test func laterVersionsOfTheSameKindAreRead() throws {
    let entry = #"{"role": "user", "id": "P", "contents": [], "contextOptions": {}, "options": {}}"#
    let transcript = try Self.read(Self.document(entry, version: #""1.1""#))
    #expect(transcript.map(\.id) == ["P"])
  }

  @Test(arguments: [
    ("type", #"{"type": "Other", "version": 1, "transcript": {"entries": []}}"#),
    ("version", document("", version: "2")),
    ("version as text", document("", version: #""2.0""#)),
    ("role", document(#"{"role": "alien", "id": "A", "contents": []}"#)),
    ("no identity", document(#"{"role": "user", "contents": []}"#)),
    (
      "kind of segment",
      document(#"{"role": "user", "id": "A", "contents": [{"type": "smell", "id": "0"}]}"#)
    ),
    (
      "seed below 0",
      document(#"{"role": "user", "id": "A", "options": {"randomSeed": -1, "topK": 1}}"#)
    ),
    ("no entries", #"{"type": "FoundationModels.Transcript", "version": 1}"#),
    ("no JSON", "{"),
  ])
  func whatCannotBeKeptIsRefused(_ name: String, _ json: String) {
    #expect(throws: DecodingError.self, "\(name)") { try Self.read(json) }
  }
}
