import AdapterTraining
import Adapters
import ChatTemplates
import Glibc
import LanguageModels
import SystemFiles
import Tokenization

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

extension ExitCode {
  init(_ error: FileError) {
    switch error {
    case .system(_, _, let code) where code == ENOENT || code == ENOTDIR: self = .notFound
    case .system(_, _, let code) where code == EBUSY || code == EWOULDBLOCK: self = .busy
    case .system: self = .storage
    default: self = .invalid
    }
  }

  init(_ error: TrainingError) {
    switch error {
    case .file(let error): self.init(error)
    case .base(let error): self.init(error)
    case .package(let error): self = ExitCode(rawValue: error.exitCode) ?? .invalid
    case .invalidOption, .draftTooLarge: self = .usage
    case .noTarget, .tokenOutside, .otherTraining, .otherVersion, .otherBase: self = .incompatible
    case .nothingToLearn, .noPair, .noReference, .checkpoint: self = .invalid
    case .diverged, .rose, .overgrown: self = .invalid
    case .cancelled: self = .interrupted
    }
  }

  init(_ error: TokenizerError) {
    switch error {
    case .tensorFile(let error): self.init(error)
    case .tokenizer: self = .invalid
    }
  }

  init(_ error: ChatDefect) {
    switch error {
    case .unreadableTemplate(let error): self.init(error)
    default: self = .invalid
    }
  }

  init(_ error: BaseModelError) {
    switch error {
    case .tensorFile(let error): self.init(error)
    case .contextExceeded, .contextTooLong, .noRoom, .emptyPrompt, .tokenOutsideVocabulary,
      .invalidOption:
      self = .usage
    case .adapterLayers, .adapterMismatch, .draft: self = .incompatible
    case .cancelled: self = .interrupted
    default: self = .invalid
    }
  }
}
