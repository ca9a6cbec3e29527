import Foundation
import TestSupport
import Testing

/// Addresses with credentials are used, and leave none behind: neither in the store nor in anything that is printed.
@Suite(.waits) struct SecretsTests {
  private static let secret = "hunter2secret"
  private let sample: SampleBase
  private let server: FaultServer

  init() throws {
    sample = try SampleBase()
    server = try FaultServer(root: sample.folder.path)
  }

  private func signed(_ path: String, _ name: String = "X-Amz-Signature", turn: Int = 1) -> String {
    "\(server.origin)/\(path)?\(name)=\(Self.secret)\(turn)&X-Amz-Date=\(turn)"
  }

  /// Runs the program, and looks for the secret in what it prints and leaves.
  private func run(_ arguments: String...) throws -> ProcessResult {
    let result = try Tool.run(arguments, store: sample.folder)
    #expect(!result.text.contains(Self.secret), "\(arguments) prints it")
    #expect(!result.errorText.contains(Self.secret), "\(arguments) tells it: \(result.errorText)")
    let store = sample.folder.path("store")
    for path in FileManager.default.enumerator(atPath: store)?.allObjects as? [String] ?? [] {
      let bytes = FileManager.default.contents(atPath: "\(store)/\(path)") ?? Data()
      #expect(bytes.firstRange(of: Data(Self.secret.utf8)) == nil, "\(path) keeps it")
      #expect(!path.contains(Self.secret))
    }
    return result
  }

  @Test func aSignedAddressIsUsedAndForgotten() throws {
    try run("base", "install", signed("plain/sample.gguf")).expectSuccess()
    try run("install", signed("plain/echo.fmadapter/")).expectSuccess()
    let list = try run("list", "--json").objects()
    #expect(
      list.first?["source"] as? String
        == "\(server.origin)/plain/echo.fmadapter/?X-Amz-Signature=***&X-Amz-Date=***")
    try run("base", "list", "--json").expectSuccess()
    // A fresh signature leads to the same.
    try run("install", signed("plain/echo.fmadapter/", turn: 2)).expect(saying: "installed already")
    try run("base", "install", signed("plain/sample.gguf", turn: 2)).expect(
      saying: "installed already")
  }

  @Test(arguments: [["verify", "--repair"], ["doctor", "--fix"]])
  func aRepairNamesTheRemedyWhenTheSignatureIsGone(_ command: [String]) throws {
    try run("install", signed("plain/echo.fmadapter/")).expectSuccess()
    try sample.spoilMetadata()
    let result = try run(command[0], command[1]).expectStatus(5)
    let words = (result.text + result.errorText).split(whereSeparator: \.isWhitespace)
    #expect(
      words.joined(separator: " ").contains(
        "was not kept; install again from a fresh address"), "\(result.text) \(result.errorText)")
    try run("install", signed("plain/echo.fmadapter/", turn: 2)).expectSuccess()
    try run("verify").expectSuccess()
  }

  /// What tells such addresses from others is kept, and does not say what is in them.
  @Test func anAddressIsToldFromOthersWithoutItsSecret() throws {
    let address = "\(server.origin)/plain/sample.gguf?key=\(Self.secret)"
    try run("base", "install", address).expectSuccess()
    try run("base", "install", address).expect(saying: "installed already")
    try run("install", "\(server.origin)/plain/echo.fmadapter/?key=\(Self.secret)")
      .expectSuccess()
    let bases = sample.folder.path("store/bases/\(SampleBase.signature)/receipt.json")
    #expect(
      try String(contentsOfFile: bases, encoding: .utf8).contains("\"identity\" : \"127-0-0-1-"))
  }

  @Test func aCutDownloadGoesOnWithAFreshSignature() throws {
    let cut = signed("cut=fin;at=4000;times=9/sample.gguf")
    let failed = try run("base", "install", cut)
    #expect(failed.status == 7 || failed.status == 0, "\(failed.errorText)")
    try run("list", "--partials", "--json").expectSuccess()
    try run("base", "install", signed("plain/sample.gguf", turn: 2)).expectSuccess()
  }

  @Test(arguments: ["status=404", "status=403", "login", "loop", "bomb", "wants=x"])
  func noErrorTellsIt(_ fault: String) throws {
    for name in ["X-Amz-Signature", "token", "sig", "key"] {
      #expect(try run("base", "install", signed("\(fault)/sample.gguf", name)).status != 0)
    }
    #expect(try run("install", signed("\(fault)/echo.fmadapter/")).status != 0)
  }

  @Test func aRedirectsTokenIsNotTold() throws {
    for target in ["http://127.0.0.9.example/x?token=\(Self.secret)", "ftp://me:\(Self.secret)@h/"]
    {
      let result = try run("base", "install", server.redirect(to: target))
      #expect(result.status == 7 && result.errorText.contains("the redirect to"))
    }
    let target = "\(server.origin)/plain/echo.fmadapter/metadata.json?token=\(Self.secret)"
    try run("catalog", "add", server.redirect(to: target)).expectStatus(4)
  }

  @Test func aPasswordInAnAddressIsRefusedWithoutBeingTold() throws {
    let login = "me:\(Self.secret)@127.0.0.1:\(server.port)"
    for address in ["http://\(login)/plain/echo.gguf", "http://me:pa/\(Self.secret)@h/x"] {
      try run("base", "install", address).expectStatus(7)
      #expect(try run("install", address).status != 0)
      try run("catalog", "add", address).expectStatus(4)
      #expect(try run("catalog", "remove", address).status != 0)
      #expect(try run("catalog", "show", address).status != 0)
    }
    let folder = "http://127.0.0.1:\(server.port)/t/glpat-\(Self.secret)/"
    let refused = try run("catalog", "add", folder)
    #expect(refused.status == 4 && refused.errorText.contains("put the token, or"))
  }
}
