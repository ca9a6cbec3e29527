import Dispatch
import FoundationEssentials
import Glibc
import Kernels
import SystemFiles

/// Version of the program, by Semantic Versioning.
let programVersion = "0.1.0"

/// The line of `--version`: with the commit that was built, where whoever built it has said so.
func versionLine(commit: String?) -> String {
  "fmadapter \(programVersion) (\(commit.map { "commit \($0)" } ?? "unknown commit"))"
}

@main
struct Main {
  static func main() async {
    AddressSpace.save()
    AddressSpace.growStacks()
    TerminalControl.fillClosedStreams()
    TerminalControl.dieOnClosedPipe()
    let words = Array(CommandLine.arguments.dropFirst())
    let environment = ProcessInfo.processInfo.environment
    let program = Program(environment: environment, perform: perform)
    guard !CommandLine.arguments.isEmpty else { exit(program.refuseUnread().rawValue) }
    let raw = TerminalControl.rawTexts(variables: ["FMADAPTER_HOME"])
    if let problem = RawText.problem(in: raw) { exit(program.refuse(words, problem).rawValue) }
    exit(await program.run(words).rawValue)
  }

  /// Descriptors for what the runtime opens by itself, which it does not check, and for the first files.
  private static let reserve = 16
  /// Threads and addresses for what the runtime starts by itself; where it gets none, it waits for ever.
  private static let (threads, room) = (4, 64 << 20)

  /// Does the work of a command until it ends, fails, or is interrupted.
  private static func perform(_ work: @escaping Program.Work) async throws -> ExitCode {
    guard TerminalControl.hasDescriptors(reserve) else {
      throw Failure(
        .storage,
        "Too many open files: \(reserve) more are needed to begin with"
          + "\(remedy: "close some programs, or raise the limit, for one with 'ulimit -n 1024'")")
    }
    guard PageMemory(reserving: room) != nil else { throw Failure.noMemory(room, "to begin with") }
    guard WorkerPool.canStart(threads), Interruption.shared.install() else {
      throw Failure(
        .storage,
        "Too few threads: \(threads) more are needed to begin with"
          + "\(remedy: "end some programs, or raise the limit, for one with 'ulimit -u 4096'")")
    }
    let job = Task { @concurrent in
      // The runtime opens what it needs for the timers of a clock with the first one that has to be waited for, and traps
      // where it cannot.
      try? await Task.sleep(for: .milliseconds(1), clock: .continuous)
      try? await Task.sleep(for: .milliseconds(1), clock: .suspending)
      return try await work()
    }
    Interruption.shared.onEnding { job.cancel() }
    hold(until: job)
    let result = await job.result
    if let ending = Interruption.shared.ending { return ending }
    // Whatever was made of a mapped file that was cut meanwhile, it is not the file's content.
    if let path = MappedFile.firstCut { throw FileError.changed(path: path) }
    return try result.get()
  }

  /// Holds this very thread: left to Dispatch, the main thread would take all signals.
  private static func hold(until job: Task<ExitCode, any Error>) {
    let hasEnded = DispatchSemaphore(value: 0)
    Task { @concurrent in
      _ = await job.result
      hasEnded.signal()
    }
    hasEnded.wait()
  }
}

/// From the words of a command line to an exit code.
struct Program: Sendable {
  typealias Work = @Sendable () async throws -> ExitCode

  let environment: [String: String]
  var streams = StandardStreams()
  /// Does the work of a command, with what a process has to do before and after.
  let perform: @Sendable (@escaping Work) async throws -> ExitCode

  /// The terminal for what cannot be parsed, which is reported as it was asked for, as far as that can be told.
  private func plainTerminal(_ words: [String]) -> Terminal {
    let said = Set(words.prefix { $0 != "--" })
    return Terminal(
      environment: environment, noColor: said.contains(CommonOptions.noColor.name),
      json: said.contains("--json"), streams: streams)
  }

  /// Says why `words` are not even looked at.
  func refuse(_ words: [String], _ problem: UsageError.Problem) -> ExitCode {
    report(UsageError(command: "", problem: problem), plainTerminal(words))
  }

  /// Says that there are no words to look at, not even the program's own name: the runtime reads them from /proc.
  func refuseUnread() -> ExitCode {
    let reason: ErrorText =
      "the words of the command line cannot be read\(remedy: "mount /proc where this is run")"
    return Failure(.storage, reason).report(plainTerminal([]))
  }

  func run(_ words: [String]) async -> ExitCode {
    let plain = plainTerminal(words)
    do {
      switch try ArgumentParser(root: .root).parse(words) {
      case .version: plain.print(versionLine(commit: TerminalControl.builtCommit))
      case .help(let command, let path): help(command, path, plain).forEach(plain.print)
      case .run(let command, let path, let arguments):
        return await run(command, path, arguments)
      }
      return .done
    } catch {
      return report(error, plain)
    }
  }

  /// Says what a command line lacks; where that is the command itself, by the whole help.
  private func report(_ error: UsageError, _ terminal: Terminal) -> ExitCode {
    guard error.problem == .missingCommand, !terminal.json else {
      return Failure(error).report(terminal)
    }
    let path = error.command.split(separator: " ").map(String.init)
    let command = path.reduce(Command.root) { command, name in
      command.children.first { $0.name == name } ?? command
    }
    help(command, path, terminal).forEach(terminal.say)
    return .usage
  }

  private func run(
    _ command: Command, _ path: [String], _ arguments: ParsedArguments
  ) async -> ExitCode {
    let terminal = Terminal(
      environment: environment, quiet: arguments.has(CommonOptions.quiet),
      noColor: arguments.has(CommonOptions.noColor), json: arguments.has(CommonOptions.json),
      streams: streams)
    let name = path.joined(separator: " ")
    let invocation = Invocation(commandName: name, arguments: arguments, terminal: terminal)
    MemoryShortage.endsProcess { bytes in
      let code = Failure.noMemory(bytes, "in the middle of the work").report(terminal)
      TerminalControl.giveKeysBack()
      _exit(code.rawValue)
    }
    do {
      return try await perform {
        guard let action = command.action else {
          throw UsageError(command: name, problem: .missingCommand)
        }
        return try await action(invocation)
      }
    } catch let error as UsageError {
      return report(error, terminal)
    } catch {
      return Failure(error).report(terminal)
    }
  }

  private func help(_ command: Command, _ path: [String], _ terminal: Terminal) -> [Line] {
    HelpText(command: command, path: path, columns: terminal.columns).lines
  }
}

extension Command {
  /// The whole program.
  static let root = Command(
    name: "fmadapter",
    summary: "Install, check, train and run Foundation Models adapters (.fmadapter)",
    details: [
      """
      An adapter is a small set of changes to one base, a language model. So install a base \
      first. 'fmadapter base list --suggest' names others; \(Bundled.baseName), which is included, is for \
      trying things out without a network.
      """
    ],
    examples: [
      Example(
        "fmadapter base install smollm2-135m", "Install a small published model, of 98 MB"),
      Example(
        "fmadapter install tagging",
        "An adapter for it; \(Bundled.adapterNames.joined(separator: ", ")) are included"),
      Example(
        "fmadapter run tagging \"We took the night train to the mountains.\"", "Ask it something"),
    ],
    subcommands: [
      CommandGroup(
        title: "Adapters",
        commands: [
          InstallCommand.command, ListCommand.command, InfoCommand.command, CheckCommand.command,
          RemoveCommand.command, UpdateCommand.command, LockCommand.command,
        ]),
      CommandGroup(
        title: "Catalogs",
        commands: [CatalogCommand.command, PublishCommand.command, SignCommand.command]),
      CommandGroup(
        title: "Store",
        commands: [
          VerifyCommand.command, PruneCommand.command, DiskUsageCommand.command,
          DoctorCommand.command,
        ]),
      CommandGroup(
        title: "Run",
        commands: [
          RunCommand.command, MergeAnswersCommand.command, ServeCommand.command,
          StudioCommand.command, CompileCommand.command, DraftCommand.command,
        ]),
      CommandGroup(
        title: "Training",
        commands: [
          DataCommand.command, TrainCommand.command, EvalCommand.command,
          TrainDraftCommand.command,
        ]),
      CommandGroup(
        title: "Exchange",
        commands: [
          ImportCommand.command, ExportCommand.command, MergeCommand.command, DiffCommand.command,
        ]),
      CommandGroup(title: "Bases", commands: [BaseCommand.command]),
      CommandGroup(
        title: "Tools",
        commands: [
          TokenizeCommand.command, RenderCommand.command, LogitsCommand.command,
          BenchCommand.command, CompletionsCommand.command, ManCommand.command,
        ]),
    ])
}
