import AdapterTraining
import Adapters
import LanguageModels
import TensorFiles

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
  private let bootstrap: Bootstrap

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
    table.lines(columns: terminal.tableColumns).forEach(terminal.print)
    let count = arguments.value(EvalCommand.worst) ?? 3
    worstLines(count, columns: terminal.columns).forEach(terminal.print)
  }
}

extension EvaluationReport {
  /// A figure with its interval, such as `0.880 [0.78, 0.96]`.
  static func text(_ estimate: Estimate, isSigned: Bool = false) -> String {
    let digits = max(abs(estimate.value), abs(estimate.high)) >= 100 ? 1 : 3
    func figure(_ value: Double, _ digits: Int) -> String {
      (isSigned && value > 0 ? "+" : "") + Figures.fixed(value, digits)
    }
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
  /// Everything that was found.
  func json() throws -> JSONValue {
    let (settings, sources) = (evaluation.settings, evaluation.sources)
    var object: JSONObject = [
      "data": .object(facts(0)),
      "base": .object([
        "path": .string(evaluation.basePath), "signature": .string(evaluation.model.signature),
      ]),
      "settings": .object([
        "temperature": .decimal(settings.temperature), "seed": .seed(settings.seed ?? 0),
        "maxTokens": .integer(settings.maximumTokens),
        "resamples": .integer(bootstrap.resamples), "interval": .decimal(0.95),
      ]),
      "isComplete": .bool(evaluation.isComplete),
      "measures": .object(
        JSONObject(names.map { .init(key: $0, value: .string(Self.meaning(of: $0))) })),
      "subjects": .array(columns.map { .object(json($0)) }),
    ]
    object["outside"] = sources.outside.map { _ in .object(facts(1)) }
    if evaluation.isComplete, !requirements.isEmpty {
      object["requirements"] = .array(
        judgements.map { judgement in
          .object([
            "requirement": .string(judgement.requirement.text),
            "subject": .string(judgement.subject), "value": .decimal(judgement.value),
            "holds": .bool(judgement.holds),
          ])
        })
    }
    return .object(object)
  }

  /// What the figure called `name` says, in a few words.
  static func meaning(of name: String) -> String {
    let isOutside = name.hasPrefix(Requirement.outside)
    let plain = isOutside ? String(name.dropFirst(Requirement.outside.count)) : name
    return Measure(plain)?.meaning ?? "by how much the loss outside rose"
  }

  /// What is to be told of the data at `index`.
  private func facts(_ index: Int) -> JSONObject {
    let part = evaluation.sources.parts[index]
    return [
      "path": .string(part.set.path), "sha256": .string(part.set.digest),
      "lines": .integer(part.set.examples.count), "measured": .integer(evaluation.measured(index)),
    ]
  }

  private func json(_ column: Column) -> JSONObject {
    let subject = column.subject
    var object: JSONObject = [
      "name": .string(subject.name), "figures": Self.json(column.figures),
      "speed": .object([
        "tokens": .integer(subject.tokens),
        "seconds": .decimal((subject.seconds * 1000).rounded() / 1000),
        "tokensPerSecond": subject.tokensPerSecond.map {
          JSONValue.decimal(($0 * 10).rounded() / 10)
        } ?? .null,
      ]),
    ]
    object["package"] = subject.package.map(JSONValue.string)
    object["identifier"] = subject.adapter.map { .string($0.identifier) }
    object["weights"] = subject.adapter.map { .string($0.contentHash) }
    if !column.differences.isEmpty { object["aboveBase"] = Self.json(column.differences) }
    for (index, part) in evaluation.sources.parts.enumerated() {
      let worst = part.scores.worstFirst(subject.records[index])
      object[index == 0 ? "answers" : "answersOutside"] = .array(
        worst.map { .object(Self.json($0, part)) })
    }
    return object
  }

  private static func json(_ figures: [Figure]) -> JSONValue {
    .object(
      JSONObject(
        figures.map { figure in
          .init(
            key: figure.name,
            value: .object([
              "value": .decimal(figure.estimate.value), "low": .decimal(figure.estimate.low),
              "high": .decimal(figure.estimate.high), "lines": .integer(figure.estimate.count),
            ]))
        }))
  }

  private static func json(_ record: AnswerRecord, _ part: EvaluationSources.Part) -> JSONObject {
    let example = part.examples[record.index]
    var object: JSONObject = [
      "file": .string(example.file), "line": .integer(example.line),
      "task": .string(example.task), "asked": .string(example.asked),
    ]
    object["id"] = example.id.map(JSONValue.string)
    object["right"] =
      example.others.isEmpty
      ? (example.expected ?? example.wanted).map(JSONValue.string)
      : .array(example.right.map(JSONValue.string))
    object["answer"] = record.answer.map(JSONValue.string)
    if record.answer != nil { object["tokens"] = .integer(record.tokens) }
    if let loss = record.loss {
      object["loss"] = .object([
        "nats": .decimal(loss.nats), "tokens": .integer(loss.tokens),
      ])
    }
    if !record.options.isEmpty {
      object["options"] = .array(
        record.options.map { losses in .array(losses.map { .decimal($0.nats) }) })
    }
    object["scores"] = .object(
      JSONObject(
        part.scores.scores(of: record).map { .init(key: $0.name, value: .decimal($0.value)) }))
    return object
  }
}

extension EvaluationReport {
  private struct Judgement {
    let requirement: Requirement
    let subject: String
    let value: Double
    let shown: String
    var holds: Bool { requirement.holds(for: value) }
  }

  private var judgements: [Judgement] {
    requirements.flatMap { requirement in
      judged.map { column in
        let figure = column.figure(requirement.name)
        return Judgement(
          requirement: requirement, subject: column.subject.name, value: figure?.value ?? .nan,
          shown: figure.map { Self.text($0) } ?? "nothing measured")
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

  /// Writes the figures into the packages, and returns their paths.
  func record() throws -> [String] {
    let base = columns.first { $0.subject.adapter == nil }
    let baseDigest = try SHA256.hex(ofFile: evaluation.basePath)
    return try columns.compactMap { column in
      guard let package = column.subject.package else { return nil }
      let weights = try SHA256.hex(ofFile: FilePath.join(package, "adapter_weights.bin"))
      return try AdapterWriter.write(
        evaluation: .object(recorded(column, base, weights: weights, baseDigest: baseDigest)),
        into: package, for: evaluation.model.contract)
    }
  }

  /// What a package says of itself.
  private func recorded(
    _ column: Column, _ base: Column?, weights: String, baseDigest: String
  ) -> JSONObject {
    let (settings, sources) = (evaluation.settings, evaluation.sources)
    var object: JSONObject = [
      "adapter": Self.values(column), "tool": .string("fmadapter \(programVersion)"),
      "lines": .integer(sources.main.examples.count),
      "set": .string(FilePath.name(of: sources.main.set.path)),
      "setSHA256": .string(sources.main.set.digest), "baseSHA256": .string(baseDigest),
      "weightsSHA256": .string(weights), "temperature": .decimal(settings.temperature),
      "seed": .seed(settings.seed ?? 0), "maxTokens": .integer(settings.maximumTokens),
      "intervals": .object(
        JSONObject(
          column.figures.map { figure in
            let ends = [figure.estimate.low, figure.estimate.high].map(Self.rounded)
            return .init(key: figure.name, value: .array(ends))
          })),
    ]
    object["base"] = base.map(Self.values)
    if let outside = sources.outside {
      object["outsideSet"] = .string(FilePath.name(of: outside.set.path))
      object["outsideSetSHA256"] = .string(outside.set.digest)
    }
    return object
  }

  private static func values(_ column: Column) -> JSONValue {
    .object(
      JSONObject(column.figures.map { .init(key: $0.name, value: rounded($0.estimate.value)) }))
  }

  private static func rounded(_ value: Double) -> JSONValue {
    .decimal((value * 1e4).rounded() / 1e4)
  }
}
