/// What manual pages say beside the declarations: variables, files and exit codes, for the commands that they matter to.
enum ManualFacts {
  /// Names that belong together, and a sentence on them.
  struct Fact {
    let names: [String]
    let text: String
    var matters: @Sendable (Command) -> Bool = { _ in true }
  }

  static func environment(of command: Command) -> [Fact] {
    variables.filter { $0.matters(command) }
  }

  static func files(of command: Command) -> [Fact] { paths.filter { $0.matters(command) } }

  /// A command that downloads, or one above such a command.
  @Sendable private static func usesNetwork(_ command: Command) -> Bool {
    has(NetworkArguments.allowHTTP.name, command)
  }

  /// A command that fetches packages or bases, or one above such a command.
  @Sendable private static func fetches(_ command: Command) -> Bool {
    let own = command.options.map(\.name)
    return own.contains(NetworkArguments.allowHTTP.name) && !own.contains(RemoteRun.server.name)
      || command.children.contains(where: fetches)
  }

  /// A command that computes, or one above such a command.
  @Sendable private static func computes(_ command: Command) -> Bool {
    has(ModelOptions.threads.name, command)
  }

  /// `run`, or the program.
  @Sendable private static func chats(_ command: Command) -> Bool {
    has(AnswerOptions.contextPolicy.name, command)
  }

  private static func has(_ option: String, _ command: Command) -> Bool {
    command.options.contains { $0.name == option } || command.children.contains { has(option, $0) }
  }

  static let jsonErrors =
    "With --json standard output holds the result or nothing, and errors and warnings are JSON objects on "
    + "standard error, one a line. Notes are left out there unless it is a terminal. The kinds of errors go "
    + "with the exit codes, and an answer that was cut has one of its own, cut; a remedy, which is the next step, or findings stand beside the message where there are some:"
  static let jsonError =
    #"{"error": {"code": 3, "kind": "notFound", "message": "x: there is no such package", "remedy": "give the path of a .fmadapter folder"}}"#

  private static let variables = [
    Fact(
      names: ["FMADAPTER_HOME"],
      text:
        "The store: the folder of adapters and bases. A relative path is taken from the working directory."
    ),
    Fact(
      names: ["XDG_DATA_HOME"],
      text:
        "The store is the folder fmadapter below it, where FMADAPTER_HOME says nothing; ~/.local/share unless set."
    ),
    Fact(
      names: ["FMADAPTER_PROGRESS"],
      text:
        "With the value json long jobs tell on standard error how far they are, as JSON objects, one a line."
    ),
    Fact(
      names: ["FMADAPTER_TOKEN", "FMADAPTER_TOKEN_HOST"],
      text:
        "A bearer token, and the one host that gets it, as HOST or HOST:PORT, such as models.my-host.example:8443.",
      matters: fetches),
    Fact(
      names: [ServerConnection.keyVariable], text: "The key for the server of --server.",
      matters: { has(RemoteRun.server.name, $0) }),
    Fact(
      names: ["XDG_CONFIG_HOME"],
      text: "Where fmadapter/tokens lies; ~/.config unless set.", matters: fetches),
    Fact(
      names: ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "DOCKER_CONFIG"],
      text:
        "Where logins to registries are: this file alone, else containers/auth.json below the second folder or XDG_CONFIG_HOME, then config.json in the third; ~/.docker unless set.",
      matters: fetches),
    Fact(
      names: ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_HOME"],
      text:
        "The token for the Hugging Face Hub: the first two are it, then a file of it, then a folder with a file token; XDG_CACHE_HOME/huggingface or ~/.cache/huggingface unless set.",
      matters: fetches),
    Fact(
      names: ["HF_HUB_DISABLE_IMPLICIT_TOKEN"], text: "1: send the hub no token of these.",
      matters: fetches),
    Fact(
      names: ["FMADAPTER_MIRROR"],
      text:
        "With install --locked, what all adapters are taken from in place of what the lock file says: the path or address of copies of the catalogs' folders, or oci://HOST/REPO.",
      matters: { has("--locked", $0) }
    ),
    Fact(
      names: ["HF_ENDPOINT"],
      text: "The address of a hub in place of https://huggingface.co.",
      matters: fetches),
    Fact(
      names: ["https_proxy", "http_proxy", "all_proxy", "no_proxy"],
      text:
        "Proxies by the scheme of the address, and the hosts that need none. All but http_proxy count in capital letters too.",
      matters: usesNetwork),
    Fact(
      names: ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"],
      text: "Certificate authorities to trust in place of the system's: a file, a file, a folder.",
      matters: usesNetwork),
    Fact(
      names: ["FMADAPTER_PYTHON"],
      text: "The Python that train --on torchrun trains with; python3 unless set.",
      matters: { has("--on", $0) }
    ),
    Fact(
      names: ["FMADAPTER_CPU"],
      text:
        "The kernels to compute with, where this machine can: plain, avx2, neon or avx512vnni. The best ones unless set.",
      matters: computes),
    Fact(
      names: ["FMADAPTER_HISTORY"],
      text:
        "The file of lines that were typed in chats, in place of the one below; empty for none.",
      matters: chats),
    Fact(
      names: ["XDG_STATE_HOME"],
      text: "Where fmadapter/history lies; ~/.local/state unless set.", matters: chats),
    Fact(names: ["NO_COLOR"], text: "Any value but the empty one: print without colour."),
    Fact(
      names: ["COLUMNS"], text: "Width of the text where the terminal does not say its own."),
    Fact(
      names: ["TERM"],
      text: "Where it is dumb, or not set, no line is drawn again and none is edited."),
    Fact(
      names: ["LC_ALL", "LC_CTYPE", "LANG"],
      text: "What is drawn is of ASCII alone unless the first of them that is set names UTF-8."),
    Fact(
      names: ["SOURCE_DATE_EPOCH"],
      text: "The day that stands on the pages, in seconds since 1970; today unless set.",
      matters: { $0.name == "man" }),
  ]

  private static let paths = [
    Fact(
      names: ["~/.local/share/fmadapter"],
      text: "The store, where neither FMADAPTER_HOME nor XDG_DATA_HOME says another place."),
    Fact(
      names: ["~/.config/fmadapter/tokens"],
      text: "Lines 'https://host TOKEN'; only its owner may be able to read it.",
      matters: fetches),
    Fact(
      names: ["~/.cache/huggingface/token"],
      text: "The token for the Hugging Face Hub, where no variable says it or another place.",
      matters: fetches),
    Fact(
      names: ["~/.local/state/fmadapter/history"],
      text: "Lines that were typed in chats, for the arrow keys; only its owner may read it.",
      matters: chats),
  ]
}

extension ExitCode {
  /// A sentence on what ended a command with this code, as all texts have it.
  var meaning: String {
    switch self {
    case .done: "Done."
    case .unexpected:
      "An answer was cut before its JSON or its call of a tool was whole, or something happened that nobody foresaw."
    case .usage:
      "The command line cannot be followed: it is not understood, leaves a choice open, asks to write over something "
        + "or for more than the context holds, or a token is unusable."
    case .notFound: "There is no such adapter, base, catalog, file or address."
    case .invalid:
      "A package, a file or a value breaks its format, data has errors, a training diverged, prompts of --input got "
        + "no whole answers, or a required figure is not reached."
    case .integrity:
      "Bytes are not those that were recorded or promised, nothing vouches for them, or they would take the place "
        + "of others."
    case .incompatible:
      "An adapter, a draft or data is not for this base, or a checkpoint not for this training or program."
    case .network: "The network or a server failed, also when tried again."
    case .storage:
      "The disk is full or read-only, permissions are missing, no store can be there, a newer program wrote it, or "
        + "there is too little memory, or there are too few threads or open files."
    case .busy: "Another process has what is needed."
    case .interrupted: "Interrupted by Ctrl-C."
    case .terminated:
      "Ended by SIGTERM, as its terminal was closed, or, as a training, because nobody reads its output any more."
    }
  }
}
