import ChatTemplates
import TensorFiles
import Testing
import Tokenization

@testable import fmadapter

@Suite struct FailureTests {
  private static let missing = TensorFileError.system(.open, path: "m.gguf", code: 2)

  /// Errors of the libraries that no command wraps keep their text, and tell a missing file from a broken one.
  @Test(arguments: [
    (
      TokenizerError.tokenizer(.noTokenizer, file: "m.gguf") as any ExplainedError, ExitCode.invalid
    ),
    (TokenizerError.tensorFile(missing), .notFound),
    (ChatDefect.noTemplate(file: "m.gguf"), .invalid),
    (ChatDefect.unreadableTemplate(missing), .notFound),
  ])
  func saysWhatTheLibrarySays(error: any ExplainedError, code: ExitCode) {
    let failure = Failure(error)
    #expect(failure.text == error.text)
    #expect(failure.code == code)
  }
}
