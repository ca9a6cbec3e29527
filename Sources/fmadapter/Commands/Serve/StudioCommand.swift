import FoundationEssentials
import Serving

/// `studio`: a page that shows what adapters do, and the server behind it.
enum StudioCommand {
  private static let port = Option(
    "--port", .integer(0...65535), "Port (default: 8800); 0 for a free one")
  private static let folder = Option(
    "--folder", .folder,
    "Where files that are dropped on the page and what is trained there lie (default: studio in this folder)"
  )

  static let command = Command(
    name: "studio",
    summary: "See what adapters do, in a browser on this machine",
    details: [
      """
      Prints the address of a page, to be opened in a browser: one prompt to the base and to adapters, side by side; \
      prompt sets and votes; what is installed; data sets, and trainings as they go. The address has a token, without which nobody else on this machine, and no other page, can do anything here.
      """,
      """
      The page is a part of this program and asks nobody else. Whatever it does beside chats is a command of this \
      program, which it shows, and which runs in the folder of --folder. Ctrl-C ends it; a training keeps what it has \
      learnt, and the page can go on with it later. Other machines come in by a tunnel, such as \
      'ssh -L 8800:127.0.0.1:8800'.
      """,
    ],
    examples: [
      Example("fmadapter studio", "Open the address that it prints"),
      Example(
        "fmadapter studio --port 0 --folder /tmp/studio", "On a free port, with its files elsewhere"
      ),
    ],
    options: [
      ModelOptions.base, port, folder, ServerOptions.parallel, ServerOptions.cache,
      ServerOptions.baseMemory, ModelOptions.threads, ModelOptions.cache,
    ],
    knownElsewhereAs: ["ui", "webui", "gui", "web", "playground"],
    optionsKnownElsewhere: KnownElsewhere.base,
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let folder = place(arguments.value(folder) ?? "studio")
    let models = try await ServerOptions.models(invocation, adapterFolders: [folder])
    let listening = try ListeningPlaces.open(
      .address("127.0.0.1", port: arguments.value(port) ?? 8800))
    let token = Studio.newToken()
    var guarding = RequestGuard()
    guarding.setKeys(token)
    let studio = Studio(
      folder: folder,
      try OwnCommands(terminal, base: arguments.value(ModelOptions.base)))
    let server = InferenceServer(models, guarding, studio: studio)
    let run = try ServerRun(server, on: [listening], ServiceManager([:]))
    terminal.note("showing \(models.title); open this address in a browser, Ctrl-C ends it")
    terminal.print("\(ListeningPlaces.title(listening.place))/#token=\(token)")
    await run.wait(reload: {}, terminal)
    return .done
  }

  /// The folder from the root on, whether it is there or not.
  private static func place(_ folder: String) -> String {
    folder.hasPrefix("/") ? folder : "\(FileManager.default.currentDirectoryPath)/\(folder)"
  }
}
