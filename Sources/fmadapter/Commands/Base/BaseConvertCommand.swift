import Kernels
import LanguageModels

/// `base convert`: a base from a checkpoint.
enum BaseConvertCommand {
  private static let folder = Argument(
    "folder", "A checkpoint: config.json, base.safetensors and, if there is one, tokenizer.model",
    completion: .folders)

  static let command = Command(
    name: "convert",
    summary: "Make a base from an AFM checkpoint",
    details: [
      """
      Tensors are read under the checkpoint's own names, as Apple's tamm package writes them. The \
      base's signature is the SHA-1 of base.safetensors, so every base made from one checkpoint \
      carries the same. Without --type the weights are F16.
      """,
      QuantizationOptions.ourOwnType,
    ],
    examples: [
      Example("fmadapter base convert checkpoint/ -o base.gguf", "Weights in F16"),
      Example(
        "fmadapter base convert checkpoint/ -o base.gguf --type q4_0 --embedding-type q8_0",
        "4-bit weights with a finer embedding"),
      Example(
        "fmadapter base convert checkpoint/ -o base.gguf --type q2_b",
        "Two bits, for a checkpoint that was trained for them"),
    ],
    arguments: [folder],
    options: [QuantizationOptions.output, QuantizationOptions.type, QuantizationOptions.embedding],
    knownElsewhereAs: ["import"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let output = try QuantizationOptions.output(invocation)
    let progress = ProgressLine("convert", terminal)
    defer { progress.finish() }
    try BaseConverter(plan: QuantizationOptions.plan(arguments, default: .f16)).convert(
      arguments.required(folder), to: output,
      progress: { progress.update(done: $0.done, total: $0.total, $0.tensor) },
      isCancelled: { Task.isCancelled })
    progress.finish()
    return try BaseReport.wrote(output, terminal)
  }
}
