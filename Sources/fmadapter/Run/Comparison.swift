import LanguageModels

/// The same prompt to the base alone and to the base with its adapters, one after the other.
struct Comparison {
  let loaded: LoadedModel
  let arguments: ParsedArguments
  let terminal: Terminal

  private struct Report: Encodable {
    let prompt: String
    let base: Answer
    let adapter: Answer
    let adapters: [String]
  }

  func run(_ prompt: String, json: Bool) throws {
    let names = loaded.adapters.map(\.identifier)
    let base = try section("base alone", adapters: [], prompt, silent: json)
    if !json { terminal.print("") }
    let adapted = try section(
      "base with " + names.joined(separator: ", "), adapters: loaded.adapters, prompt, silent: json)
    guard json else { return }
    try terminal.printJSON(
      Report(prompt: prompt, base: base, adapter: adapted, adapters: names))
  }

  private func section(
    _ title: String, adapters: [AppliedAdapter], _ prompt: String, silent: Bool
  ) throws -> Answer {
    if !silent { terminal.print(terminal.style.bold("== \(title) ==")) }
    let conversation = try Conversation(loaded.model, adapters: adapters, arguments)
    let answer = try conversation.answer(prompt) { if !silent { terminal.stream($0) } }
    if !silent { terminal.print("\n" + terminal.style.dim("-- \(answer.summary)")) }
    return answer
  }
}
