import Adapters
import Interchange
import JSON
import SystemFiles

/// `diff`: how two adapters differ.
enum DiffCommand {
  private static let packages = Argument(
    "adapter", "Two adapters: installed names, or packages' paths", arity: .several,
    completion: .adapters)
  private static let json = Flag("--json", "Print the difference as JSON")

  static let command = Command(
    name: "diff",
    summary: "Compare two adapters: metadata, and what they do to each projection",
    details: [
      """
      Compares the updates themselves, scaled, not their factors, which may look different and \
      do the same. The change is the norm of the difference as a share of the first adapter's \
      norm. The cosine is 1 if both point the same way, 0 if they have nothing in common, -1 if \
      they undo each other.
      """
    ],
    examples: [
      Example("fmadapter diff old.fmadapter my.fmadapter", "What a further training changed"),
      Example("fmadapter diff playwriting my.fmadapter --json", "Every projection, for a script"),
    ],
    arguments: [packages],
    options: [ModelOptions.baseOfAdapter, json],
    knownElsewhereAs: ["compare"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let texts = arguments.texts(packages)
    guard texts.count == 2 else {
      throw invocation.conflict("two adapters are compared, and here are \(texts.count)")
    }
    let library = Library(terminal)
    var paths: [String] = []
    for text in texts { paths.append(try await library.packagePath(text)) }
    let base = try await library.contract(
      for: paths[0], stated: arguments.value(ModelOptions.baseOfAdapter))
    let difference = try AdapterDifference(
      paths[0], paths[1], base: base, isCancelled: { Task.isCancelled })
    if arguments.has(json) {
      terminal.print(difference.json)
    } else {
      difference.lines(columns: terminal.columns, unicode: terminal.showsUnicode)
        .forEach(terminal.print)
    }
    return .done
  }
}

extension AdapterDifference {
  /// What differs, drawn with a bar for each layer.
  func lines(columns: Int, unicode: Bool) -> [Line] {
    var lines: [Line] = []
    if metadata.isEmpty { lines.append("The metadata are the same.") }
    if !metadata.isEmpty { lines.append(Line("Metadata", .bold)) }
    for member in metadata {
      lines.append("  \(member.key)")
      for (mark, value) in [("-", member.first), ("+", member.second)] {
        guard let value else { continue }
        lines += Line("    \(mark) \(value.line)").wrapped(columns: columns)
      }
    }
    lines.append("")
    guard !hasSameUpdates else { return lines + ["The weights are the same."] }
    lines.append(Line("Change, as a share of the first adapter's update, one bar per layer", .bold))
    lines += chart(columns: columns, unicode: unicode) { $0.change }
    lines += ["", Line("Cosine of both updates, one bar per layer", .bold)]
    lines += chart(columns: columns, unicode: unicode) { $0.cosine }
    lines.append("")
    return lines + ["All together: change \(text(change)), cosine \(text(cosine))."]
  }

  /// A row for each projection with the lowest and the highest value; bars of what is below zero are empty.
  private func chart(
    columns: Int, unicode: Bool, _ value: (Tensor) -> Double?
  ) -> [Line] {
    let layers = 1 + (tensors.map(\.layer).max() ?? 0)
    let highest = max(1, tensors.compactMap(value).max() ?? 0)
    let chart = LoRATarget.allCases.compactMap { target -> BarChart.Row? in
      let rows = tensors.filter { $0.target == target }
      guard !rows.isEmpty else { return nil }
      var bars = [Double](repeating: 0, count: layers)
      for row in rows { bars[row.layer] = max(0, value(row) ?? 0) }
      let known = rows.compactMap(value)
      let range =
        known.isEmpty ? "in one alone" : "\(text(known.min())) to \(text(known.max()))"
      return BarChart.Row(
        name: target.rawValue, values: bars, scale: highest, range: range)
    }
    return BarChart.lines(chart, columns: columns, unicode: unicode)
  }

  private func text(_ value: Double?) -> String { value.map { Figures.fixed($0, 3) } ?? "-" }

  /// The difference as `--json` prints it.
  var json: JSONValue {
    .object([
      "sameWeights": .bool(hasSameUpdates),
      "change": change.map(JSONValue.decimal) ?? .null,
      "cosine": cosine.map(JSONValue.decimal) ?? .null,
      "metadata": .array(
        metadata.map { member in
          .object([
            "key": .string(member.key), "first": member.first ?? .null,
            "second": member.second ?? .null,
          ])
        }),
      "tensors": .array(tensors.map(\.json)),
    ])
  }
}

extension AdapterDifference.Tensor {
  fileprivate var json: JSONValue {
    .object([
      "layer": .integer(layer), "target": .string(target.rawValue),
      "rows": .integer(shape.rows), "columns": .integer(shape.columns),
      "firstNorm": .decimal(firstNorm), "secondNorm": .decimal(secondNorm),
      "change": change.map(JSONValue.decimal) ?? .null,
      "cosine": cosine.map(JSONValue.decimal) ?? .null,
    ])
  }
}
