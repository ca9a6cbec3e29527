import Foundation
import FoundationModels
import TestSupport
import Testing

@testable import ModelServers

/// What a server answers, request by request; the last answer stays.
struct ChatScenario: Encodable {
  struct Answer: Encodable {
    var status = 200
    var headers = ["Content-Type": "text/event-stream"]
    var pieces: [String] = []
    var cut = false
    var hang = false

    /// A stream of events with these data.
    static func stream(_ events: String..., cut: Bool = false, hang: Bool = false) -> Answer {
      Answer(pieces: events.map { "data: \($0)\n\n" }, cut: cut, hang: hang)
    }

    /// A stream of events that say their own kind, as both newer interfaces send them.
    static func events(_ events: String..., cut: Bool = false, hang: Bool = false) -> Answer {
      let pieces = events.map { event in
        let type = event.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
        return "event: \(type)\ndata: \(event)\n\n"
      }
      return Answer(pieces: pieces, cut: cut, hang: hang)
    }

    static func json(_ status: Int, _ body: String, _ headers: [String: String] = [:]) -> Answer {
      Answer(
        status: status,
        headers: ["Content-Type": "application/json"].merging(headers) { $1 }, pieces: [body])
    }
  }

  var answers: [Answer]

  init(answers: [Answer]) { self.answers = answers }
}

/// Events of a server's stream.
enum ChatEvent {
  static let done = "[DONE]"

  static func text(_ text: String) -> String { delta(#"{"content": "\#(text)"}"#) }

  static func delta(_ delta: String, finish: String? = nil) -> String {
    let finish = finish.map { "\"\($0)\"" } ?? "null"
    return
      #"{"id": "c", "model": "tiny-1", "choices": [{"index": 0, "delta": \#(delta), "finish_reason": \#(finish)}]}"#
  }

  static func end(_ reason: String = "stop") -> String { delta("{}", finish: reason) }

  static func call(_ index: Int, id: String? = nil, name: String? = nil, _ arguments: String)
    -> String
  {
    let id = id.map { #""id": "\#($0)", "type": "function", "# } ?? ""
    let name = name.map { #""name": "\#($0)", "# } ?? ""
    let text = arguments.replacing("\"", with: "\\\"")
    return delta(
      #"{"tool_calls": [{"index": \#(index), \#(id)"function": {\#(name)"arguments": "\#(text)"}}]}"#
    )
  }

  static func usage(_ read: Int, cached: Int, _ written: Int, thought: Int) -> String {
    #"{"model": "tiny-1", "choices": [], "usage": {"prompt_tokens": \#(read), "completion_tokens": \#(written), "#
      + #""prompt_tokens_details": {"cached_tokens": \#(cached)}, "#
      + #""completion_tokens_details": {"reasoning_tokens": \#(thought)}}}"#
  }
}

/// A server on this machine that plays scenarios.
final class TestChatServer: Sendable {
  static let shared = Result { try TestChatServer() }

  /// A request as the server got it.
  struct Request: Decodable, Sendable {
    let scenario: String
    let path: String
    let headers: [String: String]
    let body: String
  }

  let port: Int
  private let process: ServerProcess
  private let log: URL

  private init() throws {
    log = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fmadapter-test-\(UUID().uuidString).log")
    let script = Fixtures.repository.appendingPathComponent("Tests/ChatServer/chat_server.py")
    process = try ServerProcess(ServerProcess.require("python3"), [script.path, log.path])
    port = try #require(Int(try process.line()))
  }

  /// The address at which `scenario` is played; `mark` tells apart those that are alike.
  func url(_ scenario: ChatScenario, mark: String) throws -> URL {
    let data = try JSONEncoder().encode(Marked(answers: scenario.answers, mark: mark))
    let text = data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    return try #require(URL(string: "http://127.0.0.1:\(port)/\(text)/v1"))
  }

  private struct Marked: Encodable {
    let answers: [ChatScenario.Answer]
    let mark: String
  }

  /// The requests to `url` so far.
  func requests(of url: URL) throws -> [Request] {
    try all().filter { $0.scenario == url.pathComponents[1] && $0.path != "gone" }
  }

  /// All that the server has noted, also that clients have gone.
  func all() throws -> [Request] {
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    // Behind the last end of a line is a request to another scenario, which is being noted.
    let whole = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
    return try whole.split(separator: "\n").map {
      try JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }
  }
}

/// A model whose server plays a scenario, and what it was asked.
struct Played<Model: ServerModel> {
  let server: TestChatServer
  let url: URL
  var model: Model

  init(
    _ answers: ChatScenario.Answer..., key: String? = nil, mark: String = #function,
    change: (inout ServerOptions) -> Void = { _ in }
  ) throws {
    server = try TestChatServer.shared.get()
    url = try server.url(ChatScenario(answers: answers), mark: mark + UUID().uuidString)
    var options = ServerOptions()
    change(&options)
    model = Model(name: "tiny", url: url, key: key, options: options)
    model.served.environment = ["FMADAPTER_WAIT_SCALE": "0.01"]
  }

  /// The server as texts and transcripts name it.
  var origin: String { "http://127.0.0.1:\(server.port)" }

  var requests: [TestChatServer.Request] { get throws { try server.requests(of: url) } }

  /// The JSON of request `index`.
  func body(_ index: Int = 0) throws -> [String: Any] {
    let body = try requests[index].body
    return try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
  }
}

typealias PlayedModel = Played<ChatCompletionsModel>

/// A value that models are asked for.
@Generable
struct City: Equatable {
  var name: String
  @Guide(.range(0...100)) var age: Int
}

/// A tool that models are given.
struct Weather: Tool {
  let name = "weather"
  let description = "Tells the weather."

  @Generable
  struct Arguments { @Guide(description: "Where") var city: String }

  func call(arguments: Arguments) async throws -> String { "rain in \(arguments.city)" }
}

/// A conversation that shows an image.
func transcript(of address: String) throws -> Transcript {
  let image = Transcript.ImageAttachment(imageURL: try #require(URL(string: address)))
  let segment = Transcript.AttachmentSegment(content: .image(image))
  return Transcript(entries: [
    .prompt(
      Transcript.Prompt(segments: [
        .text(Transcript.TextSegment(content: "What is it?")), .attachment(segment),
      ]))
  ])
}
