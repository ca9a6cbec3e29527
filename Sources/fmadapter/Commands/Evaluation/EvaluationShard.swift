import AdapterTraining
import JSON
import LanguageModels
import SystemFiles

/// What `eval --shard` has written: what some lines came to, to be joined with the others.
struct EvaluationShard {
  let path: String
  let shard: Shard
  private let json: JSONObject

  /// The shards in the files at `paths`, of a folder in all `.json` files, by their numbers.
  ///
  /// - Throws: `Failure` for a file that is no shard, one that was stopped, and one of another number of shards, and where a shard is
  ///   missing or stands twice.
  static func read(_ paths: [String]) throws -> [EvaluationShard] {
    let shards = try paths.flatMap(files).map(EvaluationShard.init)
    guard let first = shards.first else { return [] }
    var known: [Int: String] = [:]
    for part in shards {
      guard part.shard.count == first.shard.count else {
        throw Failure(
          .invalid,
          "\(part.path) has shard \(part.shard), and \(first.path) has \(first.shard)"
            + "\(remedy: "name the shards of one evaluation")")
      }
      if let other = known.updateValue(part.path, forKey: part.shard.number) {
        throw Failure(
          .invalid,
          "\(part.path) has shard \(part.shard), as has \(other)\(remedy: "name each shard once")")
      }
    }
    if let missing = (1...first.shard.count).first(where: { known[$0] == nil }) {
      throw Failure(
        .invalid,
        "shard \(missing)/\(first.shard.count) is missing\(remedy: "measure it by --shard, or name its file with --from")"
      )
    }
    return shards.sorted { $0.shard.number < $1.shard.number }
  }

  private static func files(_ path: String) throws -> [String] {
    guard FileSystem.isDirectory(following: path) else { return [path] }
    let names = try FileSystem.list(path).map(\.name).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else {
      throw Failure(
        .notFound, "\(path) has no .json file\(remedy: "name the folder of the shards")")
    }
    return try names.map { try FilePath.join(path, $0) }
  }

  private init(_ path: String) throws {
    self.path = path
    guard let json = (try? JSONDocument(parsing: InputText.file(path), limit: .max))?.root.object,
      let shard = json["shard"]?.string.flatMap(Shard.init)
    else { throw Self.none(path) }
    (self.json, self.shard) = (json, shard)
    guard json["isComplete"] == .bool(true) else {
      throw Failure(.invalid, "\(path) was stopped\(remedy: "measure shard \(shard) again")")
    }
  }

  private static func none(_ path: String) -> Failure {
    Failure(
      .invalid,
      "\(path) is no record of 'eval --shard'\(remedy: "name what --output has written there")")
  }
}

extension Evaluation {
  /// What answers and figures follow from besides data, base and adapter.
  var conditions: JSONObject {
    let object: JSONObject = [
      "temperature": .decimal(settings.temperature), "seed": .seed(settings.seed ?? 0),
      "maxTokens": .integer(settings.maximumTokens),
    ]
    return JSONObject(object.members + sources.conditions.members)
  }

  /// Takes the records of all shards.
  ///
  /// - Throws: `Failure` for a shard that was measured otherwise than is asked for here.
  mutating func take(_ shards: [EvaluationShard]) throws {
    let own = try origin()
    for part in shards {
      let others = RunRecord.differences(own, part.origin)
      guard others.isEmpty else {
        throw Failure(
          .invalid,
          "\(part.path) was measured otherwise: \(others.joined(separator: ", "))"
            + "\(remedy: "give the same file, base, adapters and options as there, or measure that shard again")"
        )
      }
      let found = try part.subjects(sources)
      for (index, subject) in found.enumerated() {
        for (file, records) in subject.records.enumerated() {
          subjects[index].records[file] += records
        }
        subjects[index].tokens += subject.tokens
        subjects[index].seconds += subject.seconds
      }
    }
  }

  /// All that decides what is measured.
  private func origin() throws -> JSONObject {
    var object = conditions
    object["data"] = .string(sources.main.set.digest)
    object["outside"] = (sources.outside?.set.digest).map(JSONValue.string)
    object["base"] = .string(try model.signature())
    object["adapters"] = .array(
      subjects.map { .text($0.adapter.map { "\($0.identifier) \($0.contentHash)" }) })
    return object
  }
}

extension EvaluationShard {
  private var subjects: [JSONObject] { (json["subjects"]?.array ?? []).compactMap(\.object) }

  /// As `Evaluation.origin`.
  fileprivate var origin: JSONObject {
    var object = json["settings"]?.object ?? [:]
    (object["resamples"], object["interval"]) = (nil, nil)
    object["data"] = json["data"]?.object?["sha256"]
    object["outside"] = json["outside"]?.object?["sha256"]
    object["base"] = json["base"]?.object?["signature"]
    object["adapters"] = .array(
      subjects.map { subject in
        .text(subject["identifier"]?.string.map { "\($0) \(subject["weights"]?.string ?? "")" })
      })
    return object
  }

  /// What each subject made of its lines.
  fileprivate func subjects(
    _ sources: EvaluationSources
  ) throws -> [(records: [[AnswerRecord]], tokens: Int, seconds: Double)] {
    try subjects.map { subject in
      let records = try zip(sources.parts, ["answers", "answersOutside"]).map { part, key in
        let (range, list) = (shard.range(of: part.examples.count), subject[key]?.array ?? [])
        guard list.count == range.count else { throw Self.none(path) }
        return try zip(range, list).map { place, value in
          guard let object = value.object, object["line"]?.integer == part.examples[place].line
          else { throw Self.none(path) }
          return AnswerRecord(object, at: place)
        }
      }
      let speed = subject["speed"]?.object
      return (records, speed?["tokens"]?.integer ?? 0, speed?["seconds"]?.number?.double ?? 0)
    }
  }
}

extension AnswerRecord {
  /// As `EvaluationReport` has written it.
  fileprivate init(_ json: JSONObject, at place: Int) {
    self.init(index: place)
    if let loss = json["loss"]?.object, let tokens = loss["tokens"]?.integer {
      self.loss = AnswerLoss(nats: Self.nats(loss["nats"]), tokens: tokens)
    }
    (answer, tokens) = (json["answer"]?.string, json["tokens"]?.integer ?? 0)
    isCut = json["scores"]?.object?["cut"]?.number?.double == 1
    options = (json["options"]?.array ?? []).map { order in
      (order.array ?? []).map { value in
        value == .null
          ? AnswerLoss(nats: 0, tokens: 0) : AnswerLoss(nats: Self.nats(value), tokens: 1)
      }
    }
  }

  private static func nats(_ value: JSONValue?) -> Double { value?.number?.double ?? .infinity }
}
