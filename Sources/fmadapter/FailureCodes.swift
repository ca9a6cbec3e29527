import AdapterTraining
import Adapters
import ChatTemplates
import Foundation
import LanguageModels
import TensorFiles
import Tokenization

/// Errors of the libraries as exit codes: what is missing, what is broken, what does not fit, what the system refused.
extension ExitCode {
  init(_ error: TensorFileError) {
    switch error {
    case .system(_, _, let code) where code == ENOENT || code == ENOTDIR: self = .notFound
    case .system(_, _, let code) where code == EBUSY || code == EWOULDBLOCK: self = .busy
    case .system: self = .storage
    case .changed: self = .integrity
    default: self = .invalid
    }
  }

  init(_ error: TrainingError) {
    switch error {
    case .file(let error): self.init(error)
    case .base(let error): self.init(error)
    case .package(let error): self = ExitCode(rawValue: error.exitCode) ?? .invalid
    case .invalidOption: self = .usage
    case .tokenOutside, .otherTraining: self = .incompatible
    case .nothingToLearn, .checkpoint: self = .invalid
    case .diverged, .rose: self = .invalid
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

  init(_ error: LanguageModelError) {
    switch error {
    case .tensorFile(let error): self.init(error)
    case .contextExceeded, .contextTooLong, .emptyPrompt, .tokenOutsideVocabulary, .invalidOption:
      self = .usage
    case .adapterLayers, .adapterMismatch: self = .incompatible
    case .cancelled: self = .interrupted
    default: self = .invalid
    }
  }
}
