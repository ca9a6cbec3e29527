extension Command {
  /// The whole program.
  static let root = Command(
    name: "fmadapter",
    summary: "Install, check and run Foundation Models adapters (.fmadapter)",
    subcommands: [
      CommandGroup(
        title: "Adapters",
        commands: [
          InstallCommand.command, ListCommand.command, InfoCommand.command, CheckCommand.command,
          RemoveCommand.command, UpdateCommand.command,
        ]),
      CommandGroup(
        title: "Catalogs", commands: [CatalogCommand.command, PublishCommand.command]),
      CommandGroup(
        title: "Store",
        commands: [
          VerifyCommand.command, PruneCommand.command, DiskUsageCommand.command,
          DoctorCommand.command,
        ]),
      CommandGroup(title: "Run", commands: [RunCommand.command]),
      CommandGroup(
        title: "Training", commands: [DataCommand.command, TrainCommand.command]),
      CommandGroup(title: "Bases", commands: [BaseCommand.command]),
      CommandGroup(
        title: "Tools",
        commands: [
          TokenizeCommand.command, LogitsCommand.command, BenchCommand.command,
          CompletionsCommand.command, ManCommand.command,
        ]),
    ])
}
