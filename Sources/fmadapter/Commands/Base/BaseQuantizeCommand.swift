import LanguageModels

/// `base quantize`: a base again, with weights of another type.
enum BaseQuantizeCommand {
  private static let file = Argument("file", "A GGUF file", completion: .files)

  static let command = Command(
    name: "quantize",
    summary: "Write a base again with weights of another type",
    details: [
      """
      The signature stays that of the source, so adapters fit the result. Everything else in the \
      file is kept. Norms stay F32, and a matrix whose rows do not divide into blocks takes the next \
      finer type.
      """,
      QuantizationOptions.ourOwnType,
    ],
    examples: [
      Example("fmadapter base quantize base.gguf -o base-q4.gguf --type q4_k", "4-bit weights"),
      Example(
        "fmadapter base quantize base.gguf -o small.gguf --type q2_k --embedding-type q4_k",
        "As small as weights bear that were not trained for it"),
    ],
    arguments: [file],
    options: [QuantizationOptions.output, QuantizationOptions.type, QuantizationOptions.embedding],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let output = try QuantizationOptions.output(invocation)
    guard let type = arguments.value(QuantizationOptions.type) else {
      throw invocation.conflict("--type is needed: --type q4_k")
    }
    let progress = ProgressLine("quantize", terminal)
    defer { progress.finish() }
    try BaseQuantizer(plan: QuantizationOptions.plan(arguments, default: type)).quantize(
      arguments.required(file), to: output,
      progress: { progress.update(done: $0.done, total: $0.total, $0.tensor) },
      isCancelled: { Task.isCancelled })
    progress.finish()
    return try BaseReport.wrote(output, terminal)
  }
}
