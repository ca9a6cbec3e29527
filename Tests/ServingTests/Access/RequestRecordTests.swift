import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct RequestRecordTests {
  private static let chat =
    #"{"model": "tagging", "max_tokens": 3, "temperature": 0, "messages": [{"role": "user", "content": "A secret word"}]}"#

  private func object(_ record: RequestRecord) throws -> JSONObject {
    try #require(JSONDocument(parsing: Array(record.json.utf8)).root.object)
  }

  @Test func anAnswerIsToldOfByItsFigures() async throws {
    let served = try await ServedStore()
    try await served.serving { port in
      let answer = try TestAnswer.of("POST", "/v1/chat/completions", Self.chat, port: port)
      let record = await served.log.records(1)[0]
      let object = try object(record)
      #expect(object["status"]?.integer == 200 && object["complete"] == .bool(true))
      #expect(object["method"]?.string == "POST" && object["client"]?.string == "127.0.0.1")
      #expect(object["route"]?.string == "/v1/chat/completions")
      let label = try served.models.model(named: "tagging").label
      #expect(object["model"]?.string == label)
      let usage = try #require(answer.json[path: "usage"])
      #expect(object["prompt_tokens"] == usage[path: "prompt_tokens"])
      #expect(object["completion_tokens"] == usage[path: "completion_tokens"])
      #expect(object["cached_tokens"] == usage[path: "prompt_tokens_details.cached_tokens"])
      let first = try #require(object["time_to_first_token_seconds"]?.number?.double)
      let whole = try #require(object["duration_seconds"]?.number?.double)
      #expect(first > 0 && first <= whole)
      #expect(answer.head.contains("X-Request-Id: \(record.identity)"))
      for text in [record.json, record.line] { #expect(!text.contains("secret")) }
      let words = record.line.split(separator: " ")
      #expect(words[1...4] == ["127.0.0.1", "POST", "/v1/chat/completions", "200"])
      #expect(words.contains("model=\(label)") && words.last == "id=\(record.identity)")
    }
  }

  /// Nothing of what was sent is told where it is no route and no identity of ours.
  @Test func whatIsRefusedIsToldOfWithoutItsWords() async throws {
    let served = try await ServedStore(adapters: [])
    try await served.serving { port in
      _ = try TestAnswer.of("GET", "/secret", port: port)
      _ = try TestAnswer.of("GET", "/health", fields: ["X-Request-Id: a b\"c"], port: port)
      _ = try TestAnswer.of("GET", "/health", fields: ["X-Request-Id: trace_1-A"], port: port)
      let connection = try TestConnection(port: port)
      connection.send("SECRET\r\n\r\n")
      _ = connection.receiveAll()
      let records = await served.log.records(4)
      #expect(records.map { $0.facts.status } == [404, 200, 200, 400])
      #expect(records.map { $0.facts.route } == [nil, "/health", "/health", nil])
      #expect(records[2].identity == "trace_1-A")
      for record in records {
        #expect(!(record.line + record.json).lowercased().contains("secret"))
        #expect(!record.line.contains("\""))
      }
    }
  }

  /// All of it is handed out before the first pass that gives logits, of which there is none.
  @Test func whatHasToComeHasAFirstToken() async throws {
    let served = try await ServedStore(adapters: [])
    try await served.serving { port in
      let body =
        #"{"model": "afm-9m", "messages": [{"role": "user", "content": "a"}], "max_tokens": 6, "structured_outputs": {"choice": ["abc abc abc abc abc"]}}"#
      _ = try TestAnswer.of("POST", "/v1/chat/completions", body, port: port)
      let facts = await served.log.records(1)[0].facts
      #expect(facts.usage.generated > 0 && facts.firstToken != nil, "\(facts)")
    }
  }

  @Test func anAnswerThatNobodyTookIsCut() async throws {
    let served = try await ServedStore()
    try await served.serving { port in
      let body =
        #"{"model": "afm-9m", "stream": true, "messages": [{"role": "user", "content": "Count."}], "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "array", "minItems": 200, "items": {"type": "integer"}}}}}"#
      let connection = try TestConnection(port: port)
      connection.send(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      _ = connection.receive()
      connection.reset()
      let record = await served.log.records(1)[0]
      #expect(record.line.hasSuffix(" cut") && record.facts.usage.generated > 0)
      #expect(try object(record)["complete"] == .bool(false))
    }
  }

  /// The base answers alone where the prompt does not have the invocation; whoever asks has to know.
  @Test(arguments: [true, false]) func anAdapterThatDoesNotActIsToldOf(_ acts: Bool) async throws {
    let served = try await ServedStore(adapters: [])
    let base = served.models.base
    try await served.installActivated(
      invocation: acts ? base.renderer.answerOpening : [5, 6, 7, 8, 9])
    try await served.serving { port in
      let body = Self.chat.replacing("tagging", with: "activated")
      let answer = try TestAnswer.of("POST", "/v1/chat/completions", body, port: port)
      #expect(answer.head.contains("X-Adapter-Active: false") == !acts)
      let record = await served.log.records(1)[0]
      #expect(record.line.contains(" inactive id=") == !acts)
      #expect(try object(record)["adapter_active"] == .bool(acts))
    }
  }

  @Test func namesThatAreSeveralWordsAreQuoted() {
    let record = RequestRecord(client: "local", method: "GET")
    record.note(model: "my \"base\"\n", base: "base")
    #expect(record.line.contains(#"model="my \"base\"\n" in=0"#))
  }
}
