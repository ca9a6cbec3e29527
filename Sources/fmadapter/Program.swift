/// From the words of a command line to an exit code.
struct Program: Sendable {
  let environment: [String: String]

  /// Descriptors for what the runtime opens by itself, which it does not check, and for the first files.
  private static let reserve = 16

  func run(_ words: [String]) async -> ExitCode {
    TerminalControl.dieOnClosedPipe()
    let plain = Terminal(environment: environment, noColor: words.contains("--no-color"))
    do {
      switch try ArgumentParser(root: .root).parse(words) {
      case .version: plain.print("fmadapter \(programVersion)")
      case .help(let command, let path): plain.write(help(command, path, plain))
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
    if error.problem == .missingCommand {
      let path = error.command.split(separator: " ").map(String.init)
      let command = path.reduce(Command.root) { command, name in
        command.children.first { $0.name == name } ?? command
      }
      terminal.writeError(help(command, path, terminal))
    } else {
      terminal.error("\(error)\n\(error.hint)")
    }
    return .usage
  }

  /// Runs a command until it ends, fails, or is interrupted.
  private func run(
    _ command: Command, _ path: [String], _ arguments: ParsedArguments
  ) async -> ExitCode {
    let terminal = Terminal(
      environment: environment, quiet: arguments.has(CommonOptions.quiet),
      noColor: arguments.has(CommonOptions.noColor))
    let name = path.joined(separator: " ")
    let invocation = Invocation(commandName: name, arguments: arguments, terminal: terminal)
    guard TerminalControl.hasDescriptors(Self.reserve) else {
      return Failure(
        .storage,
        "Too many open files: \(Self.reserve) more are needed to begin with; close some programs, or "
          + "raise the limit, for one with 'ulimit -n 1024'"
      ).report(terminal)
    }
    Interruption.shared.install()
    // The runtime opens what it needs for the timers of a clock with the first one that has to be waited for, and traps
    // where it cannot.
    try? await Task.sleep(for: .milliseconds(1), clock: .continuous)
    try? await Task.sleep(for: .milliseconds(1), clock: .suspending)
    let job = Task { () async throws -> ExitCode in
      guard let action = command.action else {
        throw UsageError(command: name, problem: .missingCommand)
      }
      return try await action(invocation)
    }
    Interruption.shared.onEnding { job.cancel() }
    do {
      let code = try await job.value
      return Interruption.shared.ending ?? code
    } catch let error as UsageError {
      return report(error, terminal)
    } catch {
      return Interruption.shared.ending ?? Failure(error).report(terminal)
    }
  }

  private func help(_ command: Command, _ path: [String], _ terminal: Terminal) -> String {
    HelpText(command: command, path: path, columns: terminal.columns, style: terminal.style).text
  }
}
