/// Losses of the same examples at several moments of a training, and what they say about it.
public struct LossWatch: Sendable, Equatable {
  /// A loss at a moment.
  public struct Point: Sendable, Equatable {
    /// Steps that had been made.
    public let step: Int
    /// Mean loss of the foretold tokens, in nats, or as the objective has it for pairs.
    public let loss: Double
    /// Rewards of the answers of pairs; nil where there are none.
    package var rewards: PreferenceRewards?
    /// Standard error of the loss as a mean over pairs; nil where there are none.
    var error: Double?
  }

  /// All losses so far, the first of which is that of the start.
  package private(set) var points: [Point] = []
  /// Losses of the last steps, each of its own batch.
  private(set) var recent: [Double] = []
  private(set) var firstStep: Double?
  /// Steps behind which the training went on the last time; 0 where it has not.
  var begin = 0

  /// A loss that is this many times that of the start does not come down again.
  static let limit = 1.5
  /// The same for pairs: a few of them that are held out and surely mistaken cost much where most are right.
  static let pairLimit = 5.0
  /// Losses of single batches differ, so that several are taken together, and a rise has to be larger than that of `limit`.
  static let batches = 8
  /// Falls below this share say no more than that the rate went down to zero.
  static let notableFall = 0.02
  /// Nats below which all is known that can be.
  static let known = 0.01
  /// Nats below which batches leave next to nothing to learn.
  static let learnt = 0.02
  /// Measures without a notable fall that end a training whose batches leave nothing to learn.
  static let settled = 2

  /// A watch that has seen nothing.
  init() {}

  /// Goes on behind `points`, and behind steps whose last losses are `recent`.
  init(_ points: [Point], firstStep: Double?, recent: [Double]) {
    (self.points, self.firstStep, self.recent) = (points, firstStep, recent)
  }

  /// Takes the loss after `step` steps.
  ///
  /// - Returns: Whether it is the lowest so far, that of the start aside.
  /// - Throws: `TrainingError.diverged` when it is not finite, `.rose` when it ``isLost`` and none was below the first.
  @discardableResult
  mutating func add(
    _ loss: Double, after step: Int, rewards: PreferenceRewards? = nil, error: Double? = nil
  ) throws(TrainingError) -> Bool {
    guard loss.isFinite else { throw .diverged(step: step) }
    let isLowest = points.dropFirst().allSatisfy { loss < $0.loss }
    points.append(Point(step: step, loss: loss, rewards: rewards, error: error))
    guard !isLost || hasFallen else {
      throw .rose(step: step, from: points[0].loss, to: loss)
    }
    return isLowest
  }

  /// Takes what a step found in its own batch.
  ///
  /// - Throws: `TrainingError.rose` when the last steps together are far above the start.
  mutating func add(_ step: TrainingStep) throws(TrainingError) {
    let first = firstStep ?? step.loss
    firstStep = first
    recent = recent.suffix(Self.batches - 1) + [step.loss]
    guard let mean = recentMean else { return }
    let start = max(first, points.first?.loss ?? first)
    guard mean <= start * 2 + 0.5 else { throw .rose(step: step.number, from: start, to: mean) }
  }

  /// Mean loss of the last batches; nil while there are too few.
  private var recentMean: Double? {
    recent.count == Self.batches ? recent.reduce(0, +) / Double(recent.count) : nil
  }

  /// Whether the last batches leave next to nothing to learn.
  var isLearnt: Bool { recentMean.map { $0 < Self.learnt } ?? false }

  /// Whether more steps change nothing: all batches are learnt, and what is measured moves no more.
  public var isSettled: Bool { isLearnt && momentsSinceFall >= Self.settled }

  /// Moments since a loss that was notably below all before it.
  private var momentsSinceFall: Int {
    var (lowest, place) = (Double.infinity, 0)
    for (index, point) in points.enumerated() where point.loss < lowest * (1 - Self.notableFall) {
      if lowest > Self.known { place = index }
      lowest = point.loss
    }
    return max(points.count - 1 - place, 0)
  }

  /// Whether `step` is so far behind the last measure of what is learnt that another one tells whether it still moves.
  package func asksAgain(after step: Int) -> Bool {
    isLearnt && step - (points.last?.step ?? 0) >= Self.batches
  }

  /// Judges the whole training.
  ///
  /// - Throws: `TrainingError.rose` when no loss is below the first, and the last is above it by more than chance.
  public func finish() throws(TrainingError) {
    guard let first = points.first, let last = points.last, last.loss > first.loss + chance,
      !hasFallen
    else { return }
    throw .rose(step: last.step, from: first.loss, to: last.loss)
  }

  /// Whether the last loss is half as high again as the first, or, with the rewards of pairs, five times as high.
  ///
  /// Examples that were held out get there once those that are learnt are known by heart.
  package var isLost: Bool {
    guard let first = points.first, let last = points.last else { return false }
    return last.loss > first.loss * (last.rewards == nil ? Self.limit : Self.pairLimit)
  }

  /// How far the last loss may be above the first by the choice of so few pairs: two standard errors.
  private var chance: Double { 2 * (points.last?.error ?? 0) }

  /// Whether a loss was below the first.
  package var hasFallen: Bool {
    guard let first = points.first else { return false }
    return points.contains { $0.loss < first.loss }
  }

  /// The moment with the lowest loss; the start only where all later losses are above it by more than chance.
  public var best: Point? {
    guard let first = points.first else { return nil }
    let later = points.dropFirst().min { $0.loss < $1.loss }
    guard let later, later.loss <= first.loss + chance else { return first }
    return later
  }

  /// Moments since the lowest loss.
  package var momentsSinceBest: Int {
    guard let best, let place = points.firstIndex(of: best) else { return 0 }
    return points.count - 1 - place
  }

  /// Share by which the loss fell in the last quarter, when it is worth more training; else nil.
  package var lastFall: Double? {
    guard points.last.map({ $0.loss > Self.known }) == true else { return nil }
    return fallOfQuarter.flatMap { $0 >= Self.notableFall ? $0 : nil }
  }

  /// Whether the loss was measured in the last quarter, and fell by less than is notable.
  package var isLevel: Bool { fallOfQuarter.map { $0 < Self.notableFall } ?? false }

  /// Share by which the loss fell in the last quarter; nil where it ended above its lowest, or no measure from the third quarter is
  /// there to compare it with.
  ///
  /// Of a training that went on it is the quarter of that, and no more than what all of it brought, as a rate that rises anew loses
  /// first what it wins later.
  private var fallOfQuarter: Double? {
    guard let last = points.last, best == last,
      let before = points.last(where: { ($0.step - begin) * 4 <= (last.step - begin) * 3 }),
      (before.step - begin) * 2 > last.step - begin
    else { return nil }
    let known = begin > 0 ? points.last { $0.step <= begin } : nil
    let loss = min(before.loss, known?.loss ?? before.loss)
    return (loss - last.loss) / loss
  }
}
