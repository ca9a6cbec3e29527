import FoundationEssentials
import TensorFiles
import Tokenization

/// `tokenize`: the token ids of a text.
enum TokenizeCommand {
  private static let file = Option(
    "--file", short: "-f", .file, "Read the text from a file instead of standard input")
  private static let noSpecial = Flag(
    "--no-special", "Add no begin token, and read special tokens in the text as plain text")
  private static let json = Flag("--json", "Print {\"tokens\": [id, ...]}")

  static let command = Command(
    name: "tokenize",
    summary: "Print the tokens of a text",
    details: [
      """
      The text is taken as it is, and has to be UTF-8; bytes that the vocabulary lacks are left out, as by \
      transformers and llama.cpp. Without --json each line has a token's id and its text.
      """
    ],
    examples: [
      Example("fmadapter tokenize --file prompt.txt", "Tokens by the base in use"),
      Example(
        "fmadapter tokenize --base model.gguf --no-special --json < prompt.txt",
        "Ids alone, by the tokenizer of a file"),
    ],
    options: [ModelOptions.base, file, noSpecial, json],
    knownElsewhereAs: ["encode", "tokens"],
    optionsKnownElsewhere: KnownElsewhere.base,
    remedyForWords: "give the text on standard input, or in a file with --file",
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let base = try await Library(terminal).basePath(arguments.value(ModelOptions.base))
    let tokenizer = try Tokenizer(GGUFFile(path: base))
    let path = arguments.value(file)
    let bytes = try path.map(InputText.file) ?? InputText.standardInput(terminal)
    let text = try InputText.checked(bytes, named: path ?? "standard input")
    let tokens = tokenizer.encode(text, special: !arguments.has(noSpecial))
    if arguments.has(json) {
      terminal.print("{\"tokens\": [" + tokens.map(String.init).joined(separator: ", ") + "]}")
    } else {
      for token in tokens {
        let piece = String(decoding: tokenizer.bytes(of: token, special: true), as: UTF8.self)
        terminal.print(cells: ["\(token)", piece])
      }
    }
    return .done
  }
}
