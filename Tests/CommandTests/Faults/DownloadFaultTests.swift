import Foundation
import SystemFiles
import TestSupport
import Testing

/// The program downloads a package from a server that goes wrong: either the right bytes are installed, or none.
@Suite(.waits) struct DownloadFaultTests {
  /// A fault, and what has to come of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: String
    var code: Int32 = 0
    /// Part of what is said when it fails.
    var says = ""
  }

  static let heal = [
    Case(testDescription: "nothing is wrong", fault: "plain"),
    Case(testDescription: "cut with FIN", fault: "cut=fin;at=4000;times=1"),
    Case(testDescription: "cut with RST", fault: "cut=rst;at=4000;times=1"),
    Case(
      testDescription: "cut, and then ranges ignored", fault: "cut=fin;at=4000;ignore-range;times=2"
    ),
    Case(
      testDescription: "wrong Content-Range after the cut",
      fault: "cut=fin;at=4000;content-range=wrong;times=2"),
    Case(
      testDescription: "no Content-Range after the cut",
      fault: "cut=fin;at=4000;content-range=missing;times=2"),
    Case(testDescription: "weak entity tag and a cut", fault: "cut=fin;at=4000;etag=weak;times=1"),
    Case(testDescription: "busy, seconds", fault: "status=503;retry-after=1;times=1"),
    Case(testDescription: "busy, date", fault: "status=429;retry-date=1;times=1"),
    Case(testDescription: "signed address that expires", fault: "signed"),
    Case(testDescription: "no length", fault: "lengthless"),
    Case(
      testDescription: "ranges refused after a cut", fault: "cut=fin;at=4000;unsatisfiable;times=1"),
    Case(testDescription: "slow start", fault: "slow-start=1"),
  ]

  static let fail = [
    Case(testDescription: "a login page", fault: "login", code: 7, says: "web page"),
    Case(
      testDescription: "an error for ever", fault: "status=500", code: 7, says: "gave up after 6"),
    Case(testDescription: "gone", fault: "status=404", code: 3, says: "nothing there (404)"),
    Case(testDescription: "a redirect loop", fault: "loop", code: 7, says: "redirects"),
    Case(testDescription: "a compressed bomb", fault: "bomb", code: 7),
    Case(testDescription: "no end", fault: "endless", code: 5, says: "more"),
    // What it changes to is no package, and neither is a mixture.
    Case(
      testDescription: "changes after the cut", fault: "cut=fin;at=4000;change=1;times=1", code: 4),
    Case(
      testDescription: "a token is wanted", fault: "wants=secret", code: 7,
      says: "FMADAPTER_TOKEN_HOST=http://127.0.0.1:"),
  ]

  @Test(arguments: heal)
  func theRightBytesCome(_ test: Case) throws {
    let (result, installed, right) = try install(test.fault)
    result.expectSuccess()
    #expect(installed == right)
  }

  @Test(arguments: fail)
  func nothingIsInstalled(_ test: Case) throws {
    let (result, installed, _) = try install(test.fault)
    result.expectStatus(test.code)
    #expect(test.says.isEmpty || result.errorText.contains(test.says), "\(result.errorText)")
    #expect(installed == nil)
  }

  @Test func eightProcessesFetchOnce() throws {
    let site = try Site()
    // Who comes late fetches again what nothing vouches for, to compare it.
    try site.vouch(for: "tiny.fmadapter")
    let address = site.server.url("rate=100000", file: "tiny.fmadapter/")
    let environment = ["FMADAPTER_HOME": site.folder.path("store")]
    let programs = try (0..<8).map { _ in
      try Subprocess(Tool.path, ["install", address], environment: environment)
    }
    for program in programs {
      try program.finish().expectSuccess()
    }
    let weights = try site.server.requests(of: address + "adapter_weights.bin")
    let bytes = weights.filter { $0.method == "GET" && $0.headers["range"] == nil }.map(\.sent)
    #expect(bytes.reduce(0, +) == site.right.count)
    #expect(try site.installed() == site.right)
  }

  @Test func processesFetchDifferentOnesOnceEachWhileOneRemoves() throws {
    let site = try Site()
    let sample = try SampleBase()
    try FileManager.default.copyItem(
      atPath: sample.package, toPath: site.folder.path("site/echo.fmadapter"))
    let names = ["tiny.fmadapter", "echo.fmadapter"]
    for name in names { try site.vouch(for: name) }
    let addresses = names.map { site.server.url("rate=100000", file: "\($0)/") }
    let other = try SamplePackage()
    try other.edit("fmadapter-tiny_1-808de18", "fmadapter-other-808de18")
    let environment = ["FMADAPTER_HOME": site.folder.path("store")]
    try Tool.run(["install", other.path], store: site.folder).expectSuccess()
    let jobs =
      (0..<7).map { ["install", addresses[$0 % 2]] } + [["remove", "fmadapter-other-808de18"]]
    let programs = try jobs.map { try Subprocess(Tool.path, $0, environment: environment) }
    for (job, program) in zip(jobs, programs) {
      let result = try program.finish()
      #expect(result.status == 0, "\(job): \(result.errorText)")
    }
    for address in addresses {
      let whole = try site.server.requests(of: address + "adapter_weights.bin")
        .filter { $0.method == "GET" && $0.headers["range"] == nil }
      #expect(whole.count { $0.sent > 0 } == 1, "\(address)")
    }
    #expect(try site.installed() == site.right)
    let list = try Tool.run(["list", "--json"], store: site.folder).objects()
    #expect(
      Set(list.compactMap { $0["identifier"] as? String })
        == ["fmadapter-tiny_1-808de18", "fmadapter-echo-ccccccc"])
    try Tool.run(["verify"], store: site.folder).expectSuccess()
  }

  @Test func whatAKilledProcessLeftIsUsedAgain() throws {
    let site = try Site()
    let package = try SamplePackage.large(
      layers: 1, at: site.folder.path("site/large.fmadapter"))
    // The server falls silent in the midst of it, once.
    let faults = "stall;at=700000;times=1;only=adapter_weights.bin"
    let address = site.server.url(faults, file: "large.fmadapter/")
    let environment = ["FMADAPTER_HOME": site.folder.path("store")]
    let first = try Subprocess(Tool.path, ["install", address], environment: environment)
    var looks = 0
    while site.received().count < 2, looks < 6000 {
      usleep(10_000)
      looks += 1
    }
    kill(first.process.processIdentifier, SIGKILL)
    _ = try first.finish()
    let known = try #require(site.received().max())
    let result = try Tool.run(["install", address], store: site.folder).expectSuccess()
    #expect(result.text == "fmadapter-large-eeeeeee\n")
    let weights = "adapter_weights.bin"
    let installed = "store/adapters/fmadapter-large-eeeeeee/package.fmadapter/\(weights)"
    #expect(
      try SHA256.hex(ofFile: site.folder.path(installed))
        == SHA256.hex(ofFile: "\(package)/\(weights)"))
    let ranges = try site.server.requests(of: address + weights).map { $0.headers["range"] }
    #expect(ranges.count == 2 && ranges[0] == nil)
    #expect(ranges.last??.hasPrefix("bytes=\(known)-") == true, "\(ranges) after \(known)")
  }

  private func install(_ faults: String) throws -> (ProcessResult, [UInt8]?, [UInt8]) {
    let site = try Site()
    let address = site.server.url(faults, file: "tiny.fmadapter/")
    let result = try Tool.run(["install", address], store: site.folder)
    return (result, try site.installed(), site.right)
  }
}

/// A folder with a package, behind a server that goes wrong.
private struct Site {
  let folder: TemporaryDirectory
  let package: SamplePackage
  let server: FaultServer
  let right: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    package = try SamplePackage()
    right = Array(try Data(contentsOf: URL(fileURLWithPath: package.path + "/adapter_weights.bin")))
    try folder.copy(URL(fileURLWithPath: package.path), to: "site/tiny.fmadapter")
    server = try FaultServer(root: folder.path("site"))
  }

  /// Publishes the digests of all files of a package beside them.
  func vouch(for package: String) throws {
    let path = folder.path("site/\(package)")
    let lines = try FileManager.default.contentsOfDirectory(atPath: path).map {
      "\(try SHA256.hex(ofFile: path + "/" + $0))  \($0)\n"
    }
    try folder.write(lines.joined(), to: "site/\(package)/SHA256SUMS")
  }

  /// Where the parts end that journals say have come, of each file.
  func received() -> [Int] {
    let ingest = folder.path("store/ingest")
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: ingest)) ?? []
    return names.filter { $0.hasSuffix("/journal") }.flatMap { name in
      let text = (try? String(contentsOfFile: "\(ingest)/\(name)", encoding: .utf8)) ?? ""
      return text.matches(of: /\+ [0-9]+ ([0-9]+)\n/).compactMap { Int($0.output.1) }
    }
  }

  /// Bytes of the installed weights; nil when nothing is installed.
  func installed() throws -> [UInt8]? {
    let path = folder.path(
      "store/adapters/fmadapter-tiny_1-808de18/package.fmadapter/adapter_weights.bin")
    return FileManager.default.contents(atPath: path).map { Array($0) }
  }
}
