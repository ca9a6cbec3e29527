public import Grammars
public import SystemFiles
public import Tokenization

/// A way in which a base model, or a request to run it, can be wrong.
public enum BaseModelError: Error, Equatable, Sendable {
  /// The base's file cannot be read, or breaks its format.
  case file(FileError)
  /// The file has an adapter in the place of a base.
  case isAdapter(file: String)
  /// The file has what turns pictures or sounds into embeddings for a base, which is another file.
  case isProjector(file: String)
  /// The file or folder has a model that gives vectors or scores for a text, and writes none.
  case writesNothing(file: String)
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
  /// The keys and values of the sessions that share a pool take all bytes that it may have.
  case noPages(limit: Int)
  /// The caller asked to stop; what was evaluated before is kept.
  case cancelled
  /// An option of the generation is outside its range.
  case invalidOption(name: String, value: String, rule: String)
  /// There is nothing to evaluate: a prompt needs at least one token.
  case emptyPrompt
  /// A token id lies outside the vocabulary.
  case tokenOutsideVocabulary(token: Int32, count: Int)
  /// A file that a base was compiled into does not have the base's weights at this byte.
  case damagedTiles(file: String, offset: Int)
  /// The base computed infinity or not-a-number.
  case nonFiniteLogits(file: String, position: Int)
  /// The base with these adapters computed infinity or not-a-number.
  case diverged(adapters: [String], position: Int)
  /// A constraint leaves no token that could come next.
  case noTokenAllowed(position: Int)
  /// An adapter is for another number of layers.
  case adapterLayers(identifier: String, expected: Int, actual: Int)
  /// An adapter that acts from its invocation on was given together with others.
  case activatedBesideOthers(identifier: String)
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

extension BaseModelError {
  init(_ error: TokenizerError) {
    switch error {
    case .file(let error): self = .file(error)
    case .tokenizer(let defect, let file): self = .tokenizer(defect, file: file)
    }
  }
}

extension BaseModelError: ExplainedError {
  /// A sentence with a full stop, but for what is wrong in a file's format.
  public var description: String {
    switch self {
    case .file, .base: text.description
    default: "\(text)."
    }
  }

  /// One sentence that names the file and place, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .file(let error):
      "\(error)"
    case .isAdapter(let file):
      "\(file): this is an adapter, not a base\(remedy: "import it as a package")"
    case .isProjector(let file):
      "\(file): this is a projector of pictures or sounds (mmproj), not a base"
        + "\(remedy: "give the GGUF file of the model that stands beside it; texts need no projector")"
    case .writesNothing(let file):
      "\(file): this is a model for embeddings or ranking, which gives numbers for a text and writes none"
        + "\(remedy: "give a base that answers")"
    case .isImportanceMatrix(let file):
      "\(file): this is an importance matrix, not a base"
        + "\(remedy: "give the base; this is for its quantization")"
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
      requested < 1
        ? "A context of \(Figures.grouped(requested)) tokens holds nothing\(remedy: "give 1 to \(Figures.grouped(limit))")"
        : "A context of \(Figures.grouped(requested)) tokens is longer than the \(Figures.grouped(limit)) that the base was trained for"
    case .noRoom(let context):
      "Keys and values of \(Figures.grouped(context)) tokens have no room in the memory that this process may have"
        + "\(remedy: "give a shorter context, or a base with fewer layers and heads")"
    case .noPages(let limit):
      "The keys and values of all sessions take the \(Figures.size(limit)) that they may have"
        + "\(remedy: "allow more, or end sessions")"
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
    case .damagedTiles(let file, let offset):
      "\(file): byte \(Figures.grouped(offset)) and what follows are not the weights of the base"
        + "\(remedy: "compile the base again")"
    case .nonFiniteLogits(let file, let position):
      "\(file): the base computed a value that is not finite at position "
        + "\(Figures.grouped(position)): the file is damaged, or its weights are out of the range of "
        + "their type"
        + "\(remedy: "install it again, or convert it to BF16 or F32")"
    case .diverged(let adapters, let position):
      "With \(adapters.joined(separator: " and ")) the base computed a value that is not finite "
        + "at position \(Figures.grouped(position)): the weights are far out of range, as "
        + "training that diverged leaves them"
        + "\(remedy: "a check of the package shows where; where it finds nothing, look for damage of the base")"
    case .noTokenAllowed(let position):
      "No token may come at position \(Figures.grouped(position)): what the text has to follow cannot be written with this vocabulary"
    case .adapterLayers(let identifier, let expected, let actual):
      "The adapter \(identifier) is for \(actual) layers, but this base has \(expected)"
    case .activatedBesideOthers(let identifier):
      "The adapter \(identifier) is an activated one, which begins at its invocation, and acts beside no other"
        + "\(remedy: "use it alone")"
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
