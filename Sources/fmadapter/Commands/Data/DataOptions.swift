import AdapterStore
import AdapterTraining
import ChatTemplates
import LanguageModels
import Tokenization

/// What the commands on data sets have in common.
enum DataOptions {
  static let files = Argument(
    "file", "A data set, one example a line", arity: .several, completion: .files)
  static let file = Argument("file", "A data set, one example a line", completion: .files)

  /// A base as far as data sets are concerned.
  struct Base {
    let model: LanguageModel
    let renderer: ExampleRenderer
    let tokenizer: Tokenizer
  }

  /// The base that was named, or the one in use.
  static func base(_ invocation: Invocation) async throws -> Base {
    let arguments = invocation.arguments
    let path = try await Shelf(invocation.terminal).basePath(arguments.value(ModelOptions.base))
    let model = try LanguageModel(path: path)
    let tokenizer = try model.tokenizer()
    let chat = try ChatRenderer(AnswerOptions.style(arguments, model), tokenizer: tokenizer)
    return Base(
      model: model, renderer: ExampleRenderer(chat, tokenizer: tokenizer), tokenizer: tokenizer)
  }

  /// As above; nil, after saying so, when none was named and none is in use.
  static func baseIfAny(_ invocation: Invocation) async throws -> Base? {
    do {
      return try await base(invocation)
    } catch let error as StoreError
      where error.exitCode == 3 && invocation.arguments.value(ModelOptions.base) == nil
    {
      invocation.terminal.note(
        "no base is in use, so tokens are not counted; name one with --base")
      return nil
    }
  }
}
