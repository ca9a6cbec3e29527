import LanguageModels
import SystemFiles

/// Says once that an activated adapter does nothing, as its invocation does not occur in a prompt.
final class InvocationNote {
  private let terminal: Terminal
  private var isSaid = false

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// `generator`, once it has been said where that is true of it.
  func noting(_ generator: TokenGenerator) -> TokenGenerator {
    guard !isSaid, generator.statistics.isActivated == false else { return generator }
    isSaid = true
    let names = generator.session.adapters.map(\.identifier).joined(separator: " and ")
    terminal.note(
      "The invocation of \(names) does not occur in the prompt: the base answers alone.")
    return generator
  }
}
