/// What the program's exit status says; the numbers are stable.
enum ExitCode: Int32, Error, Sendable, CaseIterable {
  case done = 0
  case unexpected = 1
  case usage = 2
  case notFound = 3
  case invalid = 4
  case integrity = 5
  case incompatible = 6
  case network = 7
  case storage = 8
  case busy = 9
  case interrupted = 130
  case terminated = 143
}

extension ExitCode {
  /// What the errors that end a command so are called in JSON.
  var kinds: [String] {
    switch self {
    case .done: []
    case .unexpected: ["\(self)", Failure.cutKind]
    default: ["\(self)"]
    }
  }
}
