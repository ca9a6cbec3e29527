import LanguageModels
import SystemFiles
import Tokenization

/// `logits`: what a base, with adapters or without, computes for given tokens.
enum LogitsCommand {
  private static let tokens = Option("--tokens", .tokens, "Ids of the tokens, as 1,2,3")
  private static let last = Option(
    "--last", .integer(1...1_000_000), "Print only the last positions, so many")
  private static let json = Flag("--json", "Print {\"logits\": [[...], ...]} in full precision")

  static let command = Command(
    name: "logits",
    summary: "Print the logits of every position",
    details: [
      """
      Without --json each position shows the five most likely next tokens. Over F32 and F16 weights \
      activations and cache are kept in F32, so that the figures can be compared with another \
      implementation's.
      """
    ],
    examples: [
      Example(
        "fmadapter logits --base model.gguf --tokens 1,2,3 --json", "Logits of a base in a file"),
      Example(
        "fmadapter logits --adapter playwriting --tokens 1,2,3",
        "The same with an adapter's changes"),
    ],
    options: [
      tokens, last, ModelOptions.base, ModelOptions.adapter, ModelOptions.scale, ModelOptions.cache,
      ModelOptions.threads, json,
    ],
    optionsKnownElsewhere: KnownElsewhere.model,
    remedyForWords: "give tokens as --tokens 1,2,3; 'fmadapter tokenize' prints those of a text",
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    let ids = try invocation.needed(tokens, "--tokens 1,2,3")
    let loaded = try await Library(terminal).load(
      LoadRequest(invocation, adapters: arguments.values(ModelOptions.adapter)))
    defer { withExtendedLifetime(loaded.leases) {} }
    let session = try ModelSession(
      loaded.model, adapters: loaded.adapters, cache: arguments.value(ModelOptions.cache),
      threads: arguments.value(ModelOptions.threads))
    session.begin(ids)
    let known = max(0, ids.count - (arguments.value(last) ?? ids.count))
    if known > 0 {
      try session.evaluate(Array(ids.prefix(known)), isCancelled: { Task.isCancelled })
    }
    let shown = Array(ids.dropFirst(known))
    if arguments.has(json) {
      try printAll(shown, behind: known, session, terminal)
    } else {
      let tokenizer = try? loaded.model.tokenizer()
      try session.evaluate(shown, isCancelled: { Task.isCancelled }) { position, logits in
        terminal.print(cells: ["\(position)", "\(ids[position])", best(logits, tokenizer)])
      }
    }
    return .done
  }

  private static func printAll(
    _ ids: [Int32], behind known: Int, _ session: ModelSession, _ terminal: Terminal
  ) throws {
    try session.evaluate(ids, isCancelled: { Task.isCancelled }) { position, logits in
      let start = position == known ? "{\"logits\": [[" : ",\n["
      terminal.write(json: start + numbers(logits) + "]")
    }
    terminal.write(json: "]}\n")
  }

  /// The shortest texts that read back as the same numbers.
  private static func numbers(_ logits: [Float]) -> String {
    logits.map(\.description).joined(separator: ", ")
  }

  private static func best(_ logits: [Float], _ tokenizer: Tokenizer?) -> String {
    let order = logits.indices.sorted { logits[$0] > logits[$1] }.prefix(5)
    return order.map { token in
      let bytes = tokenizer?.bytes(of: Int32(token), special: true) ?? []
      let piece = String(decoding: bytes, as: UTF8.self)
      return
        "\(token) \(piece.isEmpty ? "" : "'\(piece)' ")\(Figures.fixed(Double(logits[token]), 3))"
    }.joined(separator: "  ")
  }
}
