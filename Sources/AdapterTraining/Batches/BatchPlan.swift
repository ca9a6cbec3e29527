import LanguageModels

/// Divides examples into batches, each epoch in another order that follows from a seed.
///
/// The batches of an epoch depend on examples, options and the number of the epoch alone, so that a training that was
/// stopped can go on where it was. Every example is in one batch of each epoch.
package struct BatchPlan: Sendable {
  /// Longest sequence, in tokens.
  package let contextLength: Int
  /// Examples that are longer than the context and lose their end.
  package let cutCount: Int
  /// Tokens that a batch has at least, but for the last one.
  private let tokensPerBatch: Int
  /// Sequences that a batch has, in place of its tokens.
  private let sequencesPerBatch: Int?
  private let arrangement: TrainingOptions.Arrangement
  /// Decides the order.
  private let seed: UInt64
  private let examples: [TokenizedExample]

  /// Examples sorted in windows of this many batches: alike enough in length, and yet different in each epoch.
  private static let window = 8

  /// Plans batches of `examples`; those of which nothing is left to learn within the context are in none.
  init(
    _ examples: [TokenizedExample], contextLength: Int, tokensPerBatch: Int,
    sequencesPerBatch: Int? = nil, arrangement: TrainingOptions.Arrangement = .sorted,
    seed: UInt64 = 0
  ) {
    precondition(contextLength > 1 && tokensPerBatch > 0, "batches need room for tokens")
    precondition(sequencesPerBatch ?? 1 > 0, "batches need room for sequences")
    (self.contextLength, self.tokensPerBatch) = (contextLength, tokensPerBatch)
    self.sequencesPerBatch = sequencesPerBatch
    (self.arrangement, self.seed) = (arrangement, seed)
    self.examples = examples.filter { $0.isOfUse(within: contextLength) }
    cutCount = self.examples.count { $0.size(limit: contextLength) < $0.size() }
  }

  /// Examples that are in some batch.
  package var exampleCount: Int { examples.count }

  /// The batches of an epoch, the first of which is 0.
  func epoch(_ number: Int) -> [TrainingBatch] {
    precondition(number >= 0, "epochs are counted from 0")
    var random = SplitMix64(seed: seed)
    random = SplitMix64(seed: random.next() &+ UInt64(number))
    let order = shuffled(Array(examples.indices), &random)
    switch arrangement {
    case .sorted: return shuffled(batches(inWindows(order)), &random)
    case .packed: return batches(packed(order))
    }
  }

  /// Sequences of one example each, sorted by length within windows.
  private func inWindows(_ order: [Int]) -> [TrainingSequence] {
    var sequences: [TrainingSequence] = []
    var window: [TrainingSequence] = []
    var count = 0
    func flush() {
      // The order of equally long ones is that of the shuffle, as sorting is stable.
      sequences += window.sorted { $0.tokens.count < $1.tokens.count }
      (window, count) = ([], 0)
    }
    for index in order {
      window.append(TrainingSequence(examples[index], limit: contextLength))
      count += examples[index].size(limit: contextLength)
      let isFull =
        sequencesPerBatch.map { window.count >= Self.window * $0 }
        ?? (count >= Self.window * tokensPerBatch)
      if isFull { flush() }
    }
    flush()
    return sequences
  }

  /// Sequences filled in order; an example that does not fit any more starts the next one.
  private func packed(_ order: [Int]) -> [TrainingSequence] {
    var sequences: [TrainingSequence] = []
    var current = TrainingSequence()
    for index in order {
      let length = examples[index].size(limit: contextLength)
      // Both sides of a pair may be as long as the context.
      if current.tokens.count + length > contextLength, !current.tokens.isEmpty {
        sequences.append(current)
        current = TrainingSequence()
      }
      current.append(examples[index], limit: contextLength)
    }
    return current.tokens.isEmpty ? sequences : sequences + [current]
  }

  private func batches(_ sequences: [TrainingSequence]) -> [TrainingBatch] {
    var batches: [TrainingBatch] = []
    var current: [TrainingSequence] = []
    var count = 0
    for sequence in sequences {
      current.append(sequence)
      count += sequence.tokens.count
      if sequencesPerBatch.map({ current.count >= $0 }) ?? (count >= tokensPerBatch) {
        batches.append(TrainingBatch(current))
        (current, count) = ([], 0)
      }
    }
    return current.isEmpty ? batches : batches + [TrainingBatch(current)]
  }

  // Not the standard library's shuffle, whose order may change with its version.
  private func shuffled<Element>(
    _ elements: [Element], _ random: inout SplitMix64
  ) -> [Element] {
    var elements = elements
    for index in elements.indices.dropFirst().reversed() {
      let other = Int(random.next() % UInt64(index + 1))
      elements.swapAt(index, other)
    }
    return elements
  }
}

/// Which batch each step of a training learns from.
struct BatchSchedule {
  private let plan: BatchPlan
  /// Steps of the whole training.
  private(set) var stepCount = 0
  /// Number of the first step of each epoch, of those that have been needed.
  private var epochStarts = [0]
  private var epoch: (number: Int, batches: [TrainingBatch])?

  /// `steps` steps, in as many epochs as they take; the steps of `epochs` epochs if nil.
  init(_ plan: BatchPlan, epochs: Int, steps: Int?) {
    self.plan = plan
    stepCount = steps ?? firstStep(of: epochs)
  }

  /// The number of the first step of an epoch, the first of which is 0.
  mutating func firstStep(of epoch: Int) -> Int {
    while epochStarts.count <= epoch {
      let last = epochStarts.count - 1
      epochStarts.append(epochStarts[last] + plan.epoch(last).count)
    }
    return epochStarts[epoch]
  }

  /// The epoch and the batch of a step, the first of which is 0.
  mutating func batch(_ step: Int) -> (epoch: Int, batch: TrainingBatch) {
    var number = 0
    while firstStep(of: number + 1) <= step { number += 1 }
    let index = step - firstStep(of: number)
    if let epoch, epoch.number == number { return (number, epoch.batches[index]) }
    let batches = plan.epoch(number)
    epoch = (number, batches)
    return (number, batches[index])
  }
}
