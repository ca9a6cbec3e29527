/// `base`: the models that adapters change.
enum BaseCommand {
  static let command = Command(
    name: "base",
    summary: "Install, list, choose, inspect, convert and quantize bases",
    subcommands: [
      CommandGroup(
        title: "The store",
        commands: [
          BaseInstallCommand.command, BaseListCommand.command, BaseUseCommand.command,
          BaseRemoveCommand.command,
        ]),
      CommandGroup(
        title: "Files",
        commands: [
          BaseInfoCommand.command, BaseConvertCommand.command, BaseQuantizeCommand.command,
        ]),
    ],
    knownElsewhereAs: ["bases", "model", "models"])
}
