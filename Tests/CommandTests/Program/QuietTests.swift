import Foundation
import TestSupport
import Testing

/// With `--quiet` a command that succeeds prints its result alone, which is the one that it prints without.
@Suite(.waits) struct QuietTests {
  @Test(arguments: [
    "list", "list --partials", "base list", "base list --suggest", "base info", "base use sample",
    "info echo", "check echo.fmadapter", "df", "prune --dry-run", "update",
    "catalog list", "catalog show", "install echo.fmadapter", "base install sample.gguf",
    "tokenize -f text.txt", "render -m chat.json", "run echo hi -n 4",
    "run echo hi -n 4 --compare --draft off",
    "run echo --input prompts.jsonl -n 4", "data check data.jsonl", "data stats data.jsonl",
    "eval data.jsonl echo.fmadapter -n 4 --limit 1", "diff echo other.fmadapter",
  ])
  func onlyTheResultIsPrinted(_ line: String) throws {
    let sample = try SampleBase(adapters: ["echo", "other"]).install()
    _ = try sample.folder.write("Once.", to: "text.txt")
    _ = try sample.folder.write(#"[{"role": "user", "content": "q"}]"#, to: "chat.json")
    _ = try sample.folder.write(#"{"prompt": "q"}"#, to: "prompts.jsonl")
    _ = try sample.folder.write(#"{"prompt": "q", "completion": "a"}"#, to: "data.jsonl")
    let words = line.split(separator: " ").map { word in
      let path = sample.folder.path(String(word))
      return FileManager.default.fileExists(atPath: path) ? path : String(word)
    }
    func run(_ more: String...) throws -> ProcessResult {
      try Tool.run(words + more, store: sample.folder)
    }
    let (loud, quiet) = (try run(), try run("--quiet"))
    #expect(loud.status == 0 && quiet.status == 0, "\(quiet.errorText)")
    #expect(quiet.errorText.isEmpty, "\(quiet.errorText)")
    // What is measured is never the same.
    let digits: (String) -> String = {
      $0.replacing(/[\d.,]+/, with: "0").replacing(/[ ]+/, with: " ")
    }
    #expect(digits(quiet.text) == digits(loud.text))
  }
}
