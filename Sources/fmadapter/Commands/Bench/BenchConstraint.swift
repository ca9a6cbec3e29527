import Grammars
import JSON
import SystemFiles
import TensorFiles
import Tokenization

/// `bench --schema`: what it costs to keep to a form.
enum BenchConstraint {
  static let schema = Option(
    "--schema", .file, "Instead, what it costs to keep to this JSON Schema, along --values")
  static let values = Option(
    "--values", .file, "With --schema, values that fit it, one per line, as if they were generated")
  static let all: [any OptionDeclaration] = [schema, values]

  /// - Throws: `Failure` for a schema that cannot be enforced, and for values that do not fit it.
  static func run(_ invocation: Invocation, schema path: String) async throws -> ConstraintReport {
    let arguments = invocation.arguments
    guard let valuesPath = arguments.value(values) else {
      throw invocation.conflict("--schema needs --values with the path of a file")
    }
    let basePath = try await Library(invocation.terminal).basePath(
      arguments.value(ModelOptions.base))
    let tokenizer = try Tokenizer(GGUFFile(path: basePath))
    let schema = try InputText.json(path)
    let lines = try InputText.file(valuesPath).split(separator: UInt8(ascii: "\n"))
    var report = ConstraintReport(base: basePath, vocabularySize: tokenizer.count)
    for (index, line) in lines.enumerated() {
      let place = "\(valuesPath), line \(index + 1)"
      guard let value = try? JSONDocument(parsing: Array(line)).root else {
        throw Failure(.invalid, "\(place): that is not JSON")
      }
      let tokens = tokenizer.pieces(of: Array(value.line.utf8))
      let fits: Bool
      do throws(GrammarDefect) {
        fits = try report.measure(
          schema, tokenizer, tokens, rounds: arguments.value(BenchCommand.rounds) ?? 3)
      } catch {
        throw Failure(.invalid, "\(path): \(error)")
      }
      guard fits else {
        throw Failure(.invalid, "\(place): the value does not fit the schema as it is generated")
      }
    }
    guard !report.masks.isEmpty else { throw Failure(.invalid, "\(valuesPath): there is no value") }
    return report
  }
}

/// What `bench --schema` measured.
struct ConstraintReport: Encodable {
  let base: String
  let vocabularySize: Int
  /// Milliseconds until each constraint was ready; the first goes through the vocabulary.
  private(set) var constraints: [Double] = []
  /// Microseconds for the tokens that may come, before each token of the values.
  private(set) var masks: [Double] = []

  init(base: String, vocabularySize: Int) {
    (self.base, self.vocabularySize) = (base, vocabularySize)
  }

  /// Generates `tokens` under `schema`, `rounds` times, of which the fastest counts for each mask; false where one of them may
  /// not come, or the text not end behind them.
  mutating func measure(
    _ schema: JSONValue, _ tokenizer: Tokenizer, _ tokens: [Token], rounds: Int
  ) throws(GrammarDefect) -> Bool {
    let clock = ContinuousClock()
    var fastest = [Double](repeating: .infinity, count: tokens.count)
    for _ in 0..<rounds {
      let begin = clock.now
      var constraint = try GrammarConstraint(
        Grammar(schema: schema), tokenizer: tokenizer, stopTokens: tokenizer.endsOfGeneration)
      constraints.append(begin.duration(to: clock.now) / .milliseconds(1))
      for (index, token) in tokens.enumerated() {
        let begin = clock.now
        var mask = TokenMask(count: tokenizer.count)
        try constraint.markAllowed(in: &mask)
        fastest[index] = min(fastest[index], begin.duration(to: clock.now) / .microseconds(1))
        guard mask[token] else { return false }
        try constraint.advance(past: token)
      }
      guard constraint.isComplete else { return false }
    }
    masks += fastest
    return true
  }

  var facts: FactList {
    var facts = FactList()
    facts.add("base", base)
    facts.add("vocabulary", "\(vocabularySize) pieces")
    let rest = constraints.dropFirst().sorted()
    facts.add(
      "constraints",
      "\(Figures.fixed(constraints.first ?? 0, 1)) ms for the first"
        + (rest.isEmpty ? "" : ", \(Figures.fixed(rest[rest.count / 2], 2)) ms for the others"))
    let sorted = masks.sorted()
    facts.add(
      "masks",
      "\(masks.count), mean \(Figures.fixed(masks.reduce(0, +) / Double(masks.count), 1)) µs, "
        + "median \(Figures.fixed(sorted[sorted.count / 2], 1)) µs, "
        + "worst \(Figures.fixed(sorted.last ?? 0, 1)) µs")
    return facts
  }
}
