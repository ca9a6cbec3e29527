import Foundation

/// The options of commands that ask before they remove something.
enum Confirmation {
  static let dryRun = Flag("--dry-run", short: "-n", "Show what would be done, and do nothing")
  static let yes = Flag("--yes", short: "-y", "Do it without asking")
  static let noInput = Flag("--no-input", "Never ask: without --yes this is an error")
  static let options: [any OptionDeclaration] = [dryRun, yes, noInput]

  /// Whether to go on: by `--yes`, or by a person's answer.
  ///
  /// - Throws: `UsageError` when there is nobody to ask.
  static func isGiven(_ invocation: Invocation, _ question: String) throws -> Bool {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(yes) { return true }
    guard terminal.inputIsTerminal, terminal.errorIsTerminal, !arguments.has(noInput) else {
      throw invocation.conflict("there is nobody to ask; say --yes to remove, or --dry-run to look")
    }
    terminal.writeError(question + " [y/N] ")
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    return ["y", "yes"].contains(answer)
  }
}
