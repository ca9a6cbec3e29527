import ChatTemplates

/// Figures of a data set.
package struct DataStatistics: Sendable, Equatable {
  /// Where the values of a list lie.
  package struct Distribution: Sendable, Equatable {
    /// Smallest value.
    package let minimum: Int
    /// The value in the middle; the lower one of two.
    package let median: Int
    /// The value that 95 of 100 do not exceed.
    package let percentile95: Int
    /// Largest value.
    package let maximum: Int
    /// Sum of all.
    package let total: Int

    /// The distribution of `values`; nil when there are none.
    package init?(_ values: Tally) {
      guard values.count > 0 else { return nil }
      func place(_ percent: Int) -> Int { (values.count * percent + 99) / 100 - 1 }
      let found = values.sorted(at: [0, place(50), place(95), values.count - 1])
      (minimum, median, percentile95, maximum) = (found[0], found[1], found[2], found[3])
      total = values.total
    }
  }

  /// Examples by form.
  package private(set) var forms: [ExampleForm: Int] = [:]
  /// Messages by the name of their role.
  package private(set) var roles: [String: Int] = [:]
  /// Lines with errors, which are in no other figure.
  package private(set) var refused = 0
  /// Answers of each example; those of pairs are two.
  package private(set) var answers = Tally()
  /// Unicode scalars of each example: of its messages, a rejected one too, or its text.
  package private(set) var characters = Tally()
  /// Tokens of each example, where a base is known; of a pair those of both sides.
  package private(set) var tokens = Tally()
  /// Tokens of each example that are learnt.
  package private(set) var trainedTokens = Tally()

  /// Examples without errors.
  package var examples: Int { characters.count }

  /// The share of all tokens that is learnt, 0 to 1; nil when no tokens were counted.
  package var trainedShare: Double? {
    tokens.total == 0 ? nil : Double(trainedTokens.total) / Double(tokens.total)
  }

  /// Adds a line, in tokens too where there is a renderer.
  private mutating func add(
    _ record: DataSetReader.Record, _ renderer: ExampleRenderer?
  ) throws(DataSetError) {
    guard let example = record.example else {
      if !record.errors.isEmpty { refused += 1 }
      return
    }
    forms[example.form, default: 0] += 1
    for message in example.messages { roles[message.role.rawValue, default: 0] += 1 }
    answers.add(
      example.messages.count { $0.role == .assistant } + (example.rejected == nil ? 0 : 1))
    switch example.content {
    case .text(let text): characters.add(text.unicodeScalars.count)
    case .chat(let messages, _):
      let said = messages + (example.rejected.map { [$0] } ?? [])
      characters.add(said.reduce(0) { $0 + $1.content.unicodeScalars.count })
    }
    guard let rendered = try renderer?.render(example) else { return }
    tokens.add(rendered.size())
    trainedTokens.add(rendered.trainedCount)
  }
}

extension DataStatistics {
  /// The figures of the files at `paths` together, in tokens too where there is a renderer; lines with errors are counted and left
  /// out.
  package init(
    reading paths: [String], renderer: ExampleRenderer?,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(DataSetError) {
    self.init()
    for path in paths {
      var reader = try DataSetReader(opening: path)
      while let record = try reader.record() {
        guard !isCancelled() else { throw .cancelled }
        try add(record, renderer)
      }
    }
  }
}
