import AdapterTraining

/// `data split`: examples to train on and examples held out.
enum DataSplitCommand {
  private static let heldOut = Option(
    "--held-out", .share, "Share of the examples to hold out, such as 10%, the default")
  private static let seed = Option("--seed", .seed, "Same seed, same split; 0 unless given")
  private static let output = Option("--output", short: "-o", .folder, "Folder for the two files")
  private static let force = Flag("--force", "Replace the files when they exist")

  static let command = Command(
    name: "split",
    summary: "Hold out a part of a data set, by content",
    details: [
      """
      Writes train.jsonl and valid.jsonl, with the lines of the file byte for byte and in their \
      order. Seed and content decide where an example goes: equal ones stay together, and sorting \
      the file changes nothing. A file with errors is refused with all of them.
      """
    ],
    examples: [
      Example("fmadapter data split all.jsonl -o data", "One in ten held out"),
      Example("fmadapter data split all.jsonl --held-out 20% --seed 7 -o data", "Another choice"),
    ],
    arguments: [DataOptions.file],
    options: [heldOut, seed, output, force],
    knownElsewhereAs: ["divide", "partition"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard let folder = arguments.value(output) else {
      throw invocation.conflict("--output is needed: -o <folder>")
    }
    var split = DataSplit(
      share: arguments.value(heldOut) ?? 0.1, seed: arguments.value(seed) ?? 0)
    split.replaces = arguments.has(force)
    let result = try split.write(
      arguments.required(DataOptions.file), into: folder, isCancelled: { Task.isCancelled })
    terminal.note(
      "\(Figures.count(result.trainingCount, "example")) to train on, "
        + "\(Figures.grouped(result.heldOutCount)) held out")
    terminal.print(result.training)
    terminal.print(result.heldOut)
    return .done
  }
}
