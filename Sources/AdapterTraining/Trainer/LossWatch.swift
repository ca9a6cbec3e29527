/// Losses of the same examples at several moments of a training, and what they say about it.
public struct LossWatch: Sendable, Equatable {
  /// A loss at a moment.
  public struct Point: Sendable, Equatable {
    /// Steps that had been made.
    public let step: Int
    /// Mean loss of the foretold tokens, in nats.
    public let loss: Double
  }

  /// All losses so far, the first of which is the base's own.
  public private(set) var points: [Point] = []

  /// A loss that is this many times the base's own does not come down again.
  static let limit = 1.5
  /// Falls below this share say no more than that the rate went down to zero.
  static let notableFall = 0.02

  /// A watch that has seen nothing.
  public init() {}

  /// Takes the loss after `step` steps.
  ///
  /// - Throws: `TrainingError.diverged` when it is not finite, `.rose` when it is half as high again as the first.
  public mutating func add(_ loss: Double, after step: Int) throws(TrainingError) {
    guard loss.isFinite else { throw .diverged(step: step) }
    points.append(Point(step: step, loss: loss))
    guard let first = points.first, loss <= first.loss * Self.limit else {
      throw .rose(step: step, from: points[0].loss, to: loss)
    }
  }

  /// Judges the whole training.
  ///
  /// - Throws: `TrainingError.rose` when the last loss is above the first.
  public func finish() throws(TrainingError) {
    guard let first = points.first, let last = points.last, last.loss > first.loss else { return }
    throw .rose(step: last.step, from: first.loss, to: last.loss)
  }

  /// Share by which the loss fell between the last two moments, when it is worth more training; else nil.
  public var lastFall: Double? {
    guard points.count > 2 else { return nil }
    let (before, last) = (points[points.count - 2].loss, points[points.count - 1].loss)
    let fall = (before - last) / before
    return fall >= Self.notableFall ? fall : nil
  }
}
