import Foundation
import JSON
import SystemFiles
import TestSupport
import Testing

@testable import Adapters

@Suite struct AdapterInfoTests {
  private let fixture = Fixtures.path("AdaptersTests", "afm-tiny.fmadapter")

  @Test(arguments: [BaseContract.afmTiny, nil])
  func theFixtureIsDescribedWithAndWithoutItsBase(_ base: BaseContract?) throws {
    let info = try AdapterInfo(package: fixture, base: base)
    #expect(info.metadata.adapterIdentifier.name == "tiny_1")
    #expect(info.rank == 8 && info.alpha == 16)
    #expect(info.targets == [.query, .key, .value, .output, .gate, .up, .down])
    #expect(info.layerCount == 5 && info.pairs.count == 31 && info.layerNorms.count == 5)
    #expect(info.parameterCount == 47_488)
    #expect(info.draft == .none)
    #expect(info.files.map(\.name) == ["metadata.json", "adapter_weights.bin"])
    let metadata = try Fixtures.bytes("AdaptersTests", "afm-tiny.fmadapter/metadata.json")
    #expect(info.files.first?.sha256 == SHA256.hex(metadata))
    #expect(info.needs == "The base with the signature 808de18c9c13f789b90640c7fa5f5dda1b81a1b9.")
  }

  @Test func aNormIsThatOfTheScaledProduct() throws {
    let adapter = try Adapter(package: fixture, for: .afmTiny)
    let info = try AdapterInfo(package: fixture, base: .afmTiny)
    let pair = try #require(adapter.layers[0][.key])
    let (a, b) = (pair.a.halves, pair.b.halves)
    var sum = 0.0
    for row in 0..<32 {
      for column in 0..<64 {
        var value = 0.0
        for k in 0..<8 { value += Double(b[row * 8 + k]) * Double(a[k * 64 + column]) }
        sum += value * value
      }
    }
    let norm = try #require(info.pairs[1].norm)
    #expect(abs(norm - 2 * sum.squareRoot()) < 1e-4 * norm)
    let total = info.pairs.filter { $0.layer == 0 }.compactMap(\.norm).reduce(0) { $0 + $1 * $1 }
    #expect(abs(info.layerNorms[0] - total.squareRoot()) < 1e-9)
  }

  @Test func anotherBaseIsNoError() throws {
    _ = try AdapterInfo(package: fixture, base: SamplePackage.contract)
  }

  @Test func aBrokenPackageHasNoInfoButAReport() throws {
    let directory = try TemporaryDirectory()
    var package = SamplePackage()
    package.patch { $0.put(UInt32(1), at: 4) }
    let path = try package.write(to: directory.path)
    let error = #expect(throws: AdapterError.self) { try AdapterInfo(package: path) }
    guard case .refused(let report) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(report.category == .package)
  }

  @Test func itEncodesWithTheWholeMetadata() throws {
    let data = try JSONEncoder().encode(AdapterInfo(package: fixture))
    let json = try JSONDocument(parsing: Array(data)).root.object
    #expect(json?["metadata"]?.object?["creatorDefined"]?.object?["seed"]?.integer == 1)
    #expect(json?["scale"]?.number?.double == 2)
    #expect(json?["files"]?.array?.count == 2)
  }
}

extension TensorBytes {
  /// The bytes as Float16.
  fileprivate var halves: [Float16] {
    let bytes = array
    return (0..<count / 2).map {
      Float16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8)
    }
  }
}
