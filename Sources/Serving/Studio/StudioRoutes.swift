import JSON
import SystemFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension InferenceServer {
  /// What the page may have done beside chats, where whoever started the server wanted that.
  static let studioRoutes = [
    Route(method: "POST", path: "/studio/run") { server, http throws(ServingError) in
      try server.runCommand(http)
    },
    Route(method: "GET", path: "/studio/jobs") { server, _ throws(ServingError) in
      let jobs = try server.openStudio().jobs.map { JSONValue.object($0.json()) }
      return .json(.object(["jobs": .array(jobs)]))
    },
    Route(method: "POST", path: "/studio/jobs") { server, http throws(ServingError) in
      let job = try server.openStudio().start(words(http), isKept: true)
      return .json(.object(job.json()))
    },
    Route(method: "GET", path: "/studio/jobs/") { server, http throws(ServingError) in
      try server.job(http).map { .json(.object($0)) }
    },
    Route(method: "POST", path: "/studio/jobs/") { server, http throws(ServingError) in
      try server.change(http)
    },
    Route(method: "DELETE", path: "/studio/jobs/") { server, http throws(ServingError) in
      try server.openStudio().forget(server.named(http))
      return .json(.object(["forgotten": .bool(true)]))
    },
    Route(method: "POST", path: "/studio/estimates") { server, http throws(ServingError) in
      try server.estimate(http)
    },
    Route(method: "GET", path: "/studio/files") { server, _ throws(ServingError) in
      let files = try server.openStudio().folder.files().map(\.json)
      return .json(.object(["files": .array(files)]))
    },
    Route(method: "GET", path: "/studio/files/") { server, http throws(ServingError) in
      let bytes = try server.openStudio().folder.read(file(http))
      let fields = [
        ("Content-Type", "application/octet-stream"), ("X-Content-Type-Options", "nosniff"),
        ("Content-Disposition", "attachment"), ("Content-Security-Policy", "sandbox"),
      ]
      return HTTPResponse(200, fields, .bytes(bytes))
    },
    Route(method: "PUT", path: "/studio/files/") { server, http throws(ServingError) in
      try server.openStudio().folder.write(
        http.body, to: file(http), at: number(http, "upload-offset") ?? 0)
      return .json(.object(["written": .integer(http.body.count)]))
    },
    Route(method: "DELETE", path: "/studio/files/") { server, http throws(ServingError) in
      try server.openStudio().folder.remove(file(http))
      return .json(.object(["removed": .bool(true)]))
    },
  ]

  private func openStudio() throws(ServingError) -> Studio {
    guard let studio else {
      throw ServingError(.notFound, "There is no such route.", code: "route_not_found")
    }
    return studio
  }

  private static func words(_ http: HTTPRequest) throws(ServingError) -> [String] {
    let words = try RequestReader.root(http.body).object?["words"]?.array?.map(\.string)
    guard let words, !words.contains(nil) else {
      throw .invalid("words", "this has to be an array of texts, as after 'fmadapter'.")
    }
    return words.compactMap(\.self)
  }

  /// The file that a path names behind the route, its slashes written as `%2F`.
  private static func file(_ http: HTTPRequest) throws(ServingError) -> String {
    guard let name = String(http.path.dropFirst("/studio/files/".count)).percentDecoded else {
      throw ServingError(.invalidRequest, "The name of the file has a % that is no escape.")
    }
    return name
  }

  private static func number(_ http: HTTPRequest, _ name: String) throws(ServingError) -> Int? {
    guard let text = http[name] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw ServingError(.invalidRequest, "The field \(name) has to be a number.")
    }
    return number
  }

  private func runCommand(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse? {
    let studio = try openStudio()
    let job = try studio.start(Self.words(http), isKept: false)
    studio.wait(for: job, isGone: http.isGone)
    let (code, output, messages) = job.said
    return .json(
      .object([
        "code": .integer(Int(code)), "output": .string(output), "errors": .string(messages),
      ]))
  }

  private func named(_ http: HTTPRequest) throws(ServingError) -> StudioJob {
    let number = Int(http.path.dropFirst("/studio/jobs/".count))
    guard let job = try openStudio().jobs.first(where: { $0.number == number }) else {
      throw ServingError(.notFound, "There is no such job; the server forgets them when it ends.")
    }
    return job
  }

  /// Steps of a twentieth of a second for which somebody waits who has seen all lines.
  private static let patience = 200

  /// A job with its lines, as soon as there is one that the client has not, or another state.
  private func job(_ http: HTTPRequest) throws(ServingError) -> JSONObject? {
    let job = try named(http)
    guard let first = try Self.number(http, "lines-from") else { return job.json() }
    let state = job.progress.state
    var left = Self.patience
    while left > 0, job.progress == (first, state), state != .ended {
      if http.isGone() { return nil }
      usleep(50_000)
      left -= 1
    }
    return job.json(from: first)
  }

  private func change(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let job = try named(http)
    switch try RequestReader.root(http.body).object?["do"]?.string {
    case "stop": job.stop()
    case "pause": job.hold(true)
    case "go on": job.hold(false)
    default: throw .invalid("do", "this has to be one of stop, pause, go on.")
    }
    return .json(.object(job.json()))
  }

  /// Lists of values, and values of each, at most.
  private static let (listLimit, valueLimit) = (32, 100_000)

  private func estimate(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let program = try openStudio().program
    let lists = try RequestReader.root(http.body).object?["values"]?.array?.map { list in
      list.array?.compactMap { $0.number?.double }
    }
    guard let lists, lists.count <= Self.listLimit,
      lists.allSatisfy({ ($0?.count ?? .max) <= Self.valueLimit })
    else {
      throw .invalid(
        "values", "this has to be up to \(Self.listLimit) arrays of numbers.")
    }
    let estimates = lists.map { values -> JSONValue in
      guard let estimate = program.estimate(values ?? []) else { return .null }
      return .object([
        "value": .number(JSONNumber(estimate.value)), "low": .number(JSONNumber(estimate.low)),
        "high": .number(JSONNumber(estimate.high)), "count": .integer(values?.count ?? 0),
      ])
    }
    return .json(.object(["estimates": .array(estimates)]))
  }
}
