import SystemFiles

/// `completions`: a script that teaches a shell the program's words.
enum CompletionsCommand {
  private static let shell = Argument(
    "shell", "bash, zsh or fish", completion: .words(["bash", "zsh", "fish"]))

  static let command = Command(
    name: "completions",
    summary: "Print the completion script of a shell",
    examples: [
      Example("source <(fmadapter completions bash)", "Complete on Tab in this shell"),
      Example(
        "fmadapter completions fish > ~/.config/fish/completions/fmadapter.fish",
        "Complete on Tab in every new shell"),
    ],
    arguments: [shell],
    knownElsewhereAs: ["completion", "autocomplete"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let script = CompletionScript(root: .root)
    switch invocation.arguments.required(shell) {
    case "bash": invocation.terminal.write(script.bash)
    case "zsh": invocation.terminal.write(script.zsh)
    case "fish": invocation.terminal.write(script.fish)
    case let other:
      throw invocation.conflict("<shell> is bash, zsh or fish, not '\(other)'")
    }
    return .done
  }
}
