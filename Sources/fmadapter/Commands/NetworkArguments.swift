import AdapterStore
import SystemFiles

/// Options of the commands that download.
enum NetworkArguments {
  static let allowHTTP = Flag("--allow-http", "Fetch also by plain http from other machines")
  static let tokenFromInput = Flag(
    "--token-stdin", "Read the token for the servers of the given addresses from standard input")

  static let requireDigest = Flag(
    "--require-digest", "Refuse what is downloaded unless something vouches for its bytes")

  /// True for an address; anything else is a path.
  static func isAddress(_ text: String) -> Bool {
    text.contains("://") && !HubReference.isReference(text)
      && !RegistryReference.isReference(text)
  }

  /// The user's store, with what the options and the environment say about the network.
  ///
  /// Tokens come from the user's file, from FMADAPTER_TOKEN and, for the hub, from where its own programs keep them; one
  /// from standard input is for the servers of the addresses that were typed, now or when a catalog was added. Upkeep goes
  /// on without tokens where those of the user cannot be used.
  static func store(
    _ invocation: Invocation, _ texts: [String] = [], isUpkeep: Bool = false
  ) async throws -> AdapterStore {
    let library = Library(invocation.terminal)
    let environment = invocation.terminal.environment
    let asksHub = texts.contains(where: HubReference.isReference)
    var credentials = Credentials()
    do throws(StoreError) {
      credentials = try Credentials(environment: environment)
    } catch {
      guard isUpkeep else { throw error }
      invocation.terminal.warn("no token is used: \(error.inCommand)" as ErrorText)
    }
    if invocation.arguments.has(tokenFromInput) {
      let token = try token(invocation.terminal)
      let catalogs = try library.store().catalogs().catalogs.map(\.address)
      let hub = asksHub ? [ModelHub(environment: environment).endpoint] : []
      let registries = texts.compactMap { try? RegistryReference($0) }.flatMap(\.tokenAddresses)
      let typed = texts.filter(isAddress) + hub + registries
      for address in typed.isEmpty ? catalogs.filter({ $0.hasPrefix("http") }) : typed {
        try credentials.add(token, for: address, place: "standard input")
      }
    }
    do throws(StoreError) {
      try credentials.addHubToken(environment: environment)
    } catch {
      // A broken token of a server that is not asked is no reason to fail.
      if asksHub { throw error }
    }
    let (allowsHTTP, tokens) = (invocation.arguments.has(allowHTTP), credentials)
    let terminal = invocation.terminal
    return try library.store { network in
      (network.allowsHTTP, network.allowHTTPName) = (allowsHTTP, allowHTTP.name)
      network.allowsFiles = true
      network.credentials = tokens
      network.credentialHelper = { CredentialHelper.ask($0, server: $1, environment) }
      network.waitObserver = { url, words in terminal.note("\(url): \(words)") }
    }
  }

  /// The token on standard input, for which a person is asked.
  private static func token(_ terminal: Terminal) throws -> String {
    let typed =
      terminal.inputIsTerminal
      ? try Question(text: "token:", terminal: terminal, isSecret: true).answer()
      : InputText.line(terminal)
    guard let token = typed?.trimmed, !token.isEmpty else {
      throw Failure(
        .usage,
        "standard input has no token\(remedy: "give it through a pipe or a file, as with '--token-stdin < FILE'")"
      )
    }
    // A password may have blanks, and a token that was copied over several lines has none.
    return token.contains(":") ? token : token.filter { !$0.isWhitespace }
  }
}
