import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// The examples of the help, run as they stand, in a folder where everything is that they name.
@Suite(.waits) struct ExampleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    var testDescription: String { line }
  }

  static let all = CompletionScript(root: .root).entries.flatMap { entry in
    entry.command.examples.map { Case(line: $0.line) }
  }

  /// Made once, and copied for every example.
  private static let template = Result { try makeTemplate() }

  private static func makeTemplate() throws -> TemporaryDirectory {
    let signature = "0123456" + String(repeating: "c", count: 33)
    let sample = try SampleBase(
      context: 900, signature: signature, adapters: ["playwriting", "tagging"])
    let box = try TemporaryDirectory()
    func run(_ words: String...) throws {
      let result = try Tool.run(words, store: box)
      precondition(result.status == 0, "\(words): \(result.errorText)")
    }
    let package = sample.folder.path("playwriting.fmadapter")
    for (file, names) in ["p256.pem": ["key.pem"], "p256.pub": ["key.pub", "author.pub"]] {
      for name in names {
        try copy(Fixtures.path("AdaptersTests", "signatures/" + file), box.path(name))
      }
    }
    try run("base", "install", sample.base)
    try run("sign", package, "--key", box.path("key.pem"))
    try run("publish", box.path("site"), package, "--package-version", "1.2.0")
    try run("catalog", "add", box.path("site"))
    try run("install", "playwriting")
    try run("install", sample.folder.path("tagging.fmadapter"))
    try run("lock", "playwriting", "-o", box.path("fmadapter.lock"))
    // The catalog's address has to be right in every copy.
    try run("catalog", "remove", box.path("site"))
    for name in ["base.gguf", "model.gguf", "draft.gguf"] { try copy(sample.base, box.path(name)) }
    for name in ["my", "mine", "old", "Downloads/my"] {
      try copy(package, box.path(name + ".fmadapter"))
    }
    try run("sign", box.path("my.fmadapter"), "--key", box.path("key.pem"))
    // No example changes it, so that it need not be copied with the rest.
    try FileManager.default.createSymbolicLink(
      at: box.url.appendingPathComponent("checkpoint"),
      withDestinationURL: Fixtures.url("LanguageModelsTests", "afm-tiny"))
    try copy(
      Fixtures.path("LanguageModelsTests", "hugging-face/qwen3-yarn"), box.path("Qwen3-0.6B"))
    try copy(box.path("Qwen3-0.6B"), box.path("hub/Qwen/Qwen3-0.6B"))
    try copy(sample.base, box.path("hub/Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf"))
    try copy(
      sample.folder.path("tagging.fmadapter"), box.path("hub/you/adapters/my.fmadapter"))
    let lines = (1...12).map { "{\"prompt\": \"q\($0)\", \"completion\": \"a\($0)\"}\n" }
    _ = try box.write(lines.joined(), to: "all.jsonl")
    let training = try box.write(lines.prefix(8).joined(), to: "train.jsonl")
    try FileManager.default.removeItem(atPath: box.path("mine.fmadapter"))
    try run("train", training, "-o", box.path("mine.fmadapter"), "--epochs", "1")
    _ = try box.write(lines.suffix(4).joined(), to: "valid.jsonl")
    for (part, some) in [lines.prefix(6), lines.suffix(6)].enumerated() {
      try box.write(some.joined(), to: "parts/\(part).jsonl")
    }
    try writeTexts(box)
    for (form, name) in [("peft", "my-lora"), ("gguf", "lora.gguf")] {
      try run("export", package, "--to", form, "-o", box.path(name), "--base", sample.base)
    }
    try run(
      "base", "imatrix", sample.base, box.path("book.txt"), "-o", box.path("base.imatrix.gguf"))
    try FileManager.default.createDirectory(
      atPath: box.path(".config/fish/completions"), withIntermediateDirectories: true)
    return box
  }

  /// Files that are read as they are.
  private static func writeTexts(_ box: TemporaryDirectory) throws {
    let pairs = (1...8).map {
      "{\"prompt\": \"q\($0)\", \"chosen\": \"a\($0)\", \"rejected\": \"b\($0)\"}\n"
    }
    _ = try box.write(pairs.joined(), to: "pairs.jsonl")
    _ = try box.write(pairs.joined(), to: "ultrafeedback.json")
    _ = try box.write("[{\"role\": \"user\", \"content\": \"q\"}]", to: "chat.json")
    _ = try box.write(#"[{"type": "function", "function": {"name": "f"}}]"#, to: "tools.json")
    _ = try box.write("{\"prompt\": \"q\"}\n", to: "notes.jsonl")
    // One prompt has two shards: the first is empty.
    _ = try box.write("", to: "tags-1.jsonl")
    _ = try box.write("{\"prompt\": \"q\", \"answer\": \"a\", \"run\": {}}\n", to: "tags-2.jsonl")
    _ = try box.write("a key\n", to: "keys.txt")
    _ = try box.write("[{\"instruction\": \"q\", \"output\": \"a\"}]", to: "alpaca.json")
    _ = try box.write("Body,Queue\nq,a\n", to: "mail.csv")
    _ = try box.write(
      "{\"conversations\": [{\"from\": \"human\", \"value\": \"q\"}, {\"from\": \"gpt\", \"value\": \"a\"}]}",
      to: "chats.json")
    _ = try box.write(
      "{\"properties\": {\"old\": {\"type\": \"boolean\"}}, \"required\": [\"old\"]}",
      to: "person.json")
    _ = try box.write("{\"old\": true}\n{\"old\": false}\n", to: "people.jsonl")
    for (name, count) in ["article.txt": 1, "prompt.txt": 1, "book.txt": 200] {
      _ = try box.write(String(repeating: "A text.", count: count), to: name)
    }
    // In the place of OpenAI's client: what it sends and reads for the example.
    let client = """
      import json, types, urllib.request

      class OpenAI:
          def __init__(self, base_url, api_key):
              self.base_url, self.responses = base_url, self

          def create(self, **fields):
              head = {"Content-Type": "application/json", "Authorization": "Bearer none"}
              request = urllib.request.Request(self.base_url + "/responses", json.dumps(fields).encode(), head)
              output = json.load(urllib.request.urlopen(request))["output"]
              return types.SimpleNamespace(output_text=output[-1]["content"][0]["text"])
      """
    _ = try box.write(client, to: "openai.py")
    let text = "{\"name\": \"weather\", \"description\": \"Rain?\", \"command\": \"echo rain\"}"
    _ = try box.write(text, to: "weather.json")
  }

  /// What `hf:` leads to.
  private static let hub = Result { try FaultServer(root: try template.get().path("hub")) }

  private static func copy(_ source: String, _ target: String) throws {
    let parent = (target as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  /// Nothing outside this machine is asked, and of trainings some commands write over what they have made.
  ///
  /// The tests of the published base have its examples.
  @Test(
    arguments: all.filter { example in
      !["https://", SuggestedModel.first.shortName].contains(where: example.line.contains)
    })
  func anExampleDoesWhatItSays(_ example: Case) throws {
    let box = try TemporaryDirectory()
    let folder = box.path("box")
    _ = try Subprocess.run("/bin/cp", ["-a", try Self.template.get().path(""), folder])
    var line = example.line
    if line.contains("/srv/adapters fmadapter install") || line.contains("/var/www") {
      line = line.replacing("/srv/", with: folder + "/srv/store-")
        .replacing("/var/www/", with: folder + "/www-")
    }
    if line.contains("catalog add") {
      try FileManager.default.moveItem(atPath: folder + "/site", toPath: folder + "/catalog")
      line = line.replacing("/srv/adapters", with: folder + "/catalog")
    }
    line = line.replacing("| man -l -", with: "| grep -q '^.Dd'")
      .replacing("curl ", with: "curl -fsS ")
    let isReady = "grep -Eq '^(serving|showing)' said"
    let wait = "until \(isReady); do kill -0 $! || exit 1; sleep 0.05; done"
    let server = "http://127.0.0.1:8080"
    if line.contains(server) {
      let address = #"$(sed -n 's/.* at \(http:[^;]*\);.*/\1/p' said)"#
      let ask = line.replacing(server, with: address)
      line =
        "fmadapter serve --port 0 2>said & \(wait); \(ask); code=$?; kill $!; wait $!; exit $code"
    } else if line.hasPrefix("fmadapter serve") || line.hasPrefix("fmadapter studio") {
      let own = line.replacing("/tmp/", with: folder + "/").replacing("/run/", with: folder + "/")
      let place = own.contains("--socket") || own.contains("--port 0") ? own : own + " --port 0"
      line = "\(place) 2>said & \(wait); kill $!; wait $!"
    }
    let registry = try line.contains("oci://") ? FaultServer(registry: "plain") : nil
    if let registry { line = Self.asking(registry, line) }
    // Nobody is there to ask.
    line = line.replacing("--tool weather.json", with: "--tool weather.json --yes")
    if line.contains(" adapters") {
      try FileManager.default.copyItem(
        atPath: Fixtures.repository.appendingPathComponent("adapters").path,
        toPath: folder + "/adapters")
    }
    // What is to be written is not there yet.
    for output in ["-o mine.fmadapter", "-o base.gguf", "-o base.imatrix.gguf"]
    where line.contains(output) && !line.contains("--more-epochs") {
      try FileManager.default.removeItem(atPath: folder + "/" + output.dropFirst(3))
    }
    let program = (Tool.path as NSString).deletingLastPathComponent
    let asksCatalogs = ["catalog ", "install ", "update", "doctor"].contains(where: line.contains)
    let script = (asksCatalogs ? "fmadapter catalog add site >/dev/null 2>&1; " : "") + line
    let result = try Subprocess.run(
      "/bin/bash", ["-c", script],
      environment: [
        "HOME": folder, "FMADAPTER_HOME": folder + "/store", "PATH": program + ":/usr/bin:/bin",
        "HF_ENDPOINT": try Self.hub.get().url("hub", file: ""),
      ], directory: folder)
    // What doctor finds is the machine's: certificates may be missing.
    let isFine = result.status == 0 || line.contains("doctor") && result.status == 8
    #expect(isFine, "\(result.errorText)")
    withExtendedLifetime(registry) {}
  }

  /// `line` with a registry of this machine in the place of another, which has what it installs.
  private static func asking(_ registry: FaultServer, _ line: String) -> String {
    let line = line.replacing("oci://ghcr.io", with: "oci://127.0.0.1:\(registry.port)")
    if line.contains("catalog add ") {
      return line.replacing("catalog add ", with: "catalog push catalog ") + " && " + line
    }
    guard line.contains("fmadapter install ") else { return line }
    return line.replacing("fmadapter install ", with: "fmadapter publish ") + " tagging && " + line
  }

  @Test func addressesInExamplesAreNobodys() {
    for example in Self.all where example.line.contains("https://") {
      let isReserved = example.line.contains("://host/") || example.line.contains(".example.org/")
      #expect(isReserved, "\(example.line)")
    }
  }
}
