import AdapterStore
import AdapterTraining
import Adapters
import ChatTemplates
import Interchange
import LanguageModels
import SystemFiles

/// What to do about an error of a library in the words of the command, which has options and other commands for it.
enum Hint {
  /// What stands in the place of the error's own remedy; nil where that says it as well.
  static func words(for error: any ExplainedError) -> String? {
    switch error {
    case let error as StoreError: words(error)
    case let content as HubContent: words(content)
    case let error as AdapterError: words(error)
    case is SuffixDefect: "copy the file again, or build it anew with 'fmadapter draft build'"
    case let error as DataSetError: words(error)
    case TableDefect.notText: "save the file as UTF-8, or name its encoding with --encoding"
    case let error as TrainingError: words(error)
    case let error as InterchangeError: words(error)
    case let error as BaseModelError: words(error)
    case let defect as BaseDefect: words(defect)
    case let defect as ImportanceDefect: words(defect)
    case DraftDefect.larger: "use a smaller one, or none with --draft off"
    case let defect as ChatDefect: words(defect)
    default: nil
    }
  }
}

extension ErrorText {
  /// The text as the command says it.
  var inCommand: ErrorText {
    rephrased { error in Hint.words(for: error).map { WebAddress.shown(in: $0) } }
  }
}

extension ExplainedError {
  /// The text as the command says it.
  var inCommand: ErrorText { ("\(self)" as ErrorText).inCommand }
}

// The store.
extension Hint {
  private static func words(_ error: StoreError) -> String? {
    let (name, isAlone) = (error.subject, error.choices.isEmpty)
    return switch error.code {
    case .noAdapter where isAlone: "install one with 'fmadapter install NAME'"
    case .noBase where isAlone: "install one with 'fmadapter base install PATH'"
    case .noBaseInstalled: "install one with 'fmadapter base install PATH'"
    case .noBaseChosen: "choose one with 'fmadapter base use NAME'"
    case .noSource: noSource(name)
    case .invalidBase where error.reason?.remedy == nil:
      "'fmadapter base list --suggest' names some that can"
    case .changedBytes: "find out which is right, and take the new one with --force"
    case .otherBase: "to replace the one by the other, say --replace"
    case .olderPackage: "to go back, say --force"
    case .otherSigner:
      "ask its publisher for one that is; to take it all the same, give its own key with 'fmadapter install --require-signed', or say 'fmadapter remove \(name)' first"
    case .severalCatalogs: "choose one with --catalog ADDRESS"
    case .notInCatalogs where isAlone: "'fmadapter catalog add ADDRESS' adds a catalog"
    case .noCatalog where isAlone: "add it with 'fmadapter catalog add ADDRESS'"
    case .changedOffer: "ask there before you take it with --force"
    case .otherPublication:
      "publish it as a new version, or replace the old one with --replace"
    case .olderVersion:
      "to go back, name the version: 'fmadapter install \(name)@\(error.choices.first ?? "VERSION")'"
    case .unknownVersion:
      "mend it with 'fmadapter doctor --fix', or take it away with 'fmadapter remove \(name)'"
    case .catalogLost: catalogLost(name)
    case .incompatible: "'fmadapter base use NAME' chooses another base"
    case .unverifiedFile: "give its digest with --sha256, or leave out --require-digest"
    case .unverified:
      "ask its publisher for a SHA256SUMS beside the files, or leave out --require-digest"
    case .appleDraft:
      "make one for here with 'fmadapter draft build', or give a small GGUF model with 'fmadapter run --draft'"
    case .uncompilable where error.reason?.remedy == nil:
      "'fmadapter check' names all that is wrong with it"
    default: nil
    }
  }

  /// What to do where `path` reads as the name of a model, of the hub or of another program.
  private static func noSource(_ path: String) -> String? {
    let give = "give the path of a package folder or of a base"
    let words = path.split(separator: "/", omittingEmptySubsequences: false)
    switch words.count {
    case 1: return "\(give); 'fmadapter base list --suggest' names models to begin with"
    case 2 where !words.contains { $0.isEmpty || $0.hasPrefix(".") || $0.hasPrefix("~") }:
      return "\(give); for a model of the Hugging Face Hub write hf:\(path)"
    default: return nil
    }
  }

  private static func catalogLost(_ address: String) -> String {
    let catalog = CatalogSource(listed: address)?.description ?? address
    return
      "if the catalog \(catalog) has moved, add its new address with 'fmadapter catalog add ADDRESS', "
      + "and take the old one away with 'fmadapter catalog remove \(catalog.shellWord)'"
  }

  private static func words(_ content: HubContent) -> String {
    switch content {
    case .adapter: "'fmadapter install' takes that"
    case .base: "'fmadapter base install' takes that"
    case .peft: "download its folder, and 'fmadapter import' makes a package of it"
    case .fixedType: "leave --type out; 'fmadapter base quantize' makes a file smaller"
    }
  }
}

// Packages, data and training.
extension Hint {
  private static func words(_ error: AdapterError) -> String? {
    if case .exists = error { "give another path, or --force to replace it" } else { nil }
  }

  private static func words(_ error: DataSetError) -> String? {
    switch error {
    case .noExample: "'fmadapter data check' names lines that cannot be read"
    case .unknownForm:
      "name the one that asks and the one that answers: --prompt NAME --answer NAME"
    case .unusedName: "give both --prompt and --answer, or neither"
    case .isDataSet(_, skips: true): "'fmadapter data check' tells whether it can be trained on"
    case .isDataSet(_, skips: false):
      "'fmadapter data check' tells whether it can be trained on, and --skip leaves out lines with errors"
    case .exists: "give another path, or --force to replace it"
    default: nil
    }
  }

  private static func words(_ error: TrainingError) -> String? {
    switch error {
    case .nothingToLearn: "see 'fmadapter data check'"
    case .checkpoint: "start anew with --force in the place of --resume"
    case .draftTooLarge: "give a smaller --width, or fewer --layers"
    default: nil
    }
  }

  private static func words(_ error: InterchangeError) -> String? {
    switch error {
    case .isPackage: "'fmadapter install' takes it as it is"
    case .unmatchedTensor:
      "give the base that it was trained on with --base, or an adapter of projections alone"
    case .wrongShape, .otherArchitecture, .otherForm:
      "give the base that it was trained on with --base"
    case .rankTooLarge: "cut them with --rank"
    case .unwritableType: "write the base in another type first, with 'fmadapter base quantize'"
    case .exists: "give another path, or --force to replace it"
    default: nil
    }
  }
}

// Bases and chats.
extension Hint {
  private static func words(_ error: BaseModelError) -> String? {
    switch error {
    case .isAdapter: "'fmadapter import' makes a package of it"
    case .isImportanceMatrix: "give the base, and this to 'fmadapter base quantize' as --imatrix"
    case .contextExceeded: "shorten the prompt, or take a base with a longer context"
    case .damagedTiles: "'fmadapter compile --base' makes it anew"
    case .nonFiniteLogits: "install it again, or convert it with --type bf16 or f32"
    case .diverged:
      "'fmadapter check' shows where; where it finds nothing, 'fmadapter verify' looks for damage of the base"
    default: nil
    }
  }

  private static func words(_ defect: BaseDefect) -> String? {
    switch defect {
    case .isBase: "'fmadapter base install' takes it as it is"
    case .isAdapter: "'fmadapter import' makes a package of it"
    case .outsideHalves: "say --type bf16 or f32"
    default: nil
    }
  }

  private static func words(_ defect: ImportanceDefect) -> String? {
    switch defect {
    case .missingEntry, .wrongSize, .otherModel: nil
    default: "make it again with 'fmadapter base imatrix'"
    }
  }

  private static func words(_ defect: ChatDefect) -> String? {
    let option = "with --chat-format (\(ChatFormat.names))"
    return switch defect {
    case .noTemplate: "name a format \(option), or let it continue a text with run --raw"
    case .failedTemplate(let error):
      if case .raised = error.fault {
        "change the messages, or name a format \(option)"
      } else {
        "name a format \(option)"
      }
    case .brokenTemplate, .missingAnswer: "name a format \(option)"
    case .missingMark: "name another one \(option)"
    default: nil
    }
  }
}
