public import Grammars
public import TensorFiles
public import Tokenization

/// A way in which a base model, or a request to run it, can be wrong.
public enum LanguageModelError: Error, Equatable, Sendable {
  /// The base's file cannot be read, or breaks its format.
  case tensorFile(TensorFileError)
  /// The file has an adapter in the place of a base.
  case isAdapter(file: String)
  /// The file has what turns pictures or sounds into embeddings for a base, which is another file.
  case isProjector(file: String)
  /// The file has an importance matrix, which only says how to quantize a base.
  case isImportanceMatrix(file: String)
  /// `general.architecture` names a model family that the forward pass does not know.
  case unsupportedArchitecture(file: String, name: String)
  /// A hyperparameter that the architecture needs is not in the file.
  case missingKey(file: String, key: String)
  /// A hyperparameter is there, but no model can have this value.
  case invalidValue(file: String, key: String, value: String, rule: String)
  /// `rope.scaling.type` names a method that the forward pass does not know.
  case unsupportedRopeScaling(file: String, name: String)
  /// A tensor that the architecture needs is not in the file.
  case missingTensor(file: String, tensor: String)
  /// A tensor has other dimensions, fastest first, than the hyperparameters ask for.
  case wrongShape(file: String, tensor: String, expected: [Int], actual: [Int])
  /// A tensor that has to be in floating point is quantized.
  case wrongType(file: String, tensor: String, type: String)
  /// The file has a tensor that the architecture does not use; ignoring it would change the results.
  case unknownTensor(file: String, tensor: String)
  /// The tokens do not fit into the context.
  case contextExceeded(limit: Int, needed: Int)
  /// A session was asked for a longer context than the model was trained for.
  case contextTooLong(requested: Int, limit: Int)
  /// The address space of the process has no room for the keys and values of so many tokens.
  case noRoom(context: Int)
  /// The caller asked to stop; what was evaluated before is kept.
  case cancelled
  /// An option of the generation is outside its range.
  case invalidOption(name: String, value: String, rule: String)
  /// There is nothing to evaluate: a prompt needs at least one token.
  case emptyPrompt
  /// A token id lies outside the vocabulary.
  case tokenOutsideVocabulary(token: Int32, count: Int)
  /// The base computed infinity or not-a-number.
  case nonFiniteLogits(file: String, position: Int)
  /// The base with these adapters computed infinity or not-a-number.
  case diverged(adapters: [String], position: Int)
  /// A constraint leaves no token that could come next.
  case noTokenAllowed(position: Int)
  /// An adapter is for another number of layers.
  case adapterLayers(identifier: String, expected: Int, actual: Int)
  /// A constraint asks for what cannot be enforced.
  case grammar(GrammarDefect)
  /// The tokenizer in the file is not one that can be used.
  case tokenizer(TokenizerDefect, file: String)
  /// The source of a base that is being made is not one that can be used.
  case base(BaseDefect, file: String)
  /// An importance matrix cannot be used, or not for this base.
  case importance(ImportanceDefect, file: String)
  /// A draft model is not one for its base.
  case draft(DraftDefect, file: String)
  /// An adapter does not have the shape of this base.
  case adapterMismatch(identifier: String, layer: Int, target: String)
}

extension LanguageModelError {
  init(_ error: TokenizerError) {
    switch error {
    case .tensorFile(let error): self = .tensorFile(error)
    case .tokenizer(let defect, let file): self = .tokenizer(defect, file: file)
    }
  }
}

extension LanguageModelError: ExplainedError {
  /// A sentence with a full stop, but for what is wrong in a file's format.
  public var description: String {
    switch self {
    case .tensorFile, .base: text.description
    default: "\(text)."
    }
  }

  /// One sentence that names the file and place, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .tensorFile(let error):
      "\(error)"
    case .isAdapter(let file):
      "\(file): this is an adapter, not a base\(remedy: "'fmadapter import' makes a package of it")"
    case .isProjector(let file):
      "\(file): this is a projector of pictures or sounds (mmproj), not a base"
        + "\(remedy: "give the GGUF file of the model that stands beside it; texts need no projector")"
    case .isImportanceMatrix(let file):
      "\(file): this is an importance matrix, not a base"
        + "\(remedy: "give the base; this is for its quantization", command: "give the base, and this to 'fmadapter base quantize' as --imatrix")"
    case .unsupportedArchitecture(let file, let name):
      "\(file): architecture '\(name)' is not supported"
        + "\(remedy: Architecture.advice(for: name))"
    case .missingKey(let file, let key):
      "\(file): the metadata key '\(key)' is missing\(remedy: "convert the model again")"
    case .invalidValue(let file, let key, let value, let rule):
      "\(file): the metadata key '\(key)' is \(value), but \(rule)"
    case .unsupportedRopeScaling(let file, let name):
      "\(file): RoPE scaling '\(name)' is not supported; only none, linear, yarn and longrope are"
    case .missingTensor(let file, let tensor):
      "\(file): the tensor '\(tensor)' is missing\(remedy: "convert the model again")"
    case .wrongShape(let file, let tensor, let expected, let actual):
      "\(file): the tensor '\(tensor)' has the dimensions \(actual), but the metadata asks for \(expected)"
    case .wrongType(let file, let tensor, let type):
      "\(file): the tensor '\(tensor)' is stored as \(type), but has to be F32, F16 or BF16"
    case .unknownTensor(let file, let tensor):
      "\(file): the tensor '\(tensor)' is not part of its architecture"
        + "\(remedy: "use a base without it")"
    case .contextTooLong(let requested, let limit):
      "A context of \(Figures.grouped(requested)) tokens is longer than the \(Figures.grouped(limit)) that the base was trained for"
    case .noRoom(let context):
      "Keys and values of \(Figures.grouped(context)) tokens have no room in the memory that this process may have"
        + "\(remedy: "give a shorter context, or a base with fewer layers and heads")"
    case .cancelled:
      "The generation was cancelled"
    case .invalidOption(let name, let value, let rule):
      "The \(name) is \(value), but has to be \(rule)"
    case .emptyPrompt:
      "The prompt has no tokens\(remedy: "give at least one")"
    case .contextExceeded(let limit, let needed):
      "The context holds \(Figures.grouped(limit)) tokens, but \(Figures.grouped(needed)) are "
        + "needed\(remedy: "shorten the prompt or start a new session")"
    case .tokenOutsideVocabulary(let token, let count):
      "The token \(token) is outside the vocabulary of \(Figures.grouped(count)) pieces"
    case .nonFiniteLogits(let file, let position):
      "\(file): the base computed a value that is not finite at position "
        + "\(Figures.grouped(position)): the file is damaged, or its weights are out of the range of "
        + "their type"
        + "\(remedy: "install it again, or convert it to BF16 or F32", command: "install it again, or convert it with --type bf16 or f32")"
    case .diverged(let adapters, let position):
      "With \(adapters.joined(separator: " and ")) the base computed a value that is not finite "
        + "at position \(Figures.grouped(position)): the weights are far out of range, as "
        + "training that diverged leaves them\(remedy: "'fmadapter check' shows where")"
    case .noTokenAllowed(let position):
      "No token may come at position \(Figures.grouped(position)): what the text has to follow cannot be written with this vocabulary"
    case .adapterLayers(let identifier, let expected, let actual):
      "The adapter \(identifier) is for \(actual) layers, but this base has \(expected)"
    case .base(let defect, let file):
      "\(file): \(defect)"
    case .importance(let defect, let file): "\(file): \(defect)"
    case .draft(let defect, let file): "\(file): \(defect)"
    case .grammar(let defect): "\(defect)"
    case .tokenizer(let defect, let file): "\(file): \(defect)"
    case .adapterMismatch(let identifier, let layer, let target):
      "The adapter \(identifier) does not fit this base: layer \(layer), \(target)"
    }
  }
}

/// The ways in which the source of a base model can be wrong.
public enum BaseDefect: Error, Equatable, Sendable {
  // What was given in the place of a checkpoint
  case isBase
  case isAdapter
  case isPointer
  case isHubCache(snapshot: String?)
  // config.json
  case notJSON(problem: String)
  case noModelType
  case missingSetting(key: String)
  case badSetting(key: String, rule: String)
  case unsupportedSetting(key: String, rule: String)
  // base.safetensors, or a GGUF file to be quantized
  case missingTensor(String)
  case unknownTensor(String)
  case wrongShape(tensor: String, expected: [Int], actual: [Int])
  case unreadableType(tensor: String, type: String)
  case notFinite(tensor: String, index: Int)
  case outsideHalves(tensor: String, index: Int)
  // A Hugging Face folder
  case unsupportedModel(name: String)
  case noWeights
  case noTokenizer
  // tokenizer.model
  case brokenMessage(offset: Int)
  case otherTokenizer(kind: String)
  case unsupportedTokenizer(feature: String)
  case noPieces
  case tooManyPieces(count: Int, vocabulary: Int)
  case badPieceType(index: Int, number: Int)
}

extension BaseDefect: ExplainedError {
  /// What is wrong, without the file, and what to do about it.
  public var text: ErrorText {
    switch self {
    case .isBase:
      "this is a GGUF file already\(remedy: "'fmadapter base install' takes it as it is")"
    case .isAdapter:
      "this is an adapter, not a model\(remedy: "'fmadapter import' makes a package of it")"
    case .isPointer:
      "this is a pointer of Git LFS: the weights were never downloaded"
        + "\(remedy: "fetch them with 'git lfs pull'")"
    case .isHubCache(let snapshot):
      "this is a folder of the hub's cache, which keeps a model's files in snapshots/"
        + "\(remedy: snapshot.map { "give \($0)" } ?? "download the model again: none is there")"
    case .notJSON(let problem):
      "the file is not a JSON object of settings: \(problem)"
        + "\(remedy: "save the checkpoint again")"
    case .noModelType:
      "the settings name no “model_type”, as those of a Hugging Face model do, and there is no "
        + "base.safetensors of an AFM checkpoint"
        + "\(remedy: "copy config.json from where the model comes from")"
    case .missingSetting(let key):
      "the setting “\(key)” is missing"
        + "\(remedy: "save the checkpoint again")"
    case .badSetting(let key, let rule):
      "the setting “\(key)” \(rule)"
        + "\(remedy: "save the checkpoint again")"
    case .unsupportedSetting(let key, let rule):
      "the setting “\(key)” \(rule)"
        + "\(remedy: "convert another model, as this program runs none with that")"
    case .missingTensor(let name):
      "tensor “\(name)” is missing"
        + "\(remedy: "save the checkpoint again")"
    case .unknownTensor(let name):
      "tensor “\(name)” has no place in such a model"
        + "\(remedy: "remove it, or convert with a newer version")"
    case .wrongShape(let tensor, let expected, let actual):
      "tensor “\(tensor)” has the shape \(actual) where config.json asks for \(expected)"
        + "\(remedy: "use the files of one checkpoint")"
    case .unreadableType(let tensor, let type):
      "tensor “\(tensor)” is of type \(type)\(remedy: "save it as F32, F16 or BF16")"
    case .notFinite(let tensor, let index):
      "value \(Figures.grouped(index)) of tensor “\(tensor)” is infinite or not a number; the model is damaged"
    case .outsideHalves(let tensor, let index):
      "value \(Figures.grouped(index)) of tensor “\(tensor)” is beyond 65504, where F16 ends"
        + "\(remedy: "take BF16 or F32", command: "say --type bf16 or f32")"
    case .unsupportedModel(let name):
      "models of type “\(name)” cannot be converted"
        + "\(remedy: Self.models)"
    case .noWeights:
      "there is neither model.safetensors nor model.safetensors.index.json"
        + "\(remedy: "save the model as safetensors, or convert another folder")"
    case .noTokenizer:
      "there is neither tokenizer.json nor tokenizer.model"
        + "\(remedy: "copy them from where the model comes from")"
    case .brokenMessage(let offset):
      "byte \(Figures.grouped(offset)): this is not a SentencePiece model, or it is damaged"
        + "\(remedy: "copy the file again")"
    case .unsupportedTokenizer(let feature):
      "the tokenizer uses \(feature), which is not supported"
        + "\(remedy: "install a GGUF file of this model, or convert another model")"
    case .otherTokenizer(let kind):
      "the tokenizer is \(kind), and only byte-pair encoding (BPE) is supported"
        + "\(remedy: "convert another model")"
    case .noPieces: "the tokenizer has no pieces\(remedy: "train it again")"
    case .tooManyPieces(let count, let vocabulary):
      "the tokenizer has \(Figures.grouped(count)) pieces, more than the vocabulary of "
        + "\(Figures.grouped(vocabulary))\(remedy: "use the files of one checkpoint")"
    case .badPieceType(let index, let number):
      "piece \(Figures.grouped(index)) of the tokenizer is of the unknown type \(number)"
        + "\(remedy: "train it again")"
    }
  }

  private static var models: String {
    "use one of \(HuggingFaceConfiguration.architectures.keys.sorted().choice)"
  }
}
