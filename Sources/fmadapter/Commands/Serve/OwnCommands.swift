import AdapterStore
import AdapterTraining
import Glibc
import FoundationEssentials
import Serving
import SystemFiles

/// The commands of this program that the studio's page may run, each as a program of its own in the studio's folder.
struct OwnCommands: StudioProgram {
  /// Those that look at what is there, change the store, or make something in the folder.
  private static let allowed: Set<String> = [
    "list", "info", "check", "install", "update", "remove", "df", "verify", "base list",
    "catalog list", "catalog show", "catalog add", "catalog remove", "data check", "data stats",
    "data render", "train", "diff",
  ]

  private let environment: [String: String]
  /// The base that the studio was started with; nil for the one in use.
  private let base: String?

  /// Commands in the environment of `terminal`, whose store they share; `base` is one that was named.
  init(_ terminal: Terminal, base: String?) throws {
    let here = FileManager.default.currentDirectoryPath
    var environment = terminal.environment
    environment["FMADAPTER_HOME"] = try StoreLocation.root(
      environment: environment, directory: here)
    environment["FMADAPTER_PROGRESS"] = "json"
    environment["NO_COLOR"] = "1"
    self.environment = environment
    self.base = base.map { Library.isBasePath($0) && !$0.hasPrefix("/") ? "\(here)/\($0)" : $0 }
  }

  func refusal(of words: [String]) -> String? {
    do throws(UsageError) {
      guard case .run(_, let path, let arguments) = try ArgumentParser(root: .root).parse(words),
        Self.allowed.contains(path.joined(separator: " "))
      else { return "this command is not one that the studio runs." }
      guard !arguments.has(NetworkArguments.tokenFromInput) else {
        return "nobody can type for a command that the studio runs."
      }
      let texts = [arguments.options, arguments.arguments].flatMap { $0.values.joined() }
      return texts.contains(where: Self.leadsOut)
        ? "a path has to lie in the folder of the studio, and begin there." : nil
    } catch {
      return "\(Failure(error).text.problem)."
    }
  }

  /// Whether the value of an option, or any other word, is a path that leads out of the folder.
  private static func leadsOut(_ text: String) -> Bool {
    text.hasPrefix("/") || text.hasPrefix("~") || text.lowercased().hasPrefix("file:")
      || text.split(separator: "/").contains("..")
  }

  func start(
    _ words: [String], in folder: String, told: @escaping @Sendable (StudioEvent) -> Void
  ) -> (any StudioProcess)? {
    let program = TerminalControl.ChildProgram(
      path: TerminalControl.ownPath, words: ["fmadapter"] + completed(words), environment,
      folder: folder)
    return TerminalControl.RunningProgram.start(program) { event in
      switch event {
      case .output(let bytes): told(.output(bytes))
      case .error(let bytes): told(.message(bytes))
      case .ended(let status): told(.ended(status))
      }
    }
  }

  /// The words with the base of the studio, where it was named and the command takes one and has none.
  private func completed(_ words: [String]) -> [String] {
    guard let base,
      case .run(let command, _, let arguments)? = try? ArgumentParser(root: .root).parse(words),
      command.options.contains(where: { $0.name == ModelOptions.base.name }),
      !arguments.has(ModelOptions.base)
    else { return words }
    return words + [ModelOptions.base.name, base]
  }

  func estimate(_ values: [Double]) -> StudioEstimate? {
    Bootstrap(seed: 0).mean(of: values).map {
      StudioEstimate(value: $0.value, low: $0.low, high: $0.high)
    }
  }
}

extension TerminalControl.RunningProgram: StudioProcess {
  func stop() {
    send(SIGINT)
    send(SIGCONT)
  }

  func pause() { send(SIGSTOP) }

  func goOn() { send(SIGCONT) }
}
