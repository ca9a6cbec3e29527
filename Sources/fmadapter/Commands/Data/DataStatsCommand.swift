import AdapterTraining
import JSON
import SystemFiles

/// `data stats`: how much there is to learn, and how long the examples are.
enum DataStatsCommand {
  private static let json = Flag("--json", "Print the figures as JSON")

  static let command = Command(
    name: "stats",
    summary: "Count examples, messages and tokens",
    details: [
      """
      Tokens are those of the base and its chat format. The tokens that are learnt are those of \
      the answers, with the marks that end them; all others only come before them. P95 is the \
      length that 95 of 100 examples do not exceed. The files of a folder are counted together. \
      Lines with errors are counted as refused and left out.
      """
    ],
    examples: [
      Example("fmadapter data stats train.jsonl", "Figures by the base in use"),
      Example("fmadapter data stats train.jsonl valid.jsonl --base model.gguf", "By another base"),
      Example("fmadapter data stats train.jsonl --json", "For a script"),
    ],
    arguments: [DataOptions.files],
    options: [ModelOptions.base, AnswerOptions.chatFormat, json],
    knownElsewhereAs: ["count", "info", "summary"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let base = try await DataOptions.baseIfAny(invocation)
    let sets = try DataOptions.sets(invocation)
    let paths = sets.map(\.name)
    let all = try sets.map { set in
      try DataStatistics(
        reading: set.paths, renderer: base?.renderer, isCancelled: { Task.isCancelled })
    }
    if arguments.has(json) {
      let files = zip(paths, all).map { path, statistics in statistics.json(path: path) }
      terminal.print(.object(["files": .array(files)]))
      return .done
    }
    for (index, (path, statistics)) in zip(paths, all).enumerated() {
      if index > 0 { terminal.print("") }
      let lines = statistics.lines(
        path: path, columns: terminal.columns, unicode: terminal.showsUnicode)
      lines.forEach(terminal.print)
    }
    return .done
  }
}

extension DataStatistics {
  /// Facts, a table of sizes, and how long the examples are as bars.
  func lines(path: String, columns: Int, unicode: Bool) -> [Line] {
    var facts = FactList()
    facts.add("examples", Figures.grouped(examples) + (formNames.isEmpty ? "" : " (\(formNames))"))
    facts.add("refused", refused == 0 ? nil : Figures.count(refused, "line"))
    facts.add("messages", roleNames)
    facts.add(
      "learnt",
      trainedShare.map { share in
        "\(Figures.grouped(trainedTokens.total)) of \(Figures.grouped(tokens.total)) "
          + "tokens, \(Figures.fixed(share * 100, 1)) %"
      })
    return [Line(path, .bold)] + facts.lines(columns: columns) + [""]
      + table.lines(columns: columns) + histogram(columns, unicode)
  }

  private var formNames: String {
    ExampleForm.allCases.compactMap { form in forms[form].map { "\(form.rawValue) \($0)" } }
      .joined(separator: ", ")
  }

  private var roleNames: String {
    ["system", "user", "assistant", "tool"].compactMap { role in roles[role].map { "\(role) \($0)" }
    }
    .joined(separator: ", ")
  }

  private var table: TextTable {
    var table = TextTable(headings: ["EACH EXAMPLE", "MIN", "MEDIAN", "P95", "MAX", "TOTAL"])
    table.rightAligned = [1, 2, 3, 4, 5]
    for (name, values) in sizes {
      guard let found = Distribution(values) else { continue }
      table.rows.append([name] + found.values.map(Figures.grouped))
    }
    return table
  }

  private var sizes: [(String, Tally)] {
    [
      ("answers", answers), ("characters", characters), ("tokens", tokens),
      ("tokens learnt", trainedTokens),
    ]
  }

  /// Bars for examples of equal steps in length, in tokens where they are known.
  private func histogram(_ columns: Int, _ unicode: Bool) -> [Line] {
    let lengths = tokens.count == 0 ? characters : tokens
    guard let longest = lengths.largest, longest > 0 else { return [] }
    let bins = min(columns - 2, 48, longest)
    var counts = [Double](repeating: 0, count: bins)
    for (length, count) in lengths.counts {
      counts[max(0, length - 1) * bins / longest] += Double(count)
    }
    let most = counts.max() ?? 0
    let bars = BarChart(values: counts, unicode: unicode).line(columns: bins, scale: most)
    let unit = tokens.count == 0 ? "characters" : "tokens"
    let caption =
      "  examples by length, 1 to \(Figures.grouped(longest)) \(unit); the highest bar is "
      + Figures.count(Int(most), "example")
    return ["", "  \(bars)"] + Line(caption).wrapped(columns: columns)
  }

  /// The figures as `--json` prints them.
  func json(path: String) -> JSONValue {
    var object: JSONObject = [
      "path": .string(path), "examples": .integer(examples), "refused": .integer(refused),
    ]
    object["forms"] = .object(
      JSONObject(forms.map { .init(key: $0.key.rawValue, value: .integer($0.value)) }))
    object["messages"] = .object(
      JSONObject(roles.map { .init(key: $0.key, value: .integer($0.value)) }))
    let names = ["answers", "characters", "tokens", "trainedTokens"]
    for (name, size) in zip(names, sizes) {
      object[name] = Distribution(size.1)?.json ?? .null
    }
    object["trainedShare"] = trainedShare.map(JSONValue.decimal) ?? .null
    return .object(object)
  }
}

extension DataStatistics.Distribution {
  fileprivate var values: [Int] { [minimum, median, percentile95, maximum, total] }

  fileprivate var json: JSONValue {
    let names = ["min", "median", "p95", "max", "total"]
    return .object(JSONObject(zip(names, values).map { .init(key: $0, value: .integer($1)) }))
  }
}
