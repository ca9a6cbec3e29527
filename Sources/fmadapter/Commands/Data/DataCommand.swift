/// `data`: files of examples to train on.
enum DataCommand {
  static let command = Command(
    name: "data",
    summary: "Check, measure, split and render data sets",
    details: [
      """
      A data set is a file with one JSON value a line: a list of messages as Apple's toolkit has it, \
      an object with messages, with prompt and completion, or with text.
      """
    ],
    subcommands: [
      CommandGroup(
        title: "Data sets",
        commands: [
          DataCheckCommand.command, DataStatsCommand.command, DataSplitCommand.command,
          DataRenderCommand.command,
        ])
    ],
    knownElsewhereAs: ["dataset", "datasets"])
}
