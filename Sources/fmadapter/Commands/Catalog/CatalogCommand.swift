/// `catalog`: where adapters are found by name.
enum CatalogCommand {
  static let command = Command(
    name: "catalog",
    summary: "Choose where adapters are found by name",
    subcommands: [
      CommandGroup(
        title: "Catalogs",
        commands: [
          CatalogAddCommand.command, CatalogListCommand.command, CatalogShowCommand.command,
          CatalogRemoveCommand.command,
        ])
    ],
    knownElsewhereAs: ["catalogs", "repo", "registry", "remote", "tap"])
}
