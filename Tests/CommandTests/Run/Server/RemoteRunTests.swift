import Foundation
import JSON
import TestSupport
import Testing

@testable import fmadapter

/// `run --server` with a server of the embedded base, which wants the key `secret`.
@Suite(.waits) struct RemoteRunTests {
  private static let base =
    Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path

  /// What `line` comes to, in which `$url` is the server and `$base` its base, and `ask` asks it with its key.
  private func run(_ line: String, files: [String: String] = [:]) throws -> ProcessResult {
    let folder = try TemporaryDirectory()
    for (name, text) in files.merging(["keys": "secret\n"], uniquingKeysWith: { $1 }) {
      _ = try folder.write(text, to: name)
    }
    let program = (Tool.path as NSString).deletingLastPathComponent
    let script = """
      fmadapter serve --base "$base" --port 0 --api-key-file keys --log none 2>said & server=$!
      until grep -q ^serving said; do kill -0 $server || exit 99; sleep 0.05; done
      url=$(sed -n 's/.* at \\(http:[^;]*\\);.*/\\1/p' said)
      ask() { FMADAPTER_SERVER_KEY=secret fmadapter run --server "$url" "$@"; }
      \(line)
      code=$?; kill $server; wait $server; exit $code
      """
    return try Subprocess.run(
      "/bin/bash", ["-c", script],
      environment: [
        "FMADAPTER_HOME": folder.path("store"), "PATH": program + ":/usr/bin:/bin",
        "base": Self.base,
      ], directory: folder.path(""))
  }

  @Test func aServerAnswersAsTheBaseDoesHere() throws {
    let result = try run(
      """
      fmadapter run --base "$base" -n 12 -t 0.8 --seed 7 "Hello there" 2>/dev/null
      ask afm-9m -n 12 -t 0.8 --seed 7 "Hello there"
      """)
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
    let half = lines.count / 2
    #expect(result.status == 0 && half > 0, "\(result.errorText)")
    #expect(lines[..<half].elementsEqual(lines[half..<(2 * half)]), "\(result.text)")
    #expect(result.errorText.contains("by afm-9m"))
  }

  @Test func withoutANameTheFirstModelAnswers() throws {
    let result = try run(
      """
      ask -n 4 "Hello there" > text; ask --json -n 4 "Hello there"
      printf 'Hello there' | ask --json -n 4 -
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.components(separatedBy: #""model" : "afm-9m""#).count == 3)
    #expect(result.errorText.contains("no model is named: afm-9m answers"))
  }

  @Test func aChatGoesOn() throws {
    let result = try run(
      #"printf 'Hello there\n/retry\n/reset\nHello there\n' | ask afm-9m --json -n 5 -t 0"#)
    #expect(result.status == 0, "\(result.errorText)")
    let texts = try result.text.split(separator: "\n").map {
      try JSONDocument(parsing: Array($0.utf8)).root.object?["text"]?.string
    }
    #expect(texts.count == 3 && texts[0] != nil && Set(texts).count == 1)
  }

  @Test func answersKeepToASchema() throws {
    let schema =
      #"{"type": "object", "properties": {"old": {"type": "boolean"}}, "required": ["old"], "additionalProperties": false}"#
    let result = try run(#"ask afm-9m --schema s.json "Ada is 36""#, files: ["s.json": schema])
    let json = try JSONDocument(parsing: result.output).root.object
    #expect(json?.keys == ["old"], "\(result.text) \(result.errorText)")
  }

  @Test func toolsRunHere() throws {
    let tool = #"{"name": "weather", "description": "Rain?", "command": "echo rain"}"#
    let result = try run(
      """
      ask afm-9m --json --tool t.json --yes --tool-choice required --max-tool-rounds 1 -n 200 \
        "Is it raining in Bern?"
      """, files: ["t.json": tool])
    #expect(result.status == 0, "\(result.errorText)")
    let calls = try JSONDocument(parsing: result.output).root.object?["toolCalls"]?.array
    #expect(calls?.first?.object?["output"]?.string == "rain", "\(result.text)")
  }

  @Test(arguments: [
    (#"fmadapter run --server "$url" afm-9m Hi"#, 7, "wants a key: A key is needed"),
    (
      #"FMADAPTER_SERVER_KEY=other fmadapter run --server "$url" afm-9m Hi"#, 7,
      "set FMADAPTER_SERVER_KEY to one that it knows"
    ),
    ("ask nobody Hi", 3, "It has afm-9m."),
    (
      #"FMADAPTER_SERVER_KEY=secret fmadapter run --server "$url/x" afm-9m Hi"#, 7,
      "mostly one that ends with /v1"
    ),
    (
      #"FMADAPTER_SERVER_KEY=secret fmadapter run --server "https${url#http}" afm-9m Hi"#, 7,
      "mostly wants http"
    ),
    ("fmadapter run --server http://127.0.0.1:1 a Hi", 7, "nothing listens at 127.0.0.1:1"),
    ("fmadapter run --server 127.0.0.1:8080 a Hi", 2, "is no address of a server"),
    ("fmadapter run --server http://192.0.2.1 a Hi", 2, "--allow-http"),
    (
      "FMADAPTER_SERVER_KEY=k fmadapter run --allow-http --server http://192.0.2.1 a Hi", 2,
      "others could read it"
    ),
    ("ask --base x afm-9m Hi", 2, "--base is for a base on this machine"),
    ("fmadapter run --allow-http Hi", 2, "--allow-http is for --server"),
    (#"ask afm-9m -n 1 --schema s.json "Ada is 36""#, 1, "was cut before its JSON was whole"),
  ])
  func whatIsWrongIsSaidWithTheNextStep(_ line: String, _ status: Int32, _ text: String) throws {
    let schema = #"{"type": "object", "properties": {"age": {"type": "integer"}}}"#
    let result = try run(line, files: ["s.json": schema])
    #expect(result.status == status && result.errorText.contains(text), "\(result.errorText)")
    #expect(!result.errorText.contains("secret"))
  }
}
