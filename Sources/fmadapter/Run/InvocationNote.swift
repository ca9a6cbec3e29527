import LanguageModels
import SystemFiles

/// Says once that an activated adapter does nothing, as its invocation does not occur in a prompt.
struct InvocationNote {
  private var isSaid = false

  /// Says so where it is true of `generator`.
  mutating func tell(of generator: TokenGenerator, _ terminal: Terminal) {
    guard !isSaid, generator.statistics.isActivated == false else { return }
    isSaid = true
    let names = generator.session.adapters.map(\.identifier).joined(separator: " and ")
    terminal.note(
      "The invocation of \(names) does not occur in the prompt: the base answers alone.")
  }
}
