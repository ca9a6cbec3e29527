import Foundation
import TestSupport
import Testing

@testable import AdapterStore

/// Downloads over the real transport from a server that cuts the connection: little is sent twice.
@Suite(.waits) struct CutDownloadTests {
  private static let object = MadeObject(seed: 3, size: 4_000_000)
  private static let bytes = Data(object.bytes)

  /// Bytes that the server may send in vain for each cut.
  private static let waste = 1 << 20

  @Test(arguments: ["fin", "rst"])
  func goesOnFromWhereItWasCut(kind: String) async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("seed of the cuts: \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<(runsAllTests ? 20 : 3) {
      let place = Int.random(in: 1..<Self.object.size, using: &generator)
      let sent = try await sentBytes("cut=\(kind);at=\(place);times=1")
      // A reset throws away what the client has not read yet, however much that is.
      if kind == "fin" { #expect(sent <= Self.object.size + Self.waste, "cut at \(place)") }
    }
  }

  @Test func everyAttemptBringsAQuarterOfAMegabyte() async throws {
    let sent = try await sentBytes("cut=fin;at=262144")
    #expect(sent <= Self.object.size + 16 * Self.waste)
  }

  /// Downloads the object, compares it, and tells how many bytes the server has sent for it.
  private func sentBytes(_ faults: String) async throws -> Int {
    let server = try FaultServer.shared.get()
    let folder = try TemporaryDirectory()
    let url = server.url("\(Self.object.fault);\(faults)")
    let downloader = Downloader(
      root: folder.path("store"), transport: CurlTransport(policy: TransportPolicy()),
      surroundings: DownloadSurroundings(scale: 0.05))
    let target = folder.path("target")
    _ = try await downloader.download(
      RemoteFile(url: url, path: "package.fmadapter/adapter_weights.bin"), to: target,
      control: DownloadControl(), progress: { _ in })
    #expect(FileManager.default.contents(atPath: target) == Self.bytes)
    return try server.requests(of: url).reduce(0) { $0 + $1.sent }
  }
}
