import JSON
import SystemFiles

/// A training as one page of HTML that needs nothing else: curves, settings, and answers after each epoch.
struct TrainingPage {
  let title: String
  let events: [JSONObject]
  let curve: LossCurve
  /// What the measured losses are of.
  let measured: String
  /// How many examples the losses of the end are of, where those that were measured are of a part of them.
  var heldOut: Int?

  /// The whole page; everything in it that others wrote goes through ``Swift/String/markup``.
  var html: String {
    HTMLPage(
      title: title,
      body: """
        \(summary)
        <h2>Loss</h2>
        \(curve.svg(measured: measured, unit: unit))
        <p class="key">Blue: mean of the batches. Orange: \(measured.markup)\(whole). Equal shares of the loss are equally high.</p>
        \(rewards)
        \(samples)
        <h2>Settings</h2>
        \(settings)
        """
    ).html
  }

  private var whole: String {
    heldOut.map { heldOut in
      heldOut > 0
        ? ", evenly taken; the held-out losses above are of all \(Figures.grouped(heldOut))"
        : ", evenly taken"
    } ?? ""
  }

  private var unit: String {
    let isOfPairs = last("start")?["options"]?.object?["objective"] != nil
    return isOfPairs ? "of a pair" : "in nats a token"
  }

  private func last(_ kind: String) -> JSONObject? {
    events.last { $0["event"]?.string == kind }
  }

  private var summary: String {
    guard let end = last("end") else { return "<p>This training has not ended.</p>" }
    if let message = end["error"]?.string { return "<p>\(message.markup)</p>" }
    return Self.table(end)
  }

  private var settings: String {
    guard let start = last("start") else { return "" }
    var facts = start
    let options = start["options"]?.object
    facts["options"] = nil
    for member in options?.members ?? [] { facts[member.key] = member.value }
    return Self.table(facts)
  }

  /// What the measures found of pairs.
  private var rewards: String {
    let rows = events.filter { $0["event"]?.string == "measure" }.compactMap { event -> String? in
      guard let rewards = event["rewards"]?.object else { return nil }
      let figures = ["margin", "chosen", "rejected"].map { key in
        Figures.fixed(rewards[key]?.number?.double ?? 0, 3)
      }
      let share = Figures.fixed((rewards["accuracy"]?.number?.double ?? 0) * 100, 1)
      let step = Figures.grouped(event["step"]?.integer ?? 0)
      let cells = ([share + " %"] + figures).map { "<td>\($0)</td>" }.joined()
      return "<tr><th>step \(step)</th>\(cells)</tr>\n"
    }
    guard !rows.isEmpty else { return "" }
    return "<h2>Rewards</h2>\n<table><tr><th></th><th>preferred</th><th>margin</th><th>chosen</th>"
      + "<th>rejected</th></tr>\n\(rows.joined())</table>"
  }

  private var samples: String {
    let found = events.filter { $0["event"]?.string == "sample" }
    guard !found.isEmpty else { return "" }
    var text = "<h2>Answers on the way</h2>\n"
    var prompts: [String] = []
    for sample in found {
      let prompt = sample["prompt"]?.string ?? ""
      if !prompts.contains(prompt) { prompts.append(prompt) }
    }
    for prompt in prompts {
      let own = found.filter { $0["prompt"]?.string == prompt }
      let wanted = own[0]["expected"]?.string ?? ""
      text += "<table><tr><th>asked</th><td class=\"text\">\(prompt.markup)</td></tr>\n"
      text += "<tr><th>to be learnt</th><td class=\"text\">\(wanted.markup)</td></tr>\n"
      for sample in own {
        let answer = sample["answer"]?.string ?? ""
        let kind = answer == wanted ? "text right" : "text"
        let step = Figures.grouped(sample["step"]?.integer ?? 0)
        text += "<tr><th>step \(step)</th><td class=\"\(kind)\">\(answer.markup)</td></tr>\n"
      }
      text += "</table><p></p>\n"
    }
    return text
  }

  private static func table(_ object: JSONObject) -> String {
    HTMLPage.table(TrainingFacts.rows(object))
  }
}
