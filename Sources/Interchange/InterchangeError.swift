public import Adapters
public import LanguageModels
public import SystemFiles

/// Why an adapter cannot be brought into another form, or out of it.
public enum InterchangeError: Error, Equatable, Sendable {
  /// A file cannot be read or written, or is no file of its format.
  case file(FileError)
  /// The package cannot be read or written.
  case package(AdapterError)
  /// The base cannot be read or written.
  case base(BaseModelError)
  /// Nothing at the path is an adapter in a form that is known; what a folder has instead is named.
  case unknownForm(path: String, found: [String])
  /// The path is a package already.
  case isPackage(path: String)
  /// The folder lacks a file of its form.
  case missingFile(folder: String, name: String)
  /// A file of settings is no JSON object.
  case notSettings(path: String, problem: String)
  /// A setting is missing, or has a value that it cannot have.
  case setting(path: String, key: String, problem: String)
  /// A setting changes what the adapter computes in a way that no package can say.
  case unsupported(path: String, key: String, feature: String)
  /// A tensor is for nothing that the base has and an adapter can change.
  case unmatchedTensor(path: String, tensor: String, reason: String)
  /// One factor of a pair is there, the other is not.
  case halfPair(path: String, tensor: String, missing: String)
  /// A tensor is not of the shape that the base asks for, both as `(rows, columns)`.
  case wrongShape(path: String, tensor: String, expected: String, actual: [Int])
  /// The two factors of a pair have different ranks.
  case ranksDiffer(path: String, tensor: String, rank: Int, other: Int)
  /// The rank of a pair is not the one that the settings state.
  case statedRank(path: String, tensor: String, rank: Int, stated: Int)
  /// A tensor has a place and no values.
  case noValues(path: String, tensor: String)
  /// A name of modules is a regular expression with more than is read of such.
  case pattern(path: String, key: String)
  /// The file has tensors of several adapters, by the names that these had in training.
  case severalAdapters(path: String, names: [String])
  /// A tensor's values are stored in a way that cannot be read.
  case unreadableType(path: String, tensor: String, type: String)
  /// A value is infinite, not a number, or too large for half precision.
  case notFinite(path: String, tensor: String, index: Int)
  /// There are no factors at all.
  case empty(path: String)
  /// The file is for another architecture than the base has.
  case otherArchitecture(path: String, found: String, expected: String)
  /// Bases of this architecture have no names in the form.
  case noNames(architecture: String, form: ForeignForm)
  /// Adapters of the form are read, and none is written.
  case onlyRead(ForeignForm)
  /// An adapter has a form that has no names for the base that it is to be read for.
  case otherForm(path: String, architecture: String, form: ForeignForm)
  /// The adapter begins at its invocation, and what it is to become cannot say that.
  case activated(identifier: String, problem: String)
  /// The two adapters are for different bases.
  case otherBase(first: String, second: String)
  /// The two packages have no tensor in common.
  case nothingShared(first: String, second: String)
  /// All ranks together are more than a package may have.
  case rankTooLarge(Int, limit: Int)
  /// The base's weights are of a type that can only be read.
  case unwritableType(path: String, tensor: String, type: String)
  /// Something stands at the path that was not said to go.
  case exists(path: String)
  /// What is to be replaced is of another kind than the form, or a folder with another file.
  case holdsOthers(path: String, name: String)
  /// The file is no archive of PyTorch's, or a damaged one; the place is its byte.
  case archive(path: String, offset: Int, problem: String)
  /// The pickled part of the archive does what no checkpoint has to do, or is damaged; the place is its byte.
  case pickle(path: String, entry: String, offset: Int, problem: String)
  /// The caller asked to stop.
  case cancelled
}

extension InterchangeError: ExplainedError {
  /// What is wrong, where, and what to do.
  public var text: ErrorText {
    switch self {
    case .file(let error): "\(error)"
    case .package(let error): "\(error)"
    case .base(let error): "\(error)"
    case .unknownForm(let path, let found):
      "\(path): not an adapter in a form that is known"
        + (found.isEmpty ? "" : ", but \(found.prefix(4).joined(separator: ", "))")
        + "\(remedy: Self.forms)"
    case .isPackage(let path):
      "\(path): this is a package already\(remedy: "install it as it is")"
    case .missingFile(let folder, let name):
      "\(folder): there is no \(name)\(remedy: "copy it from where the adapter comes from")"
    case .notSettings(let path, let problem):
      "\(path): not a JSON object of settings: \(problem)\(remedy: "save the adapter again")"
    case .setting(let path, let key, let problem):
      "\(path): the setting “\(key)” \(problem)\(remedy: "save the adapter again")"
    case .unsupported(let path, let key, let feature):
      "\(path): the setting “\(key)” asks for \(feature), which a package cannot say"
        + "\(remedy: "train or save the adapter without it")"
    case .unmatchedTensor(let path, let tensor, let reason):
      "\(path): tensor “\(tensor)” has no place: \(reason)"
        + "\(remedy: "give the base that it was trained on, or an adapter of projections alone")"
    case .halfPair(let path, let tensor, let missing):
      "\(path): tensor “\(tensor)” is there without “\(missing)”\(remedy: "copy or save the adapter again")"
    case .wrongShape(let path, let tensor, let expected, let actual):
      "\(path): tensor “\(tensor)” has the shape \(actual) where this base asks for \(expected)"
        + "\(remedy: "give the base that it was trained on")"
    case .ranksDiffer(let path, let tensor, let rank, let other):
      "\(path): tensor “\(tensor)” is of rank \(rank), but the other factor of rank \(other)"
        + "\(remedy: "save the adapter again")"
    case .statedRank(let path, let tensor, let rank, let stated):
      "\(path): tensor “\(tensor)” is of rank \(rank), but the settings state \(stated)"
        + "\(remedy: "use the files of one adapter")"
    case .noValues(let path, let tensor):
      "\(path): tensor “\(tensor)” has no values, as DeepSpeed's ZeRO-3 leaves it where each process keeps a part"
        + "\(remedy: "gather the weights and save the adapter again, for one with stage3_gather_16bit_weights_on_model_save")"
    case .pattern(let path, let key):
      "\(path): “\(key)” is a regular expression that PEFT takes, with more than is read of such here"
        + "\(remedy: "write the names of the modules instead, such as q_proj or layers.0.self_attn.q_proj")"
    case .severalAdapters(let path, let names):
      "\(path): the tensors are of several adapters: \(names.joined(separator: ", "))"
        + "\(remedy: "save each in a folder of its own")"
    case .unreadableType(let path, let tensor, let type):
      "\(path): tensor “\(tensor)” is of type \(type)\(remedy: "save it as F32, F16 or BF16")"
    case .notFinite(let path, let tensor, let index):
      "\(path): value \(Figures.grouped(index)) of tensor “\(tensor)” is infinite, not a number, or beyond the 65,504 of half precision"
        + "\(remedy: "train again with a lower rate")"
    case .empty(let path):
      "\(path): there are no factors in it\(remedy: "save the adapter again")"
    case .otherArchitecture(let path, let found, let expected):
      "\(path): the adapter is for a base of \(found), but this base is of \(expected)"
        + "\(remedy: "give the base that it was trained on")"
    case .noNames(let architecture, let form):
      "\(form.title) has no names for a base of \(architecture)\(remedy: Self.formsOf(architecture))"
    case .onlyRead(let form):
      "adapters of \(form.title) are only read\(remedy: "write another form, or a package")"
    case .otherForm(let path, let architecture, let form):
      "\(path): the adapter is one of \(form.title), which has no names for a base of \(architecture)"
        + "\(remedy: "give the base that it was trained on")"
    case .activated(let identifier, let problem):
      "\(identifier) is an activated adapter, which begins at its invocation, \(problem)"
        + "\(remedy: "use it as it is")"
    case .otherBase(let first, let second):
      "\(first) and \(second) are for different bases\(remedy: "use adapters of one base")"
    case .nothingShared(let first, let second):
      "\(first) and \(second) have no tensor of one place and shape"
        + "\(remedy: "compare adapters of one base")"
    case .rankTooLarge(let rank, let limit):
      "all ranks together are \(Figures.grouped(rank)), more than the \(Figures.grouped(limit)) of a package"
        + "\(remedy: "cut them to a lower rank")"
    case .unwritableType(let path, let tensor, let type):
      "\(path): tensor “\(tensor)” is of type \(type), which can only be read"
        + "\(remedy: "write the base in another type first")"
    case .exists(let path):
      "\(path): exists already\(remedy: "remove it, or give another path")"
    case .holdsOthers(let path, let name):
      "\(path): there is “\(name)”, which no export writes\(remedy: "remove it, or give another path")"
    case .archive(let path, let offset, let problem):
      "\(path): byte \(Figures.grouped(offset)): \(problem)"
        + "\(remedy: Self.isOfPEFT(path) ? "copy it again, or save the adapter as safetensors" : "give the adapter-final.pt of Apple's toolkit, or copy it again")"
    case .pickle(let path, let entry, let offset, let problem):
      "\(path): \(entry): byte \(Figures.grouped(offset)): \(problem)"
        + "\(remedy: Self.isOfPEFT(path) ? "save the adapter as safetensors" : "give the adapter-final.pt of Apple's toolkit, which holds nothing but tensors")"
    case .cancelled: "interrupted"
    }
  }

  private static func isOfPEFT(_ path: String) -> Bool {
    FilePath.name(of: path) == ForeignForm.pickledWeights
  }

  private static let forms =
    "give a folder of PEFT (adapter_config.json and adapter_model.safetensors) or of mlx-lm "
    + "(adapter_config.json and adapters.safetensors), a LoRA in GGUF, or an adapter-final.pt of Apple's toolkit"

  private static func formsOf(_ architecture: String) -> String {
    architecture == "afm" ? "write it as gguf" : "use another form"
  }
}

/// Runs `body`, whose file errors become those of the exchange.
func filing<R>(_ body: () throws(FileError) -> R) throws(InterchangeError) -> R {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}

/// Runs `body`, whose errors of a package become those of the exchange.
func packaging<R>(_ body: () throws(AdapterError) -> R) throws(InterchangeError) -> R {
  do throws(AdapterError) { return try body() } catch { throw .package(error) }
}
