extension Command {
  /// The whole program.
  static let root = Command(
    name: "fmadapter",
    summary: "Install, check and run Foundation Models adapters (.fmadapter)",
    subcommands: [
      CommandGroup(title: "Tools", commands: [TokenizeCommand.command, CompletionsCommand.command])
    ])
}
