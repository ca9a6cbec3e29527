/// The program around the server, whose commands the studio's page may run.
package protocol StudioProgram: Sendable {
  /// Why a command may not be run for the page, as a sentence; nil where it may.
  func refusal(of words: [String]) -> String?

  /// Starts the program with `words` in `folder`, and tells what comes of it on a thread of its own; nil where it cannot be started.
  func start(
    _ words: [String], in folder: String, told: @escaping @Sendable (StudioEvent) -> Void
  ) -> (any StudioProcess)?

  /// The mean of `values` with its interval, as evaluations have it; nil for none.
  func estimate(_ values: [Double]) -> StudioEstimate?
}

/// What comes of a command.
package enum StudioEvent: Sendable {
  /// Of standard output.
  case output([UInt8])
  /// Of standard error.
  case message([UInt8])
  /// It has ended with this exit status, 128 and more for a signal; the last event.
  case ended(Int32)
}

/// A command that runs.
package protocol StudioProcess: Sendable {
  /// Asks it to end as Ctrl-C does.
  func stop()
  /// Holds it where it is.
  func pause()
  /// Lets it go on.
  func goOn()
}

/// A mean with the interval of 95 % in which it lies.
package struct StudioEstimate: Sendable, Equatable {
  package let value: Double
  package let low: Double
  package let high: Double

  package init(value: Double, low: Double, high: Double) {
    (self.value, self.low, self.high) = (value, low, high)
  }
}
