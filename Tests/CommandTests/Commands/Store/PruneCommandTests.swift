import Foundation
import TestSupport
import Testing

@Suite(.waits) struct PruneCommandTests {
  private static let identifier = "fmadapter-echo-ccccccc"

  /// A store whose only adapter has lost its base.
  private func obsolete() throws -> (sample: SampleBase, removal: ProcessResult) {
    let sample = try SampleBase().install()
    return (sample, try Tool.run("base", "remove", "cccc", store: sample.folder))
  }

  @Test func removingABaseNamesPrune() throws {
    let (sample, removal) = try obsolete()
    removal.expectSuccess()
    #expect(
      removal.errorText.hasSuffix(
        "\n1 adapter for it is obsolete now; 'fmadapter prune' removes it\n"))
    let result = try Tool.run("prune", "--yes", store: sample.folder).expectSuccess()
    #expect(result.text.contains(Self.identifier))
    #expect(result.errorText.hasPrefix("1 entry removed, "))
    #expect(try Tool.run("list", "--names", store: sample.folder).output.isEmpty)
  }

  @Test func aDryRunShowsAndRemovesNothing() throws {
    let (sample, _) = try obsolete()
    let result = try Tool.run("prune", "--dry-run", store: sample.folder).expectSuccess()
    #expect(result.text.contains("its base ccccccc is not installed"))
    #expect(result.errorText.hasPrefix("1 entry would be removed, "))
    let items = try Tool.run("prune", "-n", "--json", store: sample.folder).objects()
    #expect(items.first?["kind"] as? String == "adapter")
    #expect(try !Tool.run("list", "--names", store: sample.folder).output.isEmpty)
  }

  @Test func withNobodyToAskNothingIsRemoved() throws {
    let (sample, _) = try obsolete()
    try Tool.run("prune", store: sample.folder).expectStatus(
      2, saying: "there is nobody to ask; say --yes to remove, or --dry-run to look")
    #expect(try !Tool.run("list", "--names", store: sample.folder).output.isEmpty)
  }

  @Test(arguments: [
    ("y", "1 entry removed", 0), ("n", "nothing was removed", 1), ("", "nothing", 1),
  ])
  func onATerminalItAsks(_ answer: String, _ message: String, _ left: Int) throws {
    let (sample, _) = try obsolete()
    let terminal = try PseudoTerminal(
      ["prune"], environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    try terminal.type(answer + "\n", after: "? [y/N]")
    #expect(terminal.wait(for: message))
    #expect(terminal.finish() == 0)
    #expect(
      try Tool.run("list", "--names", store: sample.folder).text.split(separator: "\n").count
        == left)
  }

  @Test func noInputNeverAsks() throws {
    let (sample, _) = try obsolete()
    let terminal = try PseudoTerminal(
      ["prune", "--no-input"], environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: "nobody to ask"))
    #expect(terminal.finish() == 2)
  }

  @Test func interruptingTheQuestionRemovesNothing() throws {
    let (sample, _) = try obsolete()
    let terminal = try PseudoTerminal(
      ["prune"], environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: "? [y/N]"))
    terminal.interrupt()
    #expect(terminal.finish() == 130)
    #expect(try !Tool.run("list", "--names", store: sample.folder).output.isEmpty)
  }

  @Test func anOldEnoughAgeIsNeeded() throws {
    let (sample, _) = try obsolete()
    let result = try Tool.run("prune", "--older-than", "7d", "-y", store: sample.folder)
    #expect(result.status == 0 && result.errorText == "there is nothing to prune\n")
    try Tool.run("prune", "--older-than", "soon", store: sample.folder).expectStatus(
      2, saying: "--older-than takes an age such as 7d, 12h or 30m, not 'soon'")
  }

  @Test func theTwoSelectionsExcludeEachOther() throws {
    try Tool.run("prune", "--obsolete-only", "--partials-only").expectStatus(2)
  }

  @Test func aRunningChatKeepsItsAdapter() throws {
    let sample = try SampleBase().install()
    let terminal = try PseudoTerminal(
      ["run", "echo"], environment: ["FMADAPTER_HOME": sample.folder.path("store")])
    #expect(terminal.wait(for: ">"))
    try Tool.run("base", "remove", "cccc", store: sample.folder).expectSuccess()
    let kept = try Tool.run("prune", "--yes", store: sample.folder)
    #expect(kept.text.contains("in use, so it stays"), "\(kept.text) \(kept.errorText)")
    try terminal.type("/exit\r")
    #expect(terminal.finish() == 0)
  }
}
