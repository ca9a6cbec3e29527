import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct TokenRoutesTests {
  private func ask(_ path: String, _ body: String, _ port: Int) throws -> TestAnswer {
    try TestAnswer.of("POST", path, body, port: port)
  }

  @Test func textsComeBack() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let text = "Hello, w\u{f6}rld \u{1F44D}"
      for (request, key) in [
        (#"{"content": "\#(text)"}"#, "content"),
        (#"{"model": "tagging", "prompt": "\#(text)", "add_special_tokens": false}"#, "prompt"),
      ] {
        let tokens = try #require(try ask("/tokenize", request, port).json[path: "tokens"])
        let back = try ask("/detokenize", #"{"tokens": \#(tokens.line)}"#, port).json
        #expect(back[path: key]?.string == text)
      }
    }
  }

  @Test func piecesAreTextsOrBytes() async throws {
    try await ServedStore(adapters: []).serving { port in
      let answer = try ask("/tokenize", #"{"content": "a \#u{1F44D}", "with_pieces": true}"#, port)
      let pieces = try #require(answer.json[path: "tokens"]?.array).compactMap { $0[path: "piece"] }
      let bytes = pieces.flatMap { piece in
        piece.string.map { Array($0.utf8) }
          ?? piece.array?.compactMap { $0.integer.map(UInt8.init) } ?? []
      }
      // Some tokenizers put a space in front of a text.
      #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("a \u{1F44D}"))
    }
  }

  @Test func chatsAreCountedAsTheyAreRead() async throws {
    let messages = #""messages": [{"role": "user", "content": "Hi"}]"#
    try await ServedStore(adapters: []).serving { port in
      let count = try ask("/tokenize", "{\(messages)}", port).json[path: "count"]
      let answer = try ask(
        "/v1/chat/completions", #"{"model": "afm-9m", "max_tokens": 1, \#(messages)}"#, port)
      #expect(count?.integer ?? 0 > 0 && count == answer.json[path: "usage.prompt_tokens"])
    }
  }

  @Test(arguments: [
    ("/tokenize", "{}", "content"),
    ("/tokenize", #"{"content": "a", "prompt": "a"}"#, "content"),
    ("/tokenize", #"{"prompt": "a", "with_pieces": 5}"#, "with_pieces"),
    ("/tokenize", #"{"content": "a", "return_token_strs": 5}"#, "return_token_strs"),
    ("/tokenize", #"{"content": "a", "messages": 5}"#, "messages"), ("/detokenize", "{}", "tokens"),
    ("/detokenize", #"{"tokens": [-1]}"#, "tokens[0]"),
    ("/detokenize", #"{"tokens": [1, 9999999]}"#, "tokens[1]"),
  ])
  func whatIsWrongIsNamed(_ path: String, _ body: String, _ field: String) async throws {
    try await ServedStore(adapters: []).serving { port in
      let answer = try ask(path, body, port)
      #expect(answer.status == 400 && answer.json[path: "error.param"]?.string == field)
    }
  }

  @Test func aModelIsFoundByItsName() async throws {
    try await ServedStore(adapters: ["tagging"]).serving { port in
      let card = try TestAnswer.of("GET", "/v1/models/tagging", port: port)
      #expect(card.json[path: "id"]?.string == "tagging")
      #expect(card.json[path: "parent"]?.string == ServedStore.baseName)
      #expect(try TestAnswer.of("GET", "/v1/models/nobody", port: port).status == 404)
    }
  }
}
