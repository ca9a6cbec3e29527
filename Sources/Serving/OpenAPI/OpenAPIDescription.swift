import JSON

/// The description of all routes, in the form of OpenAPI 3.1.
///
/// Requests are as their readers read them: what a reader looks for is found out by reading samples.
struct OpenAPIDescription {
  let server: InferenceServer

  var json: JSONObject {
    var paths: JSONObject = [:]
    for route in InferenceServer.allRoutes {
      let path = Self.path(of: route)
      var item = paths[path]?.object ?? [:]
      if let parameter = Self.parameter(of: route) { item["parameters"] = .array([parameter]) }
      item[route.method.lowercased()] = .object(operation(of: route))
      paths[path] = .object(item)
    }
    return [
      "openapi": .string("3.1.0"),
      "info": .object([
        "title": .string("Bases and adapters over HTTP"), "version": .string("1"),
        "description": .string(
          """
          Each base and each adapter is a model. Fields that are not listed are refused by their names, unless they ask for nothing: by null, \
          or a value such as false, 0 or an empty text, or, whatever they say, \(RequestReader.idle.sorted().joined(separator: ", ")).
          """
        ),
      ]),
      "paths": .object(paths),
      "components": .object([
        "securitySchemes": .object([
          "key": .object(["type": .string("http"), "scheme": .string("bearer")])
        ])
      ]),
    ]
  }

  /// What stands for all that lies in a path.
  private static func parameterName(of route: InferenceServer.Route) -> String? {
    guard route.path.count > 1, route.path.hasSuffix("/") else { return nil }
    return route.path == "/v1/models/" ? "model" : "id"
  }

  static func path(of route: InferenceServer.Route) -> String {
    parameterName(of: route).map { "\(route.path){\($0)}" } ?? route.path
  }

  private static func parameter(of route: InferenceServer.Route) -> JSONValue? {
    parameterName(of: route).map { name in
      .object([
        "name": .string(name), "in": .string("path"), "required": .bool(true),
        "schema": .object(.schema("string")),
      ])
    }
  }

  private func operation(of route: InferenceServer.Route) -> JSONObject {
    let answer = AnswerSchemas.answer(of: route)
    var responses: JSONObject = [:]
    if let answer {
      var content: JSONObject = [:]
      for (type, schema) in answer.content {
        content[type] = .object(["schema": .object(schema)])
      }
      responses["200"] = .object([
        "description": .string("The answer."), "content": .object(content),
      ])
    }
    let error: JSONObject = ["schema": .object(AnswerSchemas.error(Interface(path: route.path)))]
    responses["default"] = .object([
      "description": .string("Why there is no answer."),
      "content": .object(["application/json": .object(error)]),
    ])
    var operation: JSONObject = [
      "summary": .string(answer?.summary ?? "Not supported."), "responses": .object(responses),
    ]
    if let schema = requestSchema(of: route) {
      operation["requestBody"] = .object([
        "required": .bool(true),
        "content": .object(["application/json": .object(["schema": .object(schema)])]),
      ])
    }
    if !route.isOpen {
      operation["security"] = .array([.object([:]), .object(["key": .array([])])])
    }
    return operation
  }

  private func requestSchema(of route: InferenceServer.Route) -> JSONObject? {
    guard route.method == "POST" else { return nil }
    return log(of: route).schema
  }

  /// What the readers of a route look for.
  func log(of route: InferenceServer.Route) -> FieldLog {
    let log = FieldLog()
    FieldLog.$current.withValue(log) {
      for body in RequestSamples.bodies(route.path) {
        let request = HTTPRequest(method: route.method, path: route.path, body: Array(body.utf8))
        // None of the samples can be answered, but for tokens of texts.
        _ = try? route.action(server, request)
      }
    }
    return log
  }
}

extension InferenceServer {
  /// The route that describes all routes.
  static let descriptionRoutes = [
    Route(method: "GET", path: "/openapi.json") { server, _ in
      .json(.object(OpenAPIDescription(server: server).json))
    }
  ]
}
