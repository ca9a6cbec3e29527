import ChatTemplates
import SystemFiles
import Testing
import Tokenization

@testable import fmadapter

@Suite struct FailureTests {
  private static let missing = FileError.system(.open, path: "m.gguf", code: 2)

  /// Errors of the libraries that no command wraps keep their text, and tell a missing file from a broken one.
  @Test(arguments: [
    (
      TokenizerError.tokenizer(.noTokenizer, file: "m.gguf") as any ExplainedError, ExitCode.invalid
    ),
    (TokenizerError.file(missing), .notFound),
    (ChatDefect.unreadableTemplate(missing), .notFound),
  ])
  func saysWhatTheLibrarySays(error: any ExplainedError, code: ExitCode) {
    let failure = Failure(error)
    #expect(failure.text == error.text)
    #expect(failure.code == code)
  }

  /// Options are named where there are any.
  @Test func aRemedyMayBeInOtherWordsInTheCommand() {
    let error = ChatDefect.noTemplate(file: "m.gguf")
    let failure = Failure(error)
    #expect(
      "\(failure.text)"
        == "m.gguf: the file has no chat template; name a format with --chat-format "
        + "(afm, chatml, llama2, llama3, gemma, phi3), or let it continue a text with run --raw")
    #expect(failure.code == .invalid)
  }
}
