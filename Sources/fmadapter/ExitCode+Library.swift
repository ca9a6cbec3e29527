import AdapterStore
import AdapterTraining
import Adapters
import ChatTemplates
import Glibc
import Interchange
import LanguageModels
import SystemFiles
import Tokenization

// What a command exits with for each error of a library: what is missing, what is broken, what does not fit, what the system
// refused.

extension ExitCode {
  /// Of any error; `unexpected` for one that no library has.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as StoreError: ExitCode(error)
      case let error as AdapterError: ExitCode(error)
      case let error as DataSetError: ExitCode(error)
      case let error as EvaluationError: ExitCode(error)
      case let error as TrainingError: ExitCode(error)
      case let error as InterchangeError: ExitCode(error)
      case let error as BaseModelError: ExitCode(error)
      case let error as TokenizerError: ExitCode(error)
      case let error as ChatDefect: ExitCode(error)
      case let error as FileError: ExitCode(error)
      case is CancellationError: .interrupted
      default: .unexpected
      }
  }
}

extension ExitCode {
  /// Of a file that was asked for.
  init(_ error: FileError) {
    switch error {
    case .system(_, _, let code) where code == ENOENT || code == ENOTDIR: self = .notFound
    case .system(_, _, let code) where code == EBUSY || code == EWOULDBLOCK: self = .busy
    default: self.init(within: error)
    }
  }

  /// Of a file within a package or the store, which nobody asked for.
  init(within error: FileError) { self = error.isRefusal ? .storage : .invalid }
}

extension ExitCode {
  init(_ error: StoreError) {
    self =
      switch error.code {
      case .ambiguous, .credentials, .severalCatalogs, .badDigest, .signedCatalog: .usage
      case .noAdapter, .noBase, .noBaseInstalled, .noBaseChosen, .noSource, .noPackage,
        .notInCatalogs, .noCatalog, .notOnServer, .notInFolder, .noIndex:
        .notFound
      case .refused: error.report?.exitCode ?? .invalid
      case .hub: error.hubFault.map { ExitCode($0) } ?? .network
      case .registry: error.registryFault.map { ExitCode($0) } ?? .network
      case .catalogLost: error.cause.map { ExitCode($0) } ?? .notFound
      case .storage: error.fileError.map { ExitCode(within: $0) } ?? .storage
      case .invalidBase, .invalidCatalog, .lock: .invalid
      case .damaged, .corrupted, .changedVersion, .changedOffer, .otherPublication, .olderVersion,
        .unverifiedFile, .unverified, .changedBytes, .otherBase, .olderPackage, .unknownVersion,
        .untrusted, .otherKeys, .yanked, .otherSigner:
        .integrity
      case .appleDraft, .uncompilable, .incompatible: .incompatible
      case .network: .network
      case .noHome, .noStore, .newer, .occupied, .noRoom: .storage
      case .busy, .compilationLimit: .busy
      case .cancelled: .interrupted
      }
  }

  init(_ fault: HubFault) {
    self =
      switch fault {
      case .badReference, .several: .usage
      case .noRepository, .noRevision, .noFile, .noBase, .noPackage: .notFound
      case .badListing: .invalid
      case .unknownToken, .gated, .disabled: .network
      }
  }

  init(_ fault: RegistryFault) {
    self =
      switch fault {
      case .badReference: .usage
      case .noRepository, .noManifest, .noPackage, .noCatalog: .notFound
      case .badManifest: .invalid
      case .denied, .refused, .nonsense: .network
      }
  }

  init(_ error: AdapterError) {
    self =
      switch error {
      case .notFound: .notFound
      case .refused(let report): report.exitCode
      case .invalidMetadata: .invalid
      case .exists: .usage
      case .file(let error): ExitCode(within: error)
      }
  }
}

extension CheckReport {
  /// What a check, or an installation, of the package exits with.
  var exitCode: ExitCode {
    switch category {
    case nil: .done
    case .package: .invalid
    case .integrity: .integrity
    case .compatibility: .incompatible
    }
  }
}

extension DataReport {
  /// What a check of the data exits with.
  var exitCode: ExitCode { isAccepted ? .done : .invalid }
}

extension DoctorFinding.Category? {
  /// What an examination exits with that found this.
  var exitCode: ExitCode {
    switch self {
    case nil: .done
    case .system: .storage
    case .integrity: .integrity
    case .compatibility: .incompatible
    }
  }
}

extension ExitCode {
  init(_ error: DataSetError) {
    self =
      switch error {
      case .file(let error): ExitCode(error)
      case .refused, .rendering, .tooFew, .unknownForm, .table, .objects: .invalid
      case .encoding(_, .invalid), .encoding(_, .tooLarge): .invalid
      case .noExample, .noParts: .notFound
      case .encoding(_, .unknown), .exists, .overwritesInput, .noColumn, .unusedName, .isDataSet,
        .strangePart, .repeatedPart:
        .usage
      case .cancelled: .interrupted
      }
  }

  init(_ error: EvaluationError) {
    self =
      switch error {
      case .line, .empty, .rule: .invalid
      case .pattern: .usage
      case .data(let error): ExitCode(error)
      case .loss(let error): ExitCode(error)
      }
  }

  init(_ error: TrainingError) {
    self =
      switch error {
      case .file(let error): ExitCode(error)
      case .base(let error): ExitCode(error)
      case .package(let error): ExitCode(error)
      case .invalidOption, .draftTooLarge: .usage
      case .noTarget, .tokenOutside, .otherTraining, .otherVersion, .otherBase: .incompatible
      case .nothingToLearn, .noInvocation, .noPair, .noReference, .checkpoint: .invalid
      case .diverged, .rose, .overgrown: .invalid
      case .cancelled: .interrupted
      }
  }

  init(_ error: InterchangeError) {
    self =
      switch error {
      case .file(let error): ExitCode(error)
      case .base(let error): ExitCode(error)
      case .package(let error): ExitCode(error)
      case .unmatchedTensor, .wrongShape, .otherArchitecture, .noNames, .otherForm, .otherBase,
        .nothingShared:
        .incompatible
      case .exists, .holdsOthers, .isPackage, .onlyRead, .activated, .rankTooLarge, .unwritableType:
        .usage
      case .cancelled: .interrupted
      default: .invalid
      }
  }

  init(_ error: BaseModelError) {
    self =
      switch error {
      case .file(let error): ExitCode(error)
      case .contextExceeded, .contextTooLong, .noRoom, .noPages, .emptyPrompt,
        .tokenOutsideVocabulary, .activatedBesideOthers, .invalidOption:
        .usage
      case .adapterLayers, .adapterMismatch, .draft: .incompatible
      case .cancelled: .interrupted
      default: .invalid
      }
  }

  init(_ error: TokenizerError) {
    switch error {
    case .file(let error): self.init(error)
    case .tokenizer: self = .invalid
    }
  }

  init(_ error: ChatDefect) {
    if case .unreadableTemplate(let error) = error { self.init(error) } else { self = .invalid }
  }
}
