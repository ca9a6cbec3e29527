/// The ways in which the source of a base model can be wrong.
public enum BaseDefect: Error, Equatable, Sendable {
  // config.json
  case notJSON
  case missingSetting(key: String)
  case badSetting(key: String, rule: String)
  // base.safetensors, or a GGUF file to be quantized
  case missingTensor(String)
  case unknownTensor(String)
  case wrongShape(tensor: String, expected: [Int], actual: [Int])
  case unreadableType(tensor: String, type: String)
  case notFinite(tensor: String, index: Int)
  case splitFile
  // tokenizer.model
  case brokenMessage(offset: Int)
  case unsupportedTokenizer(feature: String)
  case noPieces
  case tooManyPieces(count: Int, vocabulary: Int)
  case badPieceType(index: Int, number: Int)
}

extension BaseDefect: CustomStringConvertible {
  /// What is wrong, without the file, and what to do about it.
  public var description: String {
    switch self {
    case .notJSON: "the file is not a JSON object of settings; save the checkpoint again"
    case .missingSetting(let key): "the setting “\(key)” is missing; save the checkpoint again"
    case .badSetting(let key, let rule): "the setting “\(key)” \(rule); save the checkpoint again"
    case .missingTensor(let name): "tensor “\(name)” is missing; save the checkpoint again"
    case .unknownTensor(let name):
      "tensor “\(name)” has no place in an AFM model; remove it, or convert with a newer version"
    case .wrongShape(let tensor, let expected, let actual):
      "tensor “\(tensor)” has the shape \(actual) where config.json asks for \(expected); "
        + "use the files of one checkpoint"
    case .unreadableType(let tensor, let type):
      "tensor “\(tensor)” is of type \(type); save it as F32, F16 or BF16"
    case .notFinite(let tensor, let index):
      "value \(index) of tensor “\(tensor)” is infinite or not a number; the model is damaged"
    case .splitFile: "the file is one part of a model in several; merge the parts first"
    case .brokenMessage(let offset):
      "byte \(offset): this is not a SentencePiece model, or it is damaged; copy the file again"
    case .unsupportedTokenizer(let feature):
      "the tokenizer uses \(feature), which is not supported; train one of type BPE without it"
    case .noPieces: "the tokenizer has no pieces; train it again"
    case .tooManyPieces(let count, let vocabulary):
      "the tokenizer has \(count) pieces, more than the vocabulary of \(vocabulary); "
        + "use the files of one checkpoint"
    case .badPieceType(let index, let number):
      "piece \(index) of the tokenizer is of the unknown type \(number); train it again"
    }
  }
}
