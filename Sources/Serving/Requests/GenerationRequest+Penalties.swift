import Adapters
import JSON
import LanguageModels
import Tokenization

extension GenerationRequest {
  /// Tokens with a bias, at most.
  private static let biasLimit = 1024

  /// Takes over what makes tokens likelier or less likely.
  ///
  /// `repetition_penalty` is vLLM's and looks back on everything, `repeat_penalty` is llama.cpp's and Ollama's and looks back on
  /// `repeat_last_n` tokens.
  mutating func setPenalties(_ fields: RequestReader) throws(ServingError) {
    shifts.presence = try fields.number("presence_penalty", LogitShifts.penalties) ?? 0
    shifts.frequency = try fields.number("frequency_penalty", LogitShifts.penalties) ?? 0
    shifts.biases = try Self.biases(fields)
    let everywhere = try fields.number("repetition_penalty", 1...100)
    let recent = try fields.number("repeat_penalty", 1...100)
    let window = try fields.integer("repeat_last_n", -1...Int(Int32.max))
    guard everywhere == nil || recent == nil else {
      throw .invalid(
        fields.place("repeat_penalty"), "repetition_penalty is given, too; leave one of them out.")
    }
    sampling[.repetitionPenalty] = window == 0 && everywhere == nil ? 1 : everywhere ?? recent
    penalizedTokens = everywhere != nil || window == -1 ? .max : window
  }

  private static func biases(_ fields: RequestReader) throws(ServingError) -> [Token: Double] {
    guard let object = try fields.numbers("logit_bias", LogitShifts.range) else { return [:] }
    guard object.object.members.count <= biasLimit else {
      throw .invalid(object.path, "a request may have \(biasLimit) of them.")
    }
    var biases: [Token: Double] = [:]
    for key in object.object.keys {
      guard let token = Token(key), String(token) == key, token >= 0 else {
        throw .invalid(object.place(key), "the name of this has to be the number of a token.")
      }
      biases[token] = try object.number(key, LogitShifts.range)
    }
    return biases
  }
}
