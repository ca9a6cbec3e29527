import Adapters
import LanguageModels
import TensorFiles

/// An error as the user meets it: a sentence and an exit code.
struct Failure: Error {
  let message: String
  let code: ExitCode

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as AdapterError:
      self.init(ExitCode(rawValue: error.exitCode) ?? .invalid, error.description)
    case let error as TensorFileError: self.init(ExitCode(error), error.description)
    case let error as LanguageModelError: self.init(ExitCode(error), error.description)
    case is CancellationError: self.init(.interrupted, "interrupted")
    default: self.init(.unexpected, "\(error)")
    }
  }

  func report(_ terminal: Terminal) -> ExitCode {
    terminal.error(message)
    return code
  }
}
