import JSON
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import Adapters

@Suite struct BlobScanTests {
  @Test func aScanHasNoErrorsIfAndOnlyIfTheReaderAccepts() {
    var random = SeededGenerator(seed: 0xB10B)
    let good = SamplePackage().weights
    var accepted = 0
    for round in 0..<400 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...2, using: &random) { bend(&bytes, &random) }
      let isRead = (try? BlobFile(bytes: TensorBytes(bytes), path: "weights")) != nil
      let findings = ContainerRule.findings(in: BlobScan(TensorBytes(bytes)), file: "weights")
      let isClean = !findings.contains { $0.severity == .error }
      #expect(isRead == isClean, "\(random), round \(round): \(findings.map(\.line))")
      if isRead { accepted += 1 }
    }
    #expect((20..<380).contains(accepted), "the bending is too hard or too soft")
  }

  private func bend(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 1...bytes.count / 2, using: &random))
    case 1: bytes += random.bytes(Int.random(in: 1...130, using: &random))
    case 2: bytes += BlobBytes.zeros(Int.random(in: 1...70, using: &random))
    default:
      // Most bytes are data; the fields of headers and records are hit more often than chance would.
      let record = 64 * Int.random(in: 0..<max(bytes.count / 64, 1), using: &random)
      let place = record + Int.random(in: 0..<64, using: &random)
      guard place < bytes.count else { return }
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    if bytes.isEmpty { bytes = [0] }
  }
}
