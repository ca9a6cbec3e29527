import AdapterTraining
import Adapters
import JSON
import LanguageModels
import SystemFiles

extension EvaluationReport {
  /// Everything that was found.
  func json() throws -> JSONValue {
    let sources = evaluation.sources
    var object: JSONObject = [
      "data": .object(facts(0)),
      "base": .object([
        "path": .string(evaluation.basePath),
        "signature": .string(try evaluation.model.signature()),
      ]),
      "settings": .object(
        settings(["resamples": .integer(bootstrap.resamples), "interval": .decimal(0.95)])),
      "isComplete": .bool(evaluation.isComplete),
      "measures": .object(
        JSONObject(names.map { .init(key: $0, value: .string(Self.meaning(of: $0))) })),
      "subjects": .array(columns.map { .object(json($0)) }),
    ]
    object["outside"] = sources.outside.map { _ in .object(facts(1)) }
    object["shard"] = evaluation.shard.map { .string($0.description) }
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

  /// What figures follow from besides data, base and adapter, with `others`.
  private func settings(_ others: JSONObject) -> JSONObject {
    JSONObject(evaluation.conditions.members + others.members)
  }

  /// What the figure called `name` says, in a few words.
  static func meaning(of name: String) -> String {
    let isOutside = name.hasPrefix(Requirement.outside)
    let plain = isOutside ? String(name.dropFirst(Requirement.outside.count)) : name
    return Measure(plain)?.meaningInCommand ?? "by how much the loss outside rose"
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
        "seconds": .decimal(subject.seconds, digits: 3),
        "tokensPerSecond": subject.tokensPerSecond.map { .decimal($0, digits: 1) } ?? .null,
      ]),
    ]
    object["package"] = subject.package.map(JSONValue.string)
    object["identifier"] = subject.adapter.map { .string($0.identifier) }
    object["weights"] = subject.adapter.map { .string($0.contentHash) }
    if !column.differences.isEmpty { object["aboveBase"] = Self.json(column.differences) }
    for (index, part) in evaluation.sources.parts.enumerated() {
      let records = subject.records[index]
      // Those of a shard are to be joined by their places.
      let shown = evaluation.shard == nil ? part.scores.worstFirst(records) : records
      object[index == 0 ? "answers" : "answersOutside"] = .array(
        shown.map { .object(json($0, part)) })
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

  private func json(_ record: AnswerRecord, _ part: EvaluationSources.Part) -> JSONObject {
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
    if record.answer != nil {
      object["tokens"] = .integer(record.tokens)
      let options = evaluation.settings(at: record.index)
      object["seed"] = options.temperature > 0 ? options.seed.map(JSONValue.seed) : nil
    }
    if let loss = record.loss {
      object["loss"] = .object([
        "nats": .decimal(loss.nats), "tokens": .integer(loss.tokens),
      ])
    }
    if !record.options.isEmpty {
      object["options"] = .array(
        record.options.map { losses in
          .array(losses.map { $0.tokens == 0 ? .null : .decimal($0.nats) })
        })
    }
    object["scores"] = .object(
      JSONObject(
        part.scores.scores(of: record).map { .init(key: $0.name, value: .decimal($0.value)) }))
    return object
  }
}

extension EvaluationReport {
  /// Writes the figures into the packages, and returns their paths.
  func record() throws -> [String] {
    let base = columns.first { $0.subject.adapter == nil }
    let baseDigest = try SHA256.hex(ofFile: evaluation.basePath)
    return try columns.compactMap { column in
      guard let package = column.subject.package else { return nil }
      let weights = try SHA256.hex(ofFile: FilePath.join(package, "adapter_weights.bin"))
      return try AdapterWriter.write(
        evaluation: .object(recorded(column, base, weights: weights, baseDigest: baseDigest)),
        into: package, for: evaluation.model.contract())
    }
  }

  /// What a package says of itself.
  private func recorded(
    _ column: Column, _ base: Column?, weights: String, baseDigest: String
  ) -> JSONObject {
    let sources = evaluation.sources
    var object = settings([
      "adapter": Self.values(column), "tool": .string("fmadapter \(programVersion)"),
      "lines": .integer(sources.main.examples.count),
      "set": .string(FilePath.name(of: sources.main.set.path)),
      "setSHA256": .string(sources.main.set.digest), "baseSHA256": .string(baseDigest),
      "weightsSHA256": .string(weights),
      "intervals": .object(
        JSONObject(
          column.figures.map { figure in
            let ends = [figure.estimate.low, figure.estimate.high].map {
              JSONValue.decimal($0, digits: 4)
            }
            return .init(key: figure.name, value: .array(ends))
          })),
    ])
    object["base"] = base.map(Self.values)
    if let outside = sources.outside {
      object["outsideSet"] = .string(FilePath.name(of: outside.set.path))
      object["outsideSetSHA256"] = .string(outside.set.digest)
      object["outsideLines"] = .integer(outside.examples.count)
    }
    return object
  }

  private static func values(_ column: Column) -> JSONValue {
    .object(
      JSONObject(
        column.figures.map { .init(key: $0.name, value: .decimal($0.estimate.value, digits: 4)) }))
  }
}

extension Measure {
  /// What it is, with the option that it depends on.
  var meaningInCommand: String {
    switch name {
    case "pattern": "answers that match --pattern"
    case "cut": "answers that were cut at --max-tokens"
    default: meaning
    }
  }
}
