public import SystemFiles

/// The ways in which the source of a base model can be wrong.
public enum BaseDefect: Error, Equatable, Sendable {
  // What was given in the place of a checkpoint
  case isBase
  case isAdapter
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
      "this is a GGUF file already\(remedy: "install it as it is")"
    case .isAdapter:
      "this is an adapter, not a model\(remedy: "import it as a package")"
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
        + "\(remedy: "take BF16 or F32")"
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
