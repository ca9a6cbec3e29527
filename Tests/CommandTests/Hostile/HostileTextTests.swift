import AdapterTraining
import Adapters
import Foundation
import JSON
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import fmadapter

/// No text of others reaches a terminal but as something to read.
@Suite struct HostileTextTests {
  @Test func theProbeFindsWhatIsRaw() {
    #expect(Hostile.found(in: Array(Hostile.text.utf8))?.count ?? 0 > 15)
    #expect(Hostile.found(in: Array("ü 語 👍\n".utf8)) == [])
    #expect(Hostile.found(in: [0xFF]) == nil)
  }

  @Test(arguments: HostileErrors.all.indices)
  func anErrorIsShownAndNotObeyed(_ index: Int) throws {
    let error = HostileErrors.all[index]
    let failure = Failure(error)
    let people = try Capture()
    _ = failure.report(people.terminal())
    #expect(Hostile.found(in: people.errors) == [], "\(String(reflecting: error))")
    #expect(people.errors.count { $0 == 0x0A } == 1 + failure.details.count)
    #expect(people.output.isEmpty)

    let program = try Capture()
    _ = failure.report(program.terminal(json: true))
    #expect(Hostile.found(in: program.errors) == [])
    #expect(program.errors.count { $0 == 0x0A } == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(program.errors)) as? [String: [String: Any]])
    #expect(object["error"]?["message"] as? String == failure.text.problem)
    #expect(object["error"]?["remedy"] as? String == failure.text.remedy ?? failure.hint)
    #expect(object["error"]?["code"] as? Int32 == failure.code.rawValue)
  }

  /// The cases that the sources declare, and those that the list above makes.
  @Test func everyErrorIsTried() throws {
    var tried: [String: Set<String>] = [:]
    for error in HostileErrors.all {
      let type = "\(type(of: error))"
      tried[type, default: []].insert(Mirror(reflecting: error).children.first?.label ?? "")
    }
    tried["Problem"] = Set(
      HostileErrors.usage.compactMap { Mirror(reflecting: $0).children.first?.label })
    tried["FileError"]?.formUnion(["gguf", "safetensors", "blob"])
    // Reports have tests of their own below; what others carry is tried within those.
    tried["DataSetError"]?.insert("refused")
    // Those of patterns stand within errors of grammars, and findings carry those of records.
    tried["PatternDefect"] = ["part", "tooLarge"]
    tried["Defect"] = ["tooLong", "tooDeep", "syntax", "kind"]
    tried["Defect"]?.formUnion(
      HostileErrors.sockets.compactMap { Mirror(reflecting: $0).children.first?.label })
    // Those of heads go to who has sent the request, in words of the server's own.
    tried["Defect"]?.formUnion(["line", "field"])
    for (type, declared) in try SourceText.errorCases() {
      #expect(declared.subtracting(tried[type] ?? []).sorted() == [], "of \(type)")
    }
  }

  @Test func reportsAreShownAndNotObeyed() throws {
    let capture = try Capture()
    let terminal = capture.terminal()
    let report = CheckReport(package: Hostile.text, findings: HostileErrors.findings)
    for columns in [40, 80, 200] { report.lines(columns: columns).forEach(terminal.print) }
    terminal.print(report.json)
    var facts = FactList()
    facts.add(Hostile.text, Hostile.text)
    facts.lines(columns: 40).forEach(terminal.print)
    let table = TextTable(headings: ["A", "B"], rows: [[Hostile.text, Hostile.text]])
    for columns in [10, 1000] { table.lines(columns: columns).forEach(terminal.print) }
    try terminal.printJSON([Hostile.text])
    try terminal.printJSONLine([Hostile.text])
    terminal.write("a\n\(Hostile.text)\n")
    terminal.note(Hostile.text)
    terminal.warn(Hostile.text)
    terminal.ask(Hostile.text)
    terminal.note(
      ProgressText(label: Hostile.text, fraction: 0.5, done: Hostile.text, details: [Hostile.text])
        .line(columns: 400, unicode: true))
    #expect(Hostile.found(in: capture.output) == [])
    #expect(Hostile.found(in: capture.errors) == [])
  }
}

/// The program on a terminal, with files and servers that try to steer it.
@Suite(.waits) struct HostileTerminalTests {
  private func screen(
    _ arguments: [String], store: TemporaryDirectory, columns: UInt16 = 80, hub: String? = nil
  ) throws -> String {
    let terminal = try PseudoTerminal(
      arguments, columns: columns,
      environment: ["FMADAPTER_HOME": store.path("store"), "HF_ENDPOINT": hub ?? ""])
    _ = terminal.finish()
    let found = Hostile.found(in: Hostile.withoutOwnSequences(terminal.screen))
    #expect(found == [], "\(arguments)")
    #expect(!terminal.screen.contains("\nfmadapter: all is well"))
    return terminal.screen
  }

  @Test func basesAndCheckpoints() throws {
    let folder = try TemporaryDirectory()
    var head = GGUFWriter()
    head.set("general.architecture", .text(Hostile.text))
    head.set("general.name", .text(Hostile.text))
    head.append(.init(name: String(Hostile.text.prefix(9)), type: .f32, dimensions: [1]))
    var stream = try GGUFStream(head, path: folder.path("base.gguf"))
    try stream.write([0, 0, 0, 0])
    try stream.commit()
    let named = folder.path("a\u{1B}[2J\u{9B}b.gguf")
    try FileManager.default.copyItem(atPath: folder.path("base.gguf"), toPath: named)
    for arguments in [
      ["base", "info", folder.path("base.gguf")], ["base", "info", named],
      ["base", "install", named], ["base", "quantize", named, "-o", named, "--type", "q4_0"],
      ["tokenize", "--base", named], ["run", "--no-adapter", "--base", named, "hi"],
    ] {
      #expect(try screen(arguments, store: folder).contains("error:"))
    }
    let entry = "{\"\(#"\u001b[2J\u009b\u202e\u200b\n"#)\": {\"dtype\": \"\(#"\u001b[2J"#)\"}}"
    let length = (0..<8).map { UInt8(truncatingIfNeeded: entry.utf8.count >> ($0 * 8)) }
    _ = try folder.write(length + Array(entry.utf8), to: "checkpoint/base.safetensors")
    _ = try folder.write(Array("{\"\(#"\u001b[2J"#)\": 1}".utf8), to: "checkpoint/config.json")
    let convert = ["base", "convert", folder.path("checkpoint"), "-o", folder.path("out.gguf")]
    #expect(try screen(convert, store: folder).contains("error:"))
  }

  @Test func packages() throws {
    let package = try SamplePackage()
    try package.edit("\"random LoRA\"", "\"\(#"\u001b[2J\u009b31m\u202e\u200b\n\r\u0085"#)\"")
    for command in ["info", "check", "install"] {
      let text = try screen([command, package.path], store: package.folder)
      if command == "info" { #expect(text.contains("\\u{9b}")) }
      _ = try screen([command, package.path, "--json"], store: package.folder)
    }
    let other = ["diff", SamplePackage.source.path, package.path]
    #expect(try screen(other, store: package.folder).contains("\\u{9b}"))
    _ = try screen(other + ["--json"], store: package.folder)
    try package.edit("\"loraRank\"", "\"\(#"\u001b[2J\u202e"#)\": {}, \"lora\(#"\u009b"#)Rank\"")
    #expect(try screen(["check", package.path], store: package.folder).contains("error"))
    #expect(try screen(["install", package.path], store: package.folder).contains("error:"))
  }

  @Test func catalogs() throws {
    let sample = try CatalogSample(publishing: "1.0.0")
    let index = sample.site + "/index.json"
    let text = try String(contentsOfFile: index, encoding: .utf8)
    let payload = #"\u001b[2J\u009b31m\u202e\u200b\u2028"#
    try text.replacing("Says it again", with: payload)
      .write(toFile: index, atomically: true, encoding: .utf8)
    #expect(try screen(["catalog", "show"], store: sample.store).contains("\\u{1b}[2J"))
    #expect(try screen(["catalog", "show", "--json"], store: sample.store).contains("\\u009b"))
    try "{\"\(payload)\": [\"\(payload)\"], \"adapters\": 3}"
      .write(toFile: index, atomically: true, encoding: .utf8)
    #expect(try screen(["catalog", "show"], store: sample.store).contains("error:"))
    #expect(try screen(["install", "echo"], store: sample.store).contains("error:"))
  }

  @Test func addressesAndHeaders() throws {
    let folder = try TemporaryDirectory()
    let server = try FaultServer.shared.get()
    for address in [
      "http://127.0.0.1:1/%1b%5b2J%c2%9b%e2%80%ae.gguf", "http://127.0.0.1:1/\u{1B}[2J.gguf",
      "file:///nowhere/%1b%5b2J.gguf", "ftp://\u{1B}[2J/", "http://%1b[2J/x.gguf",
      server.redirect(to: "ftp://host/\u{1B}[2J\u{9B}31m\u{202E}"),
      server.redirect(to: "https://\u{1B}[2J\u{9B}31m/"), server.url("status=404", file: "%1b[2J"),
    ] {
      #expect(try screen(["base", "install", address], store: folder).contains("error:"))
      #expect(try screen(["install", address + "/"], store: folder).contains("error:"))
    }
  }

  @Test func hubs() throws {
    let folder = try TemporaryDirectory()
    for name in ["a", "b", "c\u{1B}[2J", "d\u{9B}31m", "e\u{202E}", "f\n"] {
      try folder.write("x", to: "hub/o/r/\(name).gguf")
    }
    let server = try FaultServer(root: folder.path("hub"))
    let payload = #"\u001b[2J\u009b31m\u202e\u200b\n"#
    let answers = [
      "{\"\(payload)\": [\"\(payload)\"]}", "{\"sha\": \"\(payload)\"}", "\u{1B}[2J",
      "{\"sha\": \"\(String(repeating: "a", count: 40))\", \"siblings\": [{\"rfilename\": \"\(payload).gguf\"}]}",
    ]
    for faults in ["plain"] + answers.map({ "json=" + HubSite.escaped($0) }) {
      let hub = server.url("hub;" + faults, file: "")
      for reference in ["hf:o/r", "hf:o/r/\u{1B}[2J.gguf", "hf:\u{9B}/r", "hf:o/none"] {
        let text = try screen(["base", "install", reference], store: folder, hub: hub)
        #expect(text.contains("error:"), "\(reference) \(faults)")
        #expect(try screen(["install", reference], store: folder, hub: hub).contains("error:"))
      }
    }
    let list = try screen(
      ["base", "install", "hf:o/r"], store: folder, hub: server.url("hub", file: ""))
    #expect(list.contains("it has 2 bases"), "\(list)")
  }

  @Test func wordsOfTheCommandLine() throws {
    let folder = try TemporaryDirectory()
    for arguments in [
      [Hostile.text], ["run", Hostile.text, "x"], ["list", "--\(Hostile.text)"],
      ["remove", Hostile.text], ["check", "./" + Hostile.text], ["catalog", "add", Hostile.text],
      ["data", "check", Hostile.text], ["completions", Hostile.text], ["verify", Hostile.text],
    ] {
      #expect(try screen(arguments, store: folder, columns: 40).contains("error"))
      _ = try screen(arguments + ["--json"], store: folder)
    }
  }

  @Test func whatAModelSays() throws {
    // A random base says random bytes.
    let sample = try SampleBase().install()
    for seed in 1...3 {
      let arguments = ["run", "echo", "hi", "-n", "120", "-t", "2", "--seed", "\(seed)"]
      let terminal = try PseudoTerminal(
        arguments, environment: ["FMADAPTER_HOME": sample.folder.path("store")])
      #expect(terminal.finish() == 0)
      let bytes = Hostile.withoutOwnSequences(terminal.screen.replacing("\t", with: ""))
      #expect(Hostile.found(in: bytes) == [], "seed \(seed)")
    }
  }
}

/// The places in the sources that print, and the errors that they declare.
enum SourceText {
  private static let read = Result {
    let root = Fixtures.repository.appendingPathComponent("Sources").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: root)
    return try names.filter { $0.hasSuffix(".swift") }.map {
      ($0, try String(contentsOfFile: root + "/" + $0, encoding: .utf8))
    }
  }

  static func files() throws -> [(path: String, text: String)] { try read.get() }

  /// Those that the command is made of.
  static func commandFiles() throws -> [(path: String, text: String)] {
    try files().filter { file in
      !["FoundationModels", "SessionPolicies", "ModelServers", "MacroExpansion"]
        .contains(where: file.path.hasPrefix)
    }
  }

  /// Names of the cases with payloads, by the name of the error type.
  static func errorCases() throws -> [(type: String, cases: Set<String>)] {
    let declaration = /^( *)(?:public |package )?enum (\w+): (Error|Equatable) *[,{].*/
    var found: [(String, Set<String>)] = []
    for (_, text) in try commandFiles() {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        guard let match = line.firstMatch(of: declaration) else { continue }
        // A nested one counts where it is the whole of an error.
        guard match.output.3 == "Error" || match.output.2 == "Problem" else { continue }
        let body = lines[(index + 1)...].prefix { $0 != match.output.1 + "}" }
        let names = body.compactMap { $0.firstMatch(of: /^ +case (\w+)\(/)?.output.1 }
        found.append((String(match.output.2), Set(names.map(String.init))))
      }
    }
    return found.filter { !["AttemptFault", "TransferFault"].contains($0.0) }
  }
}

@Suite struct OutputPlaceTests {
  /// What prints, or makes a terminal do something.
  static let signs: [(sign: String, places: [String])] = [
    (
      "\\u{1B}[",
      [
        "fmadapter/Terminal/Line.swift", "fmadapter/Terminal/Terminal.swift",
        "fmadapter/Terminal/TerminalControl", "fmadapter/Terminal/Key.swift",
      ]
    ),
    ("FileHandle.standard", ["FoundationModelsMacros/"]),
    ("STDOUT_FILENO", ["fmadapter/Terminal/Terminal"]),
    ("STDERR_FILENO", ["fmadapter/Terminal/Terminal"]),
    ("fputs(", []), ("puts(", []), ("printf(", []), ("fprintf(", []), ("dprintf(", []),
    ("vprintf(", []),
    ("vfprintf(", []), ("vdprintf(", []), ("putchar(", []), ("putc(", []), ("fputc(", []),
    ("fwrite(", []), ("debugPrint(", []),
    ("dump(", []), ("NSLog(", []), ("perror(", []), ("FileHandle(fileDescriptor", []),
    ("/dev/tty", []), ("/dev/std", ["fmadapter/Run/AnswerFile.swift"]), ("syslog(", []),
  ]

  @Test(arguments: signs)
  func onlyTheTerminalPrints(_ sign: String, _ places: [String]) throws {
    for (path, text) in try SourceText.files()
    where !places.contains(where: path.hasPrefix) && strstr(text, sign) != nil {
      // The end of a longer name, such as "outputs(", is another one.
      let found = text.ranges(of: sign).filter { range in
        sign.first?.isLetter != true || text[..<range.lowerBound].last?.isLetter != true
      }
      #expect(found.isEmpty, "\(path) has \(sign)")
    }
  }

  @Test func printIsAlwaysTheTerminals() throws {
    for (path, text) in try SourceText.files() where text.contains("print(") {
      let calls = text.matches(of: /(\S*)\bprint\(/).map { String($0.output.1) }
      // Behind a quotation mark it is a part of an example in Python.
      for call in calls where !["terminal.", "plain.", "\""].contains(where: call.hasSuffix) {
        let isOwn =
          path == "fmadapter/Terminal/Terminal.swift" || path.hasPrefix("fmadapter/Reports/JSON")
        #expect(isOwn, "\(path): \(call)print(")
      }
    }
  }
}
