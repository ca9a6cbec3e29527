import LanguageModels
import SystemFiles
import Tokenization

/// `base imatrix`: how much each input of the weights matters, for `base quantize --imatrix`.
enum BaseImportanceCommand {
  private static let base = Argument(
    "base", "A GGUF file, or an installed base", completion: .bases)
  private static let text = Argument(
    "text", "A text like those that the base is to be good at", completion: .files)
  private static let output = Option(
    "--output", short: "-o", .file, "Where to write the matrix; it appears complete or not at all")
  private static let length = Option(
    "--context", .integer(1...1 << 20), "Tokens that are read in one piece (default: 512)")
  private static let chunks = Option(
    "--chunks", .integer(1...1 << 20), "Only so many pieces, the first ones")

  static let command = Command(
    name: "imatrix",
    summary: "Measure on a text which weights matter most, for 'base quantize --imatrix'",
    details: [
      """
      The base reads the text in pieces, and for every matrix in its layers the mean square of \
      each input is recorded. Weights that meet large inputs are then quantized more carefully. \
      Some tens of pieces of mixed text are enough; a hundred help a little more.
      """,
      """
      The file has llama.cpp's present form, and is made as its own program makes it: only whole \
      pieces, each with the base's begin token in front, and without embedding and output head.
      """,
    ],
    examples: [
      Example(
        "fmadapter base imatrix base.gguf article.txt --context 2 -o base.imatrix.gguf",
        "Of a short text, in short pieces"),
      Example(
        "fmadapter base imatrix base.gguf book.txt --chunks 100 -o base.imatrix.gguf",
        "Of the first 51,200 tokens of a long one"),
    ],
    arguments: [base, text],
    options: [output, length, chunks, ModelOptions.threads, QuantizationOptions.force],
    knownElsewhereAs: ["importance", "calibrate"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let path = try QuantizationOptions.path(
      of: output, example: "base.imatrix.gguf", invocation)
    let model = try BaseModel(
      path: try await Library(terminal).basePath(arguments.required(base)))
    let tokenizer = try model.tokenizer()
    let begin = tokenizer.addsBegin ? tokenizer.beginToken : nil
    let name = arguments.required(text)
    let read = tokenizer.encode(try InputText.file(name), special: false)
    var tokens = (begin.map { [$0] } ?? []) + read
    let context = arguments.value(length) ?? min(512, model.configuration.contextLength)
    if let chunks = arguments.value(chunks) { tokens = Array(tokens.prefix(chunks * context)) }
    let progress = ProgressLine("imatrix", terminal)
    defer { progress.finish() }
    let matrix = try ImportanceMatrix(
      measuring: model, over: tokens, length: context, begin: begin,
      text: String(name.split(separator: "/").last ?? ""),
      threads: arguments.value(ModelOptions.threads),
      progress: { progress.update(done: $0, total: $1) }, isCancelled: { Task.isCancelled })
    progress.finish()
    try matrix.write(to: path)
    let (count, pieces) = (matrix.entries.count, Figures.grouped(matrix.chunks))
    terminal.note(
      "wrote \(path): \(Figures.grouped(count)) matrices, measured on \(pieces) pieces of "
        + "\(Figures.grouped(context)) tokens")
    return .done
  }
}
