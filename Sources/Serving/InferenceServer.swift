import FoundationEssentials
import JSON
import LanguageModels
import Synchronization

/// Answers requests over HTTP with the models that are there.
public final class InferenceServer: Sendable {
  /// What a route does with a request.
  typealias Action = @Sendable (InferenceServer, HTTPRequest) throws(ServingError) -> HTTPResponse?

  /// A method and a path that requests can have.
  struct Route: Sendable {
    let method: String
    /// With a slash behind, all that lies in it.
    let path: String
    /// Whether it answers without a key.
    var isOpen = false
    let action: Action
  }

  let models: ServedModels
  let admission: Admission
  let metrics = ServingMetrics()
  /// What the page may have done beside chats; nil for nothing.
  let studio: Studio?
  private let guarding: Mutex<RequestGuard>
  private let routes: [String: [Route]]
  private let log: @Sendable (RequestRecord) -> Void
  /// What lists were last answered with, by their paths, and what was installed then.
  private let lists = Mutex<[String: (listing: Listing, answer: [UInt8])]>([:])

  /// A server of `models` that lets in whom `guarding` lets in; `log` is told of each request, once it is over.
  ///
  /// With a `studio` its page may do more than chat.
  package init(
    _ models: ServedModels, _ guarding: RequestGuard, studio: Studio? = nil,
    log: @escaping @Sendable (RequestRecord) -> Void = { _ in }
  ) {
    (self.models, self.studio, self.log) = (models, studio, log)
    self.guarding = Mutex(guarding)
    admission = Admission(models.options)
    let own = Self.pageRoutes + (studio == nil ? [] : Self.studioRoutes)
    routes = Dictionary(grouping: Self.allRoutes + own, by: \.path)
  }

  /// The routes for programs, which are described.
  static let allRoutes =
    [
      Route(method: "GET", path: "/health", isOpen: true) { _, _ in
        .json(.object(["status": .string("ok")]))
      },
      Route(method: "GET", path: "/metrics") { server, _ in server.scrape() },
    ] + openAIRoutes + completionsRoutes + responsesRoutes + anthropicRoutes + ollamaRoutes
    + tokenRoutes + adapterRoutes + descriptionRoutes

  /// The routes that a path has, one for each method.
  private func routes(at path: String) -> [Route] {
    if let exact = routes[path] { return exact }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex,
      slash < path.index(before: path.endIndex)
    else { return [] }
    return routes[String(path[...slash])] ?? []
  }

  /// Takes other keys, for requests that come from now on.
  package func setKeys(_ text: String) { guarding.withLock { $0.setKeys(text) } }

  /// Lets no request begin any more; those that are being answered go on, and commands keep what they have made.
  package func close() {
    admission.close()
    studio?.close()
  }

  /// Why a request is refused of which only the head has come; nil where it may go on.
  package func refusal(_ request: HTTPRequest) -> HTTPResponse? {
    let found = routes(at: request.path)
    let route = found.first { $0.method == request.method }
    request.record.note(route: found.first?.path)
    let guarding = guarding.withLock { $0 }
    do throws(ServingError) {
      let isAsked = guarding.isPreflight(request) && !found.isEmpty
      try guarding.check(request, isOpen: isAsked || route?.isOpen ?? false)
      if isAsked { return guarding.preflight(request, methods: found.map(\.method)) }
      guard route == nil else { return nil }
      throw Self.missing(request, found)
    } catch {
      return response(to: error, request, found)
    }
  }

  /// The answer to a request that ``refusal(_:)`` lets go on, or why there is none; nil where the client has gone.
  package func answer(_ request: HTTPRequest) -> HTTPResponse? {
    let found = routes(at: request.path)
    guard let route = found.first(where: { $0.method == request.method }) else {
      return refusal(request)
    }
    do throws(ServingError) {
      var response = try route.action(self, request)
      response?.fields += guarding.withLock { $0 }.fields(for: request)
      return response
    } catch {
      return response(to: error, request, found)
    }
  }

  /// Counts a request that is over.
  package func ended(_ record: RequestRecord) {
    metrics.note(record.facts)
    log(record)
  }

  private func response(
    to error: ServingError, _ request: HTTPRequest, _ found: [Route]
  ) -> HTTPResponse {
    var response = HTTPResponse.json(
      .object(Interface(path: request.path).body(of: error)), status: error.kind.status)
    response.fields += fields(of: error, found) + guarding.withLock { $0 }.fields(for: request)
    return response
  }

  private static func missing(_ request: HTTPRequest, _ found: [Route]) -> ServingError {
    guard found.isEmpty else {
      let methods = found.map(\.method).joined(separator: ", ")
      return ServingError(.methodNotAllowed, "This path is there for \(methods).")
    }
    return ServingError(.notFound, "There is no such route.", code: "route_not_found")
  }

  private func fields(of error: ServingError, _ found: [Route]) -> [(name: String, value: String)] {
    switch error.kind {
    case .unauthorized: [("WWW-Authenticate", "Bearer")]
    case .methodNotAllowed: [("Allow", found.map(\.method).joined(separator: ", "))]
    case .overloaded, .unavailable: [("Retry-After", "1")]
    default: []
    }
  }
}

extension InferenceServer {
  /// What the list at `path` is answered with: a thousand models take longer to write than to send, so `make` does it only where something
  /// was installed or removed, or where clients have loaded or set any.
  func listed(
    _ path: String, _ make: () throws(ServingError) -> JSONValue
  ) throws(ServingError) -> HTTPResponse {
    guard models.loaded.all.isEmpty, models.scales.scales.isEmpty else { return .json(try make()) }
    let listing = try models.listing()
    let known = lists.withLock { $0[path].flatMap { $0.listing === listing ? $0.answer : nil } }
    let answer: [UInt8]
    if let known { answer = known } else { answer = Array(try make().line.utf8) }
    if known == nil { lists.withLock { $0[path] = (listing, answer) } }
    return HTTPResponse(200, [("Content-Type", "application/json")], .bytes(answer))
  }

  /// The run that answers `request` by the model of this name, once it has its place; nil where the client went away.
  func run(
    _ request: GenerationRequest, model name: String, count: Int = 1, _ http: HTTPRequest
  ) throws(ServingError) -> GenerationRun? {
    try run(request, on: models.model(named: name, lora: request.lora), count: count, http)
  }

  /// The run that answers `request` by `model`, once it has its place; nil where the client went away.
  func run(
    _ request: GenerationRequest, on model: ServedModel, count: Int = 1, _ http: HTTPRequest
  ) throws(ServingError) -> GenerationRun? {
    let prompt = try GenerationPrompt(request, model)
    let jobs = (0..<count).map { GenerationRun.Job(request: request, prompt: prompt, index: $0) }
    return try run(jobs, on: model, http)
  }

  /// The run that does `jobs`, of which there is one at least, by `model`; as many at once as fit into half of the memory.
  func run(
    _ jobs: [GenerationRun.Job], on model: ServedModel, _ http: HTTPRequest
  ) throws(ServingError) -> GenerationRun? {
    http.record.note(model)
    if jobs.contains(where: { !model.acts(on: $0.prompt.tokens) }) { http.record.noteInactive() }
    let pool = model.base.pool
    let most = jobs.map { $0.prompt.tokens.count + $0.prompt.limit }.max() ?? 0
    let bytes = max(1, pool.bytes(ofTokens: most))
    let room = models.options.cacheBytes / 2 / bytes
    let atOnce = max(1, min(jobs.count, models.options.width, room))
    let begin = ContinuousClock.now
    let place = try admission.enter(
      client: guarding.withLock { $0 }.sender(of: http), model: model.label, adapters: model.names,
      bytes: bytes * atOnce,
      answers: atOnce, isGone: http.isGone)
    http.record.note(queue: begin.duration(to: .now))
    guard let place else { return nil }
    return try GenerationRun(
      jobs, model, atOnce: atOnce, place: place, metrics, http.record, isGone: http.isGone)
  }
}
