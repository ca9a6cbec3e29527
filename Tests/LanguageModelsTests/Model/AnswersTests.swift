import TensorFiles
import TestSupport
import Testing
import Tokenization

@testable import LanguageModels

/// Whether a base can answer at all.
@Suite struct AnswersTests {
  private func model(
    vocabulary: Int = ByteVocabulary.count, _ keys: [(String, GGUFValue?)] = [],
    value: Float? = nil
  ) throws -> BaseModelError? {
    let folder = try TemporaryDirectory()
    var tiny = TinyModel(.llama, vocabulary: vocabulary)
    for (key, value) in ByteVocabulary.metadata { tiny.set(key, value) }
    for (key, value) in keys { tiny.set(key, value) }
    if let value { tiny.tensors[1].values[0] = value }
    let model = try tiny.open(in: folder)
    do throws(BaseModelError) {
      try model.checkAnswers()
      return nil
    } catch {
      return error
    }
  }

  @Test func aWholeBaseCan() throws {
    #expect(try model() == nil)
  }

  @Test func aFileWithoutTokenizerPasses() throws {
    let none: [(String, GGUFValue?)] = ByteVocabulary.metadata.map { ($0.key, nil) }
    #expect(try model(none) == nil)
  }

  @Test(
    arguments: [
      ("tokenizer.ggml.merges", nil, TokenizerDefect.missing(key: "tokenizer.ggml.merges")),
      ("tokenizer.ggml.pre", nil, .noPreTokenizer),
      ("tokenizer.ggml.pre", .text("quux"), .unknownPreTokenizer("quux")),
    ] as [(String, GGUFValue?, TokenizerDefect)])
  func aTokenizerThatCannotBeUsedIsRefused(
    key: String, value: GGUFValue?, defect: TokenizerDefect
  ) throws {
    guard case .tokenizer(defect, _)? = try model([(key, value)]) else {
      return #expect(Bool(false), "passed")
    }
  }

  @Test func moreTokensThanRowsAreRefused() throws {
    guard case .invalidValue(_, "tokenizer.ggml.tokens", _, _)? = try model(vocabulary: 48) else {
      return #expect(Bool(false), "passed")
    }
  }

  @Test(arguments: [Float.nan, .infinity]) func weightsThatAreNoNumbersAreRefused(
    _ value: Float
  ) throws {
    guard case .nonFiniteLogits(_, 0)? = try model(value: value) else {
      return #expect(Bool(false), "passed")
    }
  }
}
