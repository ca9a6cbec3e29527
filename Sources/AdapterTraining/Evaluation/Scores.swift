import Grammars
import JSON

/// What answers come to, measure by measure.
public struct Scores: Sendable {
  private let examples: [EvaluationExample]
  private let pattern: String?
  /// The names of the tasks, where there are several.
  private let tasks: Set<String>

  /// Scores of answers to `examples`; with `pattern`, a regular expression, whether each answer matches it.
  ///
  /// - Throws: `EvaluationError.pattern` for what is no regular expression, or none that can be searched for.
  public init(_ examples: [EvaluationExample], pattern: String? = nil) throws(EvaluationError) {
    if let pattern {
      do throws(PatternDefect) { _ = try Pattern(pattern, ignoresCase: true) } catch {
        throw .pattern(start: String(pattern.prefix(60)), problem: "\(error)")
      }
    }
    (self.examples, self.pattern) = (examples, pattern)
    let tasks = Set(examples.map(\.task))
    self.tasks = tasks.count > 1 ? tasks : []
  }

  /// What one line adds to each measure: shares of right, 0 to 1.
  public func scores(of record: AnswerRecord) -> [(name: String, value: Double)] {
    let example = examples[record.index]
    var scores: [(String, Double)] = []
    func note(_ name: String, _ holds: Bool) { scores.append((name, holds ? 1 : 0)) }
    if let answer = record.answer {
      if example.expected != nil, example.options.isEmpty {
        note("exactMatch", example.right.contains { Self.isSame(answer, $0) })
        let normal = PlainText.normal(answer)
        note("normalizedMatch", example.right.contains { PlainText.normal($0) == normal })
      }
      scores += Self.fields(example.right, answer)
      if let schema = example.schema {
        note("schema", JSONAnswer.parsed(answer).map(schema.accepts) ?? false)
      }
      if let rule = example.rule {
        let isKept = !example.isEcho(answer) && rule.isKept(by: answer)
        note("rule", isKept)
        if tasks.contains(example.task) { note("rule." + example.task, isKept) }
        for part in rule.parts(of: answer) { note(part.name, part.holds) }
      }
      if let pattern { note("pattern", AnswerRule.Check.matches(pattern, answer)) }
      note("cut", record.isCut)
    }
    return scores + choices(record, example)
  }

  /// Whether an answer is the right one to the letter, but for blanks around both.
  private static func isSame(_ answer: String, _ right: String) -> Bool {
    PlainText.trimmed(answer).unicodeScalars.elementsEqual(PlainText.trimmed(right).unicodeScalars)
  }

  /// The fields of the right answer that the given one comes nearest to; none where one of the
  /// right ones is not JSON with fields.
  private static func fields(_ right: [String], _ answer: String) -> [(String, Double)] {
    let wanted = right.compactMap(JSONAnswer.whole).filter { $0.object != nil || $0.array != nil }
    guard wanted.count == right.count else { return [] }
    let found = JSONAnswer.parsed(answer)
    // Programs that read the answer as JSON stumble over a fence.
    let isValid = JSONAnswer.whole(answer) != nil
    let scores = wanted.map { [("validJSON", isValid ? 1 : 0)] + fields($0, found) }
    func share(_ scores: [(String, Double)]) -> Double {
      scores.first { $0.0 == "fields" }?.1 ?? 0
    }
    return scores.dropFirst().reduce(scores.first ?? []) { share($1) > share($0) ? $1 : $0 }
  }

  /// How many fields of `wanted` are right, and which.
  private static func fields(_ wanted: JSONValue, _ found: JSONValue?) -> [(String, Double)] {
    guard let object = wanted.object else {
      return [("fields", found.map(wanted.isSame) ?? false ? 1 : 0)]
    }
    let given = found?.object ?? [:]
    let right = object.members.filter { given[$0.key].map($0.value.isSame) ?? false }
    let others = given.keys.count { object[$0] == nil }
    let all = object.members.count + others
    // An object without fields is right where one is wanted, and anything else is not.
    let whole = found?.object == nil ? 0.0 : 1
    var scores = [("fields", all == 0 ? whole : Double(right.count) / Double(all))]
    for member in object.members {
      scores.append(
        ("fields." + member.key, right.contains { $0.key == member.key } ? 1 : 0))
    }
    return scores
  }

  private func choices(
    _ record: AnswerRecord, _ example: EvaluationExample
  ) -> [(String, Double)] {
    if example.isPair, let pair = record.options.first, pair.count == 2 {
      let margin = pair[1].nats - pair[0].nats
      return [("preferred", margin > 0 ? 1 : 0), ("margin", margin)]
    }
    // Where a prompt leaves no room for an option, none is found likeliest.
    let chosen = record.options.map { losses in
      losses.contains { $0.tokens == 0 }
        ? nil : losses.indices.min { losses[$0].nats < losses[$1].nats }
    }
    guard !chosen.isEmpty else { return [] }
    let right = chosen.compactMap(\.self).count { example.right.contains(example.options[$0]) }
    let share = Double(right) / Double(chosen.count)
    guard chosen.count > 1 else { return [("choice", share)] }
    return [
      ("choice", share), ("choiceBothWays", right == chosen.count ? 1 : 0),
      ("choiceSwayed", Set(chosen).count > 1 ? 1 : 0),
    ]
  }
}

extension Scores {
  /// What the records of one model come to, in the order of ``Measure/all``.
  struct Table: Sendable {
    fileprivate(set) var names: [String] = []
    fileprivate(set) var parts: [String: [Bootstrap.Part]] = [:]

    fileprivate mutating func add(_ name: String, _ part: Bootstrap.Part) {
      if parts[name] == nil { names.append(name) }
      parts[name, default: []].append(part)
    }
  }

  /// What each line of `records` adds to each measure.
  func table(_ records: [AnswerRecord]) -> Table {
    var table = Table()
    var groups: [String: (unit: Int, kept: Bool)] = [:]
    for record in records {
      if let loss = record.loss, loss.tokens > 0 {
        let part = Bootstrap.Part(
          unit: record.index, sum: loss.nats, weight: Double(loss.tokens))
        table.add("loss", part)
        table.add("perplexity", part)
      }
      for (name, value) in scores(of: record) {
        table.add(name, Bootstrap.Part(unit: record.index, sum: value, weight: 1))
        if name == "rule", let group = examples[record.index].group {
          let before = groups[group]
          groups[group] = (before?.unit ?? record.index, (before?.kept ?? true) && value == 1)
        }
      }
    }
    for group in groups.values.sorted(by: { $0.unit < $1.unit }) {
      table.add("groups", Bootstrap.Part(unit: group.unit, sum: group.kept ? 1 : 0, weight: 1))
    }
    let order = Dictionary(
      uniqueKeysWithValues: Measure.all.enumerated().map { ($1.name, $0) })
    table.names = table.names.enumerated().sorted { left, right in
      let key = { (name: String) in order[String(name.prefix { $0 != "." })] ?? order.count }
      return (key(left.element), left.offset) < (key(right.element), right.offset)
    }.map(\.element)
    return table
  }

  /// The figures of `records`, with intervals.
  public func figures(
    of records: [AnswerRecord], _ bootstrap: Bootstrap
  ) -> [(name: String, estimate: Estimate)] {
    let table = table(records)
    return table.names.compactMap { name in
      bootstrap.estimate(table.parts[name] ?? [], map: Self.map(name)).map { (name, $0) }
    }
  }

  /// How much the figures of `records` are above those of `others`, by the lines that both have.
  public func differences(
    of records: [AnswerRecord], above others: [AnswerRecord], _ bootstrap: Bootstrap
  ) -> [(name: String, estimate: Estimate)] {
    let (table, other) = (table(records), table(others))
    return table.names.compactMap { name in
      bootstrap.difference(
        table.parts[name] ?? [], other.parts[name] ?? [], map: Self.map(name)
      ).map { (name, $0) }
    }
  }

  /// The names of all measures that answers to these lines can have.
  package var names: [String] {
    let records = examples.indices.map { index in
      var record = AnswerRecord(index: index)
      let example = examples[index]
      if example.whole != nil { record.loss = AnswerLoss(nats: 0, tokens: 1) }
      if example.isAsked { record.answer = "" }
      let orders = example.options.isEmpty ? 0 : example.showsOptions ? 2 : 1
      record.options = Array(
        repeating: example.options.map { _ in AnswerLoss(nats: 0, tokens: 1) }, count: orders)
      return record
    }
    return table(records).names
  }

  /// The records, those whose answers are worst first: by what the line is judged by, then by the loss.
  package func worstFirst(_ records: [AnswerRecord]) -> [AnswerRecord] {
    let keys = records.map { record -> (Double, Double) in
      let scores = scores(of: record)
      let main = ["rule", "choice", "preferred", "exactMatch", "fields"].compactMap { name in
        scores.first { $0.name == name }?.value
      }
      let share = main.isEmpty ? 1 : main.reduce(0, +) / Double(main.count)
      let loss = record.loss.map { $0.nats / Double(max($0.tokens, 1)) } ?? 0
      return (share, -loss)
    }
    return records.indices.sorted { left, right in
      (keys[left].0, keys[left].1, left) < (keys[right].0, keys[right].1, right)
    }.map { records[$0] }
  }

  private static func map(_ name: String) -> (Double) -> Double {
    name == "perplexity" ? { Mathematics.exponential($0) } : { $0 }
  }
}
