import Serving
import SystemFiles

/// `serve`: bases and adapters as models of a server.
enum ServeCommand {
  private static let keys = Option(
    "--api-key-file", .file,
    "Let only those in who have a key of this file, one on each line; SIGHUP reads it again")
  private static let noKey = Flag("--no-key", "Listen to other machines without a key")
  private static let host = Option(
    "--host", .text("name"), repeats: true,
    "A name by which other machines call this one, such as adapters.example.org; may be given again"
  )
  private static let origin = Option(
    "--allow-origin", .text("origin"), repeats: true,
    "Let pages of this site in, such as http://localhost:3000; may be given again")
  private static let log = Option(
    "--log", .word("form", ["text", "json", "none"]),
    "How each request is told of on standard error, without what it says (default: text)")

  private static let adaptersFrom = Option(
    "--adapters-from", .folder, repeats: true,
    "Let clients load adapters from this folder, and set which the base has; may be given again")

  static let command = Command(
    name: "serve",
    summary: "Answer requests over HTTP: each adapter is a model, by its name",
    details: [
      """
      Clients of OpenAI's interface work with it as they are: the base URL is http://127.0.0.1:8080/v1, a key is not \
      needed, and the model is the name of an adapter, of a base, or base+adapter, each adapter with its strength \
      behind a colon if it is another than 1. GET /v1/models lists what there is. What is installed, updated or \
      removed meanwhile is there, new or gone with the next request.
      """,
      """
      Programs that read the variables OPENAI_BASE_URL and OPENAI_API_KEY need no more than that address, and any word \
      as the key. Editors want the same: Continue as apiBase and apiKey of a model with "provider: openai", Zed as \
      api_url of a provider in openai_compatible, and it asks for the key.
      """,
      """
      Requests that come at once share the passes over the base, whatever adapters they name, and each gets the \
      text that it would get alone. What prompts begin with alike is read once, for each adapter by itself.
      """,
      """
      Only this machine is listened to, unless --listen says otherwise, and pages of other sites are refused. TLS is \
      for a proxy in front. Ctrl-C and SIGTERM let running answers come to their end; a second one ends them.
      """,
    ],
    examples: [
      Example("fmadapter serve", "Serve the base in use and all adapters"),
      Example(
        "fmadapter serve --listen 0.0.0.0 --host adapters.example.org --api-key-file keys.txt",
        "Serve other machines, with keys"),
      Example("fmadapter serve --socket /run/fmadapter.sock", "Serve a proxy on this machine"),
      Example(
        "curl http://127.0.0.1:8080/v1/responses -H 'Content-Type: application/json' "
          + #"-d '{"model": "tagging", "input": "A kite"}'"#,
        "Ask the adapter tagging by curl"),
      Example(
        #"python3 -c "from openai import OpenAI; "#
          + "print(OpenAI(base_url='http://127.0.0.1:8080/v1', api_key='none')"
          + #".responses.create(model='tagging', input='A kite').output_text)""#,
        "Ask it by OpenAI's Python client"),
    ],
    options: [
      ModelOptions.base, ListeningPlaces.listen, ListeningPlaces.port, ListeningPlaces.socket, keys,
      noKey, host, origin, ServerOptions.parallel, ServerOptions.queue, ServerOptions.cache,
      ServerOptions.baseMemory, adaptersFrom, log,
      ModelOptions.threads, ModelOptions.cache,
    ],
    knownElsewhereAs: ["server", "api", "start", "up"],
    optionsKnownElsewhere: KnownElsewhere.serve,
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let manager = ServiceManager(terminal.environment)
    let places = try ListeningPlaces(invocation, manager)
    var guarding = RequestGuard()
    guarding.hosts = hosts(arguments, places)
    guarding.origins = Set(arguments.values(origin))
    if let other = arguments.values(origin).first(where: { !RequestGuard.isOrigin($0) }) {
      throw invocation.conflict(
        "--allow-origin: \(other.printable) is no origin\(remedy: "write it as browsers do, such as http://localhost:3000, in lowercase and without a slash at its end")"
      )
    }
    let file = arguments.value(keys)
    if let file { guarding.setKeys(try keyTexts(file)) }
    try checkReach(places, guarding, invocation)
    let models = try await ServerOptions.models(
      invocation, adapterFolders: adapterFolders(arguments))
    let listening = try places.open()
    let server = InferenceServer(models, guarding, log: logging(arguments, terminal))
    let run = try ServerRun(server, on: listening, manager)
    let titles = listening.map { ListeningPlaces.title($0.place) }.joined(separator: ", ")
    terminal.note("serving \(models.title) at \(titles); Ctrl-C ends it")
    manager.tell(.ready("serving \(models.title)"))
    await run.wait(reload: { reload(file, server, terminal) }, terminal)
    return .done
  }

  /// What tells of requests; where only results are wanted none is told of unless that is asked for.
  private static func logging(
    _ arguments: ParsedArguments, _ terminal: Terminal
  ) -> @Sendable (RequestRecord) -> Void {
    switch arguments.value(log) ?? (terminal.quiet ? "none" : "text") {
    case "json": { terminal.record($0.json) }
    case "text": { terminal.record($0.line) }
    default: { _ in }
    }
  }

  /// Names that requests may have for this server; nil for any, where only this machine's own users come in.
  private static func hosts(
    _ arguments: ParsedArguments, _ places: ListeningPlaces
  ) -> Set<String>? {
    let addresses = places.addresses
    return addresses.isEmpty
      ? nil : Set((arguments.values(host) + addresses).map { $0.lowercased() })
  }

  /// - Throws: `UsageError` for what would let other machines in without a key.
  private static func checkReach(
    _ places: ListeningPlaces, _ guarding: RequestGuard, _ invocation: Invocation
  ) throws {
    guard !guarding.needsKey, !invocation.arguments.has(noKey),
      let address = places.addresses.first(where: { !RequestGuard.isLoopback($0) })
    else { return }
    throw invocation.conflict(
      "\(address) lets other machines in"
        + "\(remedy: "give keys with --api-key-file, or say --no-key if nobody else can reach it")")
  }

  private static func adapterFolders(_ arguments: ParsedArguments) throws -> [String] {
    try arguments.values(adaptersFrom).map { folder in
      let place = try FileSystem.resolved(folder)
      guard FileSystem.kind(of: place) == .directory else {
        throw Failure(.usage, "\(folder): this is no folder")
      }
      return place
    }
  }

  private static func keyTexts(_ file: String) throws -> String {
    let text = try InputText.checked(InputText.file(file), named: file)
    var guarding = RequestGuard()
    guarding.setKeys(text)
    guard guarding.needsKey else {
      throw Failure(.invalid, "\(file): there is no key in it\(remedy: "write one on each line")")
    }
    return text
  }

  private static func reload(_ file: String?, _ server: InferenceServer, _ terminal: Terminal) {
    guard let file else { return }
    do {
      server.setKeys(try keyTexts(file))
      terminal.note("\(file): read again")
    } catch {
      terminal.error(Failure(error))
    }
  }
}
