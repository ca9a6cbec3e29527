extension AdapterTrainer {
  /// Goes on where all steps have been made, the loss that was measured behind the last one still falls, and the options allow it: for
  /// half as many epochs as were planned, in which the rate rises and falls anew.
  ///
  /// - Returns: How many epochs those are; nil where the training is over, or not yet at its end.
  public func goOn() -> Int? {
    guard epochsLeft > 0, stepsDone == stepCount, watch.points.last?.step == stepsDone,
      watch.hasFallen, watch.lastFall != nil
    else { return nil }
    factors = learnt
    extend(to: extensions + 1)
    return epochsOfExtension
  }

  /// Epochs that it went on for.
  package var epochsAdded: Int { extensions * epochsOfExtension }

  /// Epochs that it may still go on for, beyond those that it has now.
  package var epochsLeft: Int {
    options.steps == nil ? (options.extensions - extensions) * epochsOfExtension : 0
  }

  private var epochsOfExtension: Int { (options.epochs + 1) / 2 }

  /// Steps of a training that went on `extensions` times.
  func stepCount(extensions: Int) -> Int {
    guard extensions > 0 else { return schedule.stepCount }
    return schedule.firstStep(of: options.epochs + extensions * epochsOfExtension)
  }

  /// Becomes a training that went on `extensions` times.
  func extend(to extensions: Int) {
    let begin = extensions > 0 ? stepCount(extensions: extensions - 1) : 0
    (self.extensions, stepCount) = (extensions, stepCount(extensions: extensions))
    watch.begin = begin
    rate = LearningRate(options, &schedule, begin: begin, steps: stepCount - begin)
    average?.begin(share: options.averaging, of: stepCount - begin)
  }
}

extension LearningRate {
  /// That of `steps` steps behind the first `begin` ones.
  init(
    _ options: TrainingOptions, _ schedule: inout BatchSchedule, begin: Int = 0, steps: Int
  ) {
    self.init(
      highest: options.learningRate, schedule: options.schedule,
      warmup: options.warmupSteps ?? options.warmupEpochs.map { schedule.firstStep(of: $0) },
      begin: begin, steps: steps)
  }
}
