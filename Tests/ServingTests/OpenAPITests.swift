import Foundation
import Grammars
import JSON
import TestSupport
import Testing

@testable import Serving

@Suite(.waits) struct OpenAPITests {
  private func description(_ port: Int) throws -> JSONValue {
    let answer = try TestAnswer.of("GET", "/openapi.json", port: port)
    #expect(answer.status == 200)
    return answer.json
  }

  private func paths(_ description: JSONValue) throws -> [(path: String, item: JSONObject)] {
    try #require(description[path: "paths"]?.object).members.map {
      ($0.key, $0.value.object ?? [:])
    }
  }

  @Test func eachRouteIsDescribedAndTheReverse() async throws {
    try await ServedStore(adapters: []).serving { port in
      var described: Set<String> = []
      for (path, item) in try paths(description(port)) {
        for method in item.keys where method != "parameters" {
          described.insert("\(method.uppercased()) \(path)")
          let answer = try TestAnswer.of(
            method.uppercased(), path.prefix { $0 != "{" } + (path.hasSuffix("}") ? "x" : ""),
            port: port)
          #expect(answer.json[path: "error.code"]?.string != "route_not_found")
          #expect(answer.status != 405, "\(method) \(path)")
          let responses = item[method]?[path: "responses"]?.object
          #expect(responses?["default"] != nil)
          let isSupported = responses?["200"] != nil
          let code = answer.json[path: "error.code"]?.string
          let isRefused =
            code == "unsupported_route" || answer.body.contains("is not supported")
          #expect(isSupported == !isRefused || method == "head", "\(method) \(path)")
        }
      }
      let routes = InferenceServer.allRoutes.map {
        "\($0.method) \(OpenAPIDescription.path(of: $0))"
      }
      #expect(described == Set(routes))
    }
  }

  /// Each name by which a reader looks for a field stands in the source; samples have to reach all of them.
  @Test func eachFieldThatIsReadIsDescribed() async throws {
    let served = try await ServedStore(adapters: [])
    let description = OpenAPIDescription(server: served.server)
    var known: Set<String> = []
    for route in InferenceServer.allRoutes where route.method == "POST" {
      for path in description.log(of: route).paths {
        known.insert(String(path.split(separator: ".").last ?? ""))
      }
    }
    let source = Fixtures.repository.appendingPathComponent("Sources/Serving")
    let files = try #require(FileManager.default.enumerator(atPath: source.path))
    let call =
      /[A-Za-z\])]\.(?:string|bool|integer|number|numbers|array|object|objects|word|text)\(\s*"([a-z_]+)"/
    var read: Set<String> = []
    for case let file as String in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: source.appendingPathComponent(file), encoding: .utf8)
      guard text.contains("RequestReader") else { continue }
      for match in text.matches(of: call) { read.insert(String(match.1)) }
    }
    #expect(read.count > 60)
    // Schemas of types and words are written in the same way.
    let types: Set<String> = ["string", "array", "object", "number", "integer", "boolean"]
    #expect(read.subtracting(known).subtracting(types).sorted() == [])
  }

  /// What readers refuse is no property, and what they read has the bounds that they check.
  @Test func fieldsHaveTheirBounds() async throws {
    try await ServedStore(adapters: []).serving { port in
      let paths = try #require(description(port)[path: "paths"]?.object)
      let chat = try #require(paths["/v1/chat/completions"])
      let schema = try #require(
        chat[path: "post.requestBody.content"]?.object?["application/json"]?[path: "schema"])
      #expect(schema[path: "required"] == .array([.string("messages"), .string("model")]))
      let properties = try #require(schema[path: "properties"]?.object)
      #expect(properties["temperature"]?[path: "anyOf.0.maximum"]?.number?.double == 2)
      #expect(properties["grammar"] == nil && properties["functions"] == nil)
      let roles = properties["messages"]?[path: "items.properties.role.enum"]?.array
      #expect(roles?.count == 5)
      #expect(properties["messages"]?[path: "items.required"] == .array([.string("role")]))
    }
  }

  /// Answers and errors are as they are described.
  @Test(arguments: [
    ("GET", "/health", "", "200"), ("GET", "/v1/models", "", "200"),
    ("GET", "/lora-adapters", "", "200"), ("GET", "/openapi.json", "", "200"),
    ("GET", "/api/tags", "", "200"), ("GET", "/api/ps", "", "200"),
    ("GET", "/api/version", "", "200"),
    ("POST", "/v1/chat/completions", #""messages": [{"role": "user", "content": "a"}]"#, "200"),
    ("POST", "/v1/completions", #""prompt": "a""#, "200"),
    ("POST", "/v1/responses", #""input": "a", "max_output_tokens": 3"#, "200"),
    ("POST", "/v1/messages", #""messages": [{"role": "user", "content": "a"}]"#, "200"),
    (
      "POST", "/api/chat", #""messages": [{"role": "user", "content": "a"}], "stream": false"#,
      "200"
    ),
    ("POST", "/api/generate", #""prompt": "a", "stream": false"#, "200"),
    ("POST", "/api/show", #""verbose": false"#, "200"),
    ("POST", "/tokenize", #""content": "a""#, "200"),
    ("POST", "/detokenize", #""tokens": [5]"#, "200"),
    ("POST", "/v1/chat/completions", #""messages": 5"#, "default"),
    ("POST", "/v1/messages", #""messages": 5"#, "default"),
    ("POST", "/api/chat", #""messages": 5"#, "default"),
    ("POST", "/v1/embeddings", #""input": 5"#, "default"),
  ])
  func answersAreAsDescribed(
    _ method: String, _ path: String, _ fields: String, _ status: String
  ) async throws {
    try await ServedStore().serving { port in
      let isLimited = path.hasPrefix("/v1/") && path != "/v1/responses"
      let limit = isLimited ? #""max_tokens": 3, "# : ""
      let body =
        method == "GET" ? "" : #"{"model": "\#(ServedStore.baseName)", \#(limit)\#(fields)}"#
      let answer = try TestAnswer.of(method, path, body, port: port)
      #expect((answer.status == 200) == (status == "200"), "\(answer.body)")
      let paths = try #require(description(port)[path: "paths"]?.object)
      let responses = paths[path]?[path: "\(method.lowercased()).responses"]?.object
      let schema = try #require(
        responses?[status]?[path: "content"]?.object?["application/json"]?[path: "schema"])
      let violation = try SchemaCheck(schema).violation(of: answer.json)
      #expect(violation == nil, "\(answer.body)")
    }
  }
}
