import AdapterTraining
import JSON

/// The lines that are measured on, and how they are judged.
struct EvaluationSources {
  /// One of the files.
  struct Part {
    let set: EvaluationSet
    let examples: [EvaluationExample]
    let scores: Scores
  }

  let main: Part
  let outside: Part?
  /// What was said of how they are asked and judged.
  let conditions: JSONObject

  init(
    _ set: EvaluationSet, outside: EvaluationSet?, limit: Int?, pattern: String?,
    conditions: JSONObject
  ) throws {
    self.conditions = conditions
    func part(_ set: EvaluationSet, _ pattern: String?) throws -> Part {
      var counts: [String: Int] = [:]
      let examples = set.examples.filter { example in
        counts[example.file, default: 0] += 1
        return counts[example.file, default: 0] <= limit ?? .max
      }
      return Part(
        set: set, examples: examples, scores: try Scores(examples, pattern: pattern))
    }
    main = try part(set, pattern)
    self.outside = try outside.map { try part($0, nil) }
  }

  var parts: [Part] { [main] + (outside.map { [$0] } ?? []) }

  /// The names of all figures that come of it.
  var names: [String] {
    let others = outside?.scores.names ?? []
    return main.scores.names + others.map { Requirement.outside + $0 }
      + (others.contains("loss") ? [Requirement.forgotten] : [])
  }
}
