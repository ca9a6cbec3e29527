extension Command {
  /// The whole program.
  static let root = Command(
    name: "fmadapter",
    summary: "Install, check and run Foundation Models adapters (.fmadapter)",
    subcommands: [
      CommandGroup(title: "Adapters", commands: [InfoCommand.command, CheckCommand.command]),
      CommandGroup(
        title: "Tools", commands: [TokenizeCommand.command, CompletionsCommand.command]),
    ])
}
