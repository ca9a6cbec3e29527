import AdapterTraining
import Adapters

extension DataStatistics {
  /// Facts, a table of sizes, and how long the examples are as bars.
  func lines(path: String, columns: Int, unicode: Bool, style: TextStyle) -> [String] {
    var facts = FactList()
    facts.add("examples", Figures.grouped(examples) + (formNames.isEmpty ? "" : " (\(formNames))"))
    facts.add("refused", refused == 0 ? nil : Figures.count(refused, "line"))
    facts.add("messages", roleNames)
    facts.add(
      "learnt",
      trainedShare.map { share in
        "\(Figures.grouped(trainedTokens.reduce(0, +))) of \(Figures.grouped(tokens.reduce(0, +))) "
          + "tokens, \(Figures.fixed(share * 100, 1)) %"
      })
    return [style.bold(path.printable)] + facts.lines(columns: columns) + [""]
      + table.lines(columns: columns, style: style) + histogram(columns, unicode)
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

  private var sizes: [(String, [Int])] {
    [
      ("answers", answers), ("characters", characters), ("tokens", tokens),
      ("tokens learnt", trainedTokens),
    ]
  }

  /// Bars for examples of equal steps in length, in tokens where they are known.
  private func histogram(_ columns: Int, _ unicode: Bool) -> [String] {
    let lengths = tokens.isEmpty ? characters : tokens
    guard let longest = lengths.max(), longest > 0 else { return [] }
    let bins = min(columns - 2, 48, longest)
    var counts = [Double](repeating: 0, count: bins)
    for length in lengths { counts[max(0, length - 1) * bins / longest] += 1 }
    let most = counts.max() ?? 0
    let bars = BarChart(values: counts, unicode: unicode).line(columns: bins, scale: most)
    let unit = tokens.isEmpty ? "characters" : "tokens"
    return [
      "", "  " + bars,
      "  examples by length, 1 to \(Figures.grouped(longest)) \(unit); the highest bar is "
        + Figures.count(Int(most), "example"),
    ]
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
