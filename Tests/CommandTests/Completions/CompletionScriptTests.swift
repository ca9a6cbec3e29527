import Foundation
import Testing
import TestSupport

@testable import fmadapter

@Suite(.waits) struct CompletionScriptTests {
  @Test(arguments: [
    ("completions ", "bash fish zsh"), ("compl", "completions"), ("completions --q", "--quiet"),
    ("run --kv = q", "q8"), ("run --kv =", "f16 f32 q8"),
  ])
  func bashCompletes(_ line: String, _ expected: String) throws {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let script = """
      source <("$1" completions bash)
      COMP_WORDS=(fmadapter \(words.map(\.shellQuoted).joined(separator: " ")))
      COMP_CWORD=\(words.count)
      _fmadapter
      printf '%s\\n' "${COMPREPLY[@]}" | sort | tr '\\n' ' '
      """
    let result = try Subprocess.run("/bin/bash", ["-c", script, "bash", Tool.path])
    #expect(result.errorText.isEmpty)
    #expect(result.text == expected + " ")
  }

  /// Adds a catalog, and where it is.
  private static let catalog = "fmadapter catalog add --no-check /srx/site >/dev/null 2>&1"
  private static let place = "/srx/site/index.json"

  /// Keys that a person types, in real shells on a terminal.
  @Test(arguments: [
    ("/bin/bash", ["--norc", "--noprofile", "-i"], "bash"), ("/bin/zsh", ["-f", "-i"], "zsh"),
  ])
  func tabCompletesNames(_ shell: String, _ options: [String], _ name: String) throws {
    let sample = try SampleBase().install()
    let folder = (Tool.path as NSString).deletingLastPathComponent
    let terminal = try PseudoTerminal(
      options, program: shell,
      environment: [
        "FMADAPTER_HOME": sample.folder.path("store"), "PATH": folder + ":/usr/bin:/bin",
        "HOME": sample.folder.path("home"), "PS1": "$ ", "TERM": "vt100", "PROMPT_EOL_MARK": "",
      ])
    let compinit =
      name == "zsh" ? "autoload -U compinit; compinit -u -D; unsetopt zle_bracketed_paste; " : ""
    try terminal.type(
      "cd \(sample.folder.path("")); \(Self.catalog); \(compinit)source <(fmadapter completions \(name)); echo re''ady\n"
    )
    #expect(terminal.wait(for: "ready"))
    for (typed, completed) in [
      ("run ec", "run echo"), ("remove fmadapter-ec", "remove fmadapter-echo-ccccccc"),
      ("base use sam", "base use sample"), ("base use ccc", "base use " + SampleBase.signature),
      ("run --chat-format=chat", "run --chat-format=chatml"),
      ("catalog li", "catalog list"), ("catalog remove /srx", "catalog remove \(Self.place)"),
      ("install x --catalog /srx", "install x --catalog \(Self.place)"),
    ] {
      try terminal.type("fmadapter \(typed)\t")
      #expect(terminal.wait(for: completed.dropFirst(typed.count).description), "\(typed)")
      try terminal.type("\u{15}")
    }
    try terminal.type("exit\n")
    _ = terminal.finish()
  }

  @Test func fishCompletesNames() throws {
    let sample = try SampleBase().install()
    for (typed, expected) in [
      ("run ec", "echo"), ("remove fmadapter-ec", "fmadapter-echo-ccccccc"),
      ("base use sam", "sample"), ("base use ccc", SampleBase.signature), ("catalog li", "list"),
      ("run --no-ad", "--no-adapter"), ("run --kv ", "f16"), ("catalog remove /srx", Self.place),
    ] {
      let folder = (Tool.path as NSString).deletingLastPathComponent
      let result = try Subprocess.run(
        "/usr/bin/fish",
        [
          "--no-config", "-c",
          "\(Self.catalog); fmadapter completions fish | source; complete -C 'fmadapter \(typed)'",
        ],
        environment: [
          "FMADAPTER_HOME": sample.folder.path("store"), "PATH": folder + ":/usr/bin:/bin",
          "HOME": sample.folder.path(""),
        ])
      let words = result.text.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
      #expect(words.contains(Substring(expected)), "\(typed): \(result.text) \(result.errorText)")
      // Fixed values come without the files of the folder.
      #expect(!typed.contains("--kv") || words == ["f16", "f32", "q8"], "\(words)")
    }
  }

  @Test func everyCommandAndOptionIsInEveryScript() {
    let script = CompletionScript(root: .root)
    for text in [script.bash, script.zsh, script.fish] {
      for entry in script.entries.dropFirst() {
        #expect(text.contains(entry.command.name))
        for option in entry.options { #expect(text.contains(option.name.dropFirst(2))) }
      }
    }
  }
}
