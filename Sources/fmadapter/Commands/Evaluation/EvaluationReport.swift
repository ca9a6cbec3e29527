import AdapterTraining
import Adapters
import JSON
import LanguageModels
import SystemFiles

/// What came of an evaluation: as a table, as JSON, as a page, and as what a package says of itself.
struct EvaluationReport {
  typealias Figure = (name: String, estimate: Estimate)

  /// The figures of one subject.
  struct Column {
    let subject: Evaluation.Subject
    /// Those of the file, then those of the one outside the domain, with their prefix, and what was forgotten.
    let figures: [Figure]
    /// By how much they are above those of the base; empty for the base, and where it was not measured.
    let differences: [Figure]

    func figure(_ name: String) -> Estimate? { figures.first { $0.name == name }?.estimate }
  }

  let evaluation: Evaluation
  let requirements: [Requirement]
  let columns: [Column]
  let bootstrap: Bootstrap

  init(_ evaluation: Evaluation, requirements: [Requirement]) {
    (self.evaluation, self.requirements) = (evaluation, requirements)
    let bootstrap = Self.bootstrap(evaluation)
    self.bootstrap = bootstrap
    let base = evaluation.subjects.first { $0.adapter == nil }
    columns = evaluation.subjects.map { subject in
      var (figures, differences): ([Figure], [Figure]) = ([], [])
      for (part, source) in evaluation.sources.parts.enumerated() {
        let prefix = part == 0 ? "" : Requirement.outside
        let records = subject.records[part]
        figures += source.scores.figures(of: records, bootstrap).map { (prefix + $0, $1) }
        guard let base, subject.adapter != nil else { continue }
        let above = source.scores.differences(of: records, above: base.records[part], bootstrap)
        differences += above.map { (prefix + $0, $1) }
        if part > 0, let loss = above.first(where: { $0.name == "loss" })?.estimate {
          figures.append((Requirement.forgotten, loss))
        }
      }
      return Column(subject: subject, figures: figures, differences: differences)
    }
  }

  /// After Ctrl-C there is no time for many resamples.
  private static func bootstrap(_ evaluation: Evaluation) -> Bootstrap {
    let seed = evaluation.settings.seed ?? 0
    guard !evaluation.isComplete else { return Bootstrap(seed: seed) }
    let lines = evaluation.sources.parts.reduce(0) { $0 + $1.examples.count }
    return Bootstrap(seed: seed, resamples: min(max(50_000 / max(lines, 1), 40), 2000))
  }

  /// The names of all figures, as the lines have them.
  var names: [String] {
    evaluation.sources.names.filter { name in columns.contains { $0.figure(name) != nil } }
  }

  /// The columns that requirements are for: the adapters, or the base where there are none.
  private var judged: [Column] {
    let adapters = columns.filter { $0.subject.adapter != nil }
    return adapters.isEmpty ? columns : adapters
  }

  /// Puts the report where the line asks for it.
  func write(_ invocation: Invocation) throws {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if let path = arguments.value(EvalCommand.output) {
      try AtomicFile.write(Array((try json().text + "\n").utf8), to: path)
    }
    if let path = arguments.value(EvalCommand.report) {
      try AtomicFile.write(Array(EvaluationPage(report: self).html.utf8), to: path)
      terminal.note("figures and answers: \(path)")
    }
    guard !arguments.has(EvalCommand.json) else { return terminal.print(try json()) }
    terminal.print(table)
    let count = arguments.value(EvalCommand.worst) ?? 3
    worstLines(count, columns: terminal.columns).forEach(terminal.print)
  }
}

extension EvaluationReport {
  /// A figure with its interval, such as `0.880 [0.78, 0.96]`; of one line it has none.
  static func text(_ estimate: Estimate, isSigned: Bool = false) -> String {
    let digits = max(abs(estimate.value), abs(estimate.high)) >= 100 ? 1 : 3
    func figure(_ value: Double, _ digits: Int) -> String {
      (isSigned && value > 0 ? "+" : "") + Figures.fixed(value, digits)
    }
    guard estimate.count > 1 else { return figure(estimate.value, digits) }
    let ends = [estimate.low, estimate.high].map { figure($0, max(digits - 1, 0)) }
    return "\(figure(estimate.value, digits)) [\(ends[0]), \(ends[1])]"
  }

  /// A row for each figure, a column for each subject; the difference where there is one adapter.
  private var table: TextTable {
    let change = columns.count == 2 ? columns[1].differences : []
    var table = TextTable(
      headings: [""] + columns.map(\.subject.name) + (change.isEmpty ? [] : ["change"]))
    for name in names {
      let cells = columns.map { column in column.figure(name).map { Self.text($0) } ?? "" }
      let above = change.first { $0.name == name }?.estimate
      table.rows.append(
        [name] + cells + (change.isEmpty ? [] : [above.map { Self.text($0, isSigned: true) } ?? ""])
      )
    }
    let speeds = columns.map { $0.subject.tokensPerSecond.map { Figures.fixed($0, 1) } ?? "" }
    if speeds.contains(where: { !$0.isEmpty }) {
      table.rows.append(["tokens/s"] + speeds + (change.isEmpty ? [] : [""]))
    }
    table.rightAligned = Set(1..<table.headings.count)
    return table
  }

  /// The worst answers of the last subject.
  private func worstLines(_ count: Int, columns width: Int) -> [Line] {
    guard count > 0, let column = columns.last else { return [] }
    let part = evaluation.sources.main
    let worst = part.scores.worstFirst(column.subject.records[0]).filter { $0.answer != nil }
      .prefix(count)
    guard !worst.isEmpty else { return [] }
    let rows = worst.flatMap { record -> [(name: String, text: String)] in
      let example = part.examples[record.index]
      let right = example.shownRight.map { [("right", $0)] } ?? []
      let valid = part.scores.scores(of: record).first { $0.name == "validJSON" }?.value
      let answer = record.answer ?? ""
      // Where fields are right all the same, this is what they are wrong by.
      let isFenced = valid == 0 && answer.contains("```")
      return [(example.id ?? "line \(example.line)", example.asked)] + right
        + [(isFenced ? "answer, in a fence" : "answer", answer)]
    }
    let widest = rows.map(\.name.printable.cellWidth).max() ?? 0
    // Names of any length leave two thirds to the texts.
    let indent = min(widest, max(width / 3, 8))
    return ["", Line("Worst answers of \(column.subject.name)", .bold)]
      + rows.map { name, text in
        let flat = text.split { $0.isWhitespace }.joined(separator: " ")
        let head = TextLayout.pad(Self.cut(name.printable, indent), indent)
        return Line(TextLayout.cut("  \(head)  \(flat)", width))
      }
  }

  /// The name, cut to `columns` cells in its middle: ids differ at their ends.
  private static func cut(_ name: String, _ columns: Int) -> String {
    guard name.cellWidth > columns else { return name }
    let tail = String(name.suffix(columns / 3))
    return TextLayout.cut(name, max(columns - tail.cellWidth, 1)) + tail
  }
}

extension EvaluationReport {
  struct Judgement {
    let requirement: Requirement
    let subject: String
    let value: Double
    let shown: String
    var holds: Bool { requirement.holds(for: value) }
  }

  var judgements: [Judgement] {
    requirements.flatMap { requirement in
      judged.map { column in
        let figure = column.figure(requirement.name)
        return Judgement(
          requirement: requirement, subject: column.subject.name, value: figure?.value ?? .nan,
          shown: figure.map(requirement.shown) ?? "nothing measured")
      }
    }
  }

  /// Says how the requirements stand.
  ///
  /// - Throws: `Failure` with a line for each that does not hold.
  func judge(_ terminal: Terminal) throws -> ExitCode {
    let lines = judgements.filter { !$0.holds }.map { judgement in
      "\(judgement.requirement.text) does not hold: \(judgement.subject) has \(judgement.shown)"
    }
    for judgement in judgements where judgement.holds {
      terminal.note(
        "\(judgement.requirement.text) holds: \(judgement.subject) has \(judgement.shown)")
    }
    guard let first = lines.first else { return .done }
    var failure = Failure(.invalid, "\(first)")
    failure.details = lines.dropFirst().map { Line($0) }
    throw failure
  }
}
