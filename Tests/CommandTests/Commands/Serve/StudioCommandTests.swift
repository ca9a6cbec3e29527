import Foundation
import Serving
import Synchronization
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct StudioCommandTests {
  /// Opens the page and asks for a list as a browser does, and then ends the program.
  private static let visitor = """
    import json, signal, subprocess, sys, urllib.error, urllib.request
    program = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
    address = program.stdout.readline().strip()
    site, token = address.split("/#token=")
    page = urllib.request.Request(site + "/", headers={"Accept": "text/html"})
    print(urllib.request.urlopen(page).read().decode().split("\\n")[0])
    def ask(words, token):
        request = urllib.request.Request(site + "/studio/run", json.dumps({"words": words}).encode(),
            {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        return urllib.request.urlopen(request).read().decode()
    print(json.loads(ask(["list", "--json"], token)))
    try:
        ask(["list"], "x" + token)
    except urllib.error.HTTPError as error:
        print(error.code)
    program.send_signal(signal.SIGINT)
    print(program.wait())
    """

  @Test func itPrintsAnAddressThatLetsItsOwnerIn() throws {
    let folder = try TemporaryDirectory()
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let result = try Subprocess.run(
      "/usr/bin/env",
      [
        "python3", "-c", Self.visitor, Tool.path, "studio", "--base", base, "--port", "0",
        "--folder", folder.path("studio"),
      ], environment: ["FMADAPTER_HOME": folder.path("store")])
    #expect(
      result.text
        == "<!doctype html>\n{'code': 0, 'output': '[\\n\\n]\\n', 'errors': ''}\n401\n0\n",
      "\(result.text) \(result.errorText)")
  }

  private func commands() throws -> OwnCommands {
    try OwnCommands(Terminal(environment: ["FMADAPTER_HOME": "/nowhere"]), base: nil)
  }

  @Test(arguments: [
    ["list"], ["list", "--json"], ["install", "tagging"], ["install", "https://a.example/b/"],
    ["install", "hf:owner/repo"], ["train", "a.jsonl", "-o", "b", "--epochs=2"],
    ["data", "check", "folder/a.jsonl"],
  ])
  func whatThePageDoesIsAllowed(_ words: [String]) throws {
    #expect(try commands().refusal(of: words) == nil)
  }

  @Test(arguments: [
    (["serve"], "this command is not one that the studio runs."),
    (["run", "a", "b"], "this command is not one that the studio runs."),
    (["export", "a"], "this command is not one that the studio runs."),
    (["list", "--help"], "this command is not one that the studio runs."),
    (
      ["data", "check", "/etc/passwd"],
      "a path has to lie in the folder of the studio, and begin there."
    ),
    (
      ["data", "check", "a/../../b"],
      "a path has to lie in the folder of the studio, and begin there."
    ),
    (
      ["train", "a", "--output=/b"],
      "a path has to lie in the folder of the studio, and begin there."
    ),
    (
      ["train", "a", "-o/tmp/b"],
      "a path has to lie in the folder of the studio, and begin there."
    ),
    (["install", "~/x"], "a path has to lie in the folder of the studio, and begin there."),
    (["install", "FILE:///x"], "a path has to lie in the folder of the studio, and begin there."),
    (
      ["install", "a", "--token-stdin"], "nobody can type for a command that the studio runs."
    ),
  ])
  func anythingElseIsRefused(_ words: [String], _ reason: String) throws {
    #expect(try commands().refusal(of: words) == reason)
  }

  @Test func aCommandRunsInItsFolderAndIsStopped() throws {
    let folder = try TemporaryDirectory()
    func run(_ command: String, then act: (TerminalControl.RunningProgram) -> Void = { _ in })
      throws -> [String]
    {
      let told = Mutex<[String]>([])
      let running = try #require(
        TerminalControl.RunningProgram.start(
          TerminalControl.ChildProgram(
            path: "/bin/sh", words: ["sh", "-c", command], ["A": "b"], folder: folder.path)
        ) { event in
          told.withLock { told in
            switch event {
            case .output(let bytes): told.append("out \(String(decoding: bytes, as: UTF8.self))")
            case .error(let bytes): told.append("err \(String(decoding: bytes, as: UTF8.self))")
            case .ended(let status): told.append("\(status)")
            }
          }
        })
      act(running)
      while told.withLock({ $0.last.flatMap { Int($0) } }) == nil { usleep(1000) }
      return told.withLock { $0 }
    }
    #expect(try run("echo $A > made; exit 3") == ["3"])
    #expect(try String(contentsOfFile: folder.path("made"), encoding: .utf8) == "b\n")
    #expect(try run("echo x >&2").sorted() == ["0", "err x\n"])
    #expect(
      try run("sleep 600") {
        $0.send(SIGSTOP); $0.stop()
      } == ["130"])
  }
}
