import Kernels
import LanguageModels
import SystemFiles
import TensorFiles

/// `base quantize`: a base again, with weights of another type.
enum BaseQuantizeCommand {
  private static let base = Argument(
    "base", "A GGUF file, or an installed base", completion: .bases)
  private static let requantize = Flag(
    "--requantize", "Quantize weights that are quantized already, and lose more")
  private static let importance = Option(
    "--imatrix", .file,
    "An importance matrix, of 'base imatrix' or llama.cpp: errors count more where inputs are large"
  )

  static let command = Command(
    name: "quantize",
    summary: "Quantize a base: write it with smaller weights",
    details: [
      """
      The signature stays that of the source, so adapters fit the result. Everything else in the \
      file is kept. Norms stay F32, and a matrix whose rows do not divide into blocks takes the next \
      finer type.
      """,
      QuantizationOptions.mixes, QuantizationOptions.ourOwnType,
      """
      With --imatrix the scales of q4_0, q2_k, q4_k, q5_k, q6_k and q2_b are those with the \
      least error in what the weights are multiplied with. All but the last give exactly \
      llama.cpp's blocks. Files of llama.cpp work, too, in today's form and the old one; those \
      of another model are refused.
      """,
    ],
    examples: [
      Example(
        "fmadapter base quantize base.gguf -o base-q4.gguf --type q4_k_m",
        "4-bit weights, and finer ones where they matter most"),
      Example(
        "fmadapter base quantize base.gguf -o base-q4.gguf --type q4_k_m --imatrix base.imatrix.gguf",
        "The same, with an eye to what they are multiplied with"),
      Example(
        "fmadapter base quantize base.gguf -o small.gguf --type q2_k --embedding-type q4_k",
        "As small as weights bear that were not trained for it"),
    ],
    arguments: [base],
    options: [
      QuantizationOptions.output, QuantizationOptions.type, QuantizationOptions.embedding,
      importance, requantize, QuantizationOptions.force,
    ],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let output = try QuantizationOptions.output(invocation)
    _ = try invocation.needed(QuantizationOptions.type, "--type q4_k")
    let source = try await Library(terminal).basePath(arguments.required(base))
    let plan = QuantizationOptions.plan(arguments)
    try checkLoss(source, plan, invocation)
    let matrix = try arguments.value(importance).map { try ImportanceMatrix(path: $0) }
    let progress = ProgressLine("quantize", terminal)
    defer { progress.finish() }
    try BaseQuantizer(plan: plan, importance: matrix).quantize(
      source, to: output,
      progress: { progress.update(done: $0.done, total: $0.total, $0.tensor) },
      isCancelled: { Task.isCancelled })
    progress.finish()
    return try BaseReport.wrote(output, terminal)
  }

  /// Refuses to quantize what is quantized, unless told to; where nothing is lost beside what was, it only says so.
  private static func checkLoss(
    _ source: String, _ plan: TensorTypePlan, _ invocation: Invocation
  ) throws {
    let types = Set(try GGUFFile(path: source).tensors.map(\.type).filter { $0.blockLength > 1 })
    if types.isEmpty || types == [plan.type] && plan.isUniform { return }
    let names = types.map(\.name).sorted().joined(separator: ", ")
    let loss = "\(source) is quantized already (\(names)): what that lost stays lost"
    guard plan.type.blockLength > 1 else { return invocation.terminal.warn(loss) }
    guard invocation.arguments.has(requantize) else {
      throw Failure(
        .usage,
        "\(loss), and this would lose more\(remedy: "quantize the original, or say --requantize")")
    }
    invocation.terminal.warn("\(loss), and this loses more")
  }
}

/// `base convert`: a base from a checkpoint.
enum BaseConvertCommand {
  private static let folder = Argument(
    "folder", "A checkpoint: config.json, weights as safetensors, and a tokenizer",
    completion: .folders)

  static let command = Command(
    name: "convert",
    summary: "Make a base from a Hugging Face model or an AFM checkpoint",
    details: [
      """
      A folder as the Hugging Face hub has it: config.json, model.safetensors or several files and \
      their index, tokenizer.json or tokenizer.model, and what stands beside them. Models of type \
      llama, mistral, qwen2, qwen3, qwen3_moe, qwen3_5, phi3, smollm3, gemma2, gemma3, gemma4, granite and lfm2; others are refused by \
      name. Or an AFM checkpoint: base.safetensors under the names of Apple's tamm package.
      """,
      """
      The base's signature is the SHA-1 of the weights, so every base made from one checkpoint \
      carries the same. Without --type the weights are F16.
      """,
      QuantizationOptions.ourOwnType,
    ],
    examples: [
      Example("fmadapter base convert checkpoint/ -o base.gguf", "Weights in F16"),
      Example(
        "fmadapter base convert Qwen3-0.6B/ -o qwen3.gguf --type q4_k",
        "A downloaded model in 4 bits"),
      Example(
        "fmadapter base convert checkpoint/ -o base.gguf --type q4_0 --embedding-type q8_0",
        "4-bit weights with a finer embedding"),
      Example(
        "fmadapter base convert checkpoint/ -o base.gguf --type q2_b",
        "Two bits, for a checkpoint that was trained for them"),
    ],
    arguments: [folder],
    options: [
      QuantizationOptions.output, QuantizationOptions.type, QuantizationOptions.embedding,
      QuantizationOptions.force,
    ],
    knownElsewhereAs: ["import"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let output = try QuantizationOptions.output(invocation)
    let progress = ProgressLine("convert", terminal)
    defer { progress.finish() }
    try BaseConverter(plan: QuantizationOptions.plan(arguments)).convert(
      arguments.required(folder), to: output,
      progress: { progress.update(done: $0.done, total: $0.total, $0.tensor) },
      isCancelled: { Task.isCancelled })
    progress.finish()
    return try BaseReport.wrote(output, terminal)
  }
}
