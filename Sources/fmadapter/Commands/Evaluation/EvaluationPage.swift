import AdapterTraining
import JSON
import SystemFiles

/// An evaluation as one page of HTML that needs nothing else: every figure with its interval drawn, and the answers side by side, the worst
/// first.
struct EvaluationPage {
  let report: EvaluationReport

  /// Lines whose answers are shown, at most.
  private static let limit = 500

  var html: String {
    let sources = report.evaluation.sources
    let names = report.columns.map(\.subject.name).joined(separator: ", ")
    let title = "\(names) on \(sources.main.set.path)"
    return HTMLPage(
      title: title,
      body: """
        \(report.evaluation.isComplete ? "" : "<p class=\"wrong\">Stopped before everything was measured.</p>")
        <p>\(lines), intervals of 95 %. \(legend)</p>
        \(figures)
        <h2>Answers, the worst first</h2>
        \(answers)
        <h2>Settings</h2>
        \(settings)
        """
    ).html
  }

  /// How many lines there are, and after Ctrl-C on how many of them base and adapters were measured.
  private var lines: String {
    let evaluation = report.evaluation
    let count = Figures.count(evaluation.sources.main.examples.count, "line")
    guard !evaluation.isComplete else { return count }
    let measured = evaluation.subjects.map {
      "\($0.name.markup) on \(Figures.grouped(evaluation.measured(0, by: $0)))"
    }
    return "measured: \(measured.joined(separator: ", ")) of \(count)"
  }

  /// What the colours are.
  private var legend: String {
    let base = report.columns.contains { $0.subject.adapter == nil }
    let adapters = report.columns.filter { $0.subject.adapter != nil }.map(\.subject.name)
    var text = base ? "Blue: the base. " : ""
    if !adapters.isEmpty { text += "Orange: \(adapters.joined(separator: ", ")). " }
    if base, !adapters.isEmpty { text += "Small: what is above the base." }
    return "<span class=\"key\">\(text.markup)</span>"
  }

  private var figures: String {
    var text = "<table>\n<tr><th>measure</th>"
    for column in report.columns { text += "<th>\(column.subject.name.markup)</th>" }
    text += "<th style=\"width:30%\"></th></tr>\n"
    for name in report.names {
      text += "<tr><th title=\"\(EvaluationReport.meaning(of: name).markup)\">\(name.markup)</th>"
      for column in report.columns {
        let change = column.differences.first { $0.name == name }?.estimate
        text += "<td>\((column.figure(name).map { EvaluationReport.text($0) } ?? "").markup)"
        if let change {
          let shown = EvaluationReport.text(change, isSigned: true)
          text += "<br><span class=\"key\">\(shown.markup)</span>"
        }
        text += "</td>"
      }
      text += "<td>\(drawing(name))</td></tr>\n"
    }
    let speeds = report.columns.map { column in
      "<td>\(column.subject.tokensPerSecond.map { Figures.fixed($0, 1) } ?? "")</td>"
    }
    return text + "<tr><th>tokens/s</th>\(speeds.joined())<td></td></tr>\n</table>"
  }

  /// The intervals of one figure below each other, from zero to one or as far as they go.
  private func drawing(_ name: String) -> String {
    let estimates = report.columns.map { $0.figure(name) }
    let ends = estimates.compactMap(\.self).flatMap { [$0.low, $0.high, $0.value] }
    let (low, high) = (min(0, ends.min() ?? 0), max(1, ends.max() ?? 1))
    func x(_ value: Double) -> String {
      Figures.fixed(4 + (value - low) / (high - low) * 192, 1)
    }
    let height = 12 * estimates.count + 4
    var text =
      "<svg viewBox=\"0 0 200 \(height)\" role=\"img\" aria-label=\"\(name.markup)\"><line x1=\"\(x(low))\" y1=\"\(height)\" x2=\"\(x(high))\" y2=\"\(height)\" class=\"axis\"/>"
    for (index, estimate) in estimates.enumerated() {
      guard let estimate else { continue }
      let kind = report.columns[index].subject.adapter == nil ? "base" : "adapter"
      let y = 8 + 12 * index
      text +=
        "<line x1=\"\(x(estimate.low))\" y1=\"\(y)\" x2=\"\(x(estimate.high))\" y2=\"\(y)\" class=\"\(kind)\" stroke-width=\"3\" opacity=\".5\"/>"
      text += "<circle cx=\"\(x(estimate.value))\" cy=\"\(y)\" r=\"4\" class=\"\(kind)\"/>"
    }
    return text + "</svg>"
  }

  private var answers: String {
    guard let last = report.columns.last else { return "" }
    let part = report.evaluation.sources.main
    let worst = part.scores.worstFirst(last.subject.records[0])
    var text = ""
    for record in worst.prefix(Self.limit) {
      let example = part.examples[record.index]
      text += "<table><tr><th>\((example.id ?? "line \(example.line)").markup)</th>"
      text += "<td class=\"text\">\(example.asked.markup)</td></tr>\n"
      if let right = example.shownRight {
        text += "<tr><th>right</th><td class=\"text\">\(right.markup)</td></tr>\n"
      }
      for column in report.columns {
        guard let own = column.subject.records[0].first(where: { $0.index == record.index }) else {
          continue
        }
        text += row(column, own, part)
      }
      text += "</table><p></p>\n"
    }
    let rest = worst.count - Self.limit
    return rest > 0 ? text + "<p>\(Figures.count(rest, "line")) more.</p>" : text
  }

  private func row(
    _ column: EvaluationReport.Column, _ record: AnswerRecord, _ part: EvaluationSources.Part
  ) -> String {
    let scores = part.scores.scores(of: record)
    let main = scores.first { ["rule", "exactMatch", "choice", "preferred"].contains($0.name) }?
      .value
    let kind = main.map { $0 == 1 ? "text right" : "text wrong" } ?? "text"
    let loss = record.loss.map { loss in
      loss.tokens > 0 ? ", loss \(Figures.fixed(loss.nats / Double(loss.tokens), 3))" : ""
    }
    var text = record.answer ?? ""
    if !record.options.isEmpty {
      let example = part.examples[record.index]
      text += record.options.map { losses in
        zip(example.options, losses).map { "\($0): \(Figures.fixed($1.nats, 2)) nats" }
          .joined(separator: ", ")
      }.joined(separator: "\n")
    }
    return
      "<tr><th>\((column.subject.name + (loss ?? "")).markup)</th><td class=\"\(kind)\">\(text.markup)</td></tr>\n"
  }

  private var settings: String {
    guard let object = try? report.json().object else { return "" }
    let facts = ["data", "outside", "base", "settings"].flatMap { key in
      (object[key]?.object?.members ?? []).map {
        JSONObject.Member(key: "\(key) \($0.key)", value: $0.value)
      }
    }
    return HTMLPage.table(facts)
  }
}
