import TensorFiles
import TestSupport
import Testing

@testable import Adapters

@Suite struct AppleContractTests {
  /// Offset of each tensor's record within its layer, and its bytes: the table of the format's reference.
  private static let regular: [(offset: Int, size: Int)] = [
    (0, 131_072), (131_136, 131_072), (262_272, 131_072), (393_408, 16384), (409_856, 131_072),
    (540_992, 16384), (557_440, 131_072), (688_576, 131_072), (819_712, 131_072),
    (950_848, 425_984), (1_376_896, 131_072), (1_508_032, 425_984), (1_934_080, 425_984),
    (2_360_128, 131_072),
  ]
  private static let reusing: [(offset: Int, size: Int)] = [
    (0, 131_072), (131_136, 131_072), (262_272, 131_072), (393_408, 131_072), (524_544, 131_072),
    (655_680, 425_984), (1_081_728, 131_072), (1_212_864, 425_984), (1_638_912, 425_984),
    (2_064_960, 131_072),
  ]

  /// Where every record has to be, and how long its data is.
  static var table: [(offset: Int, size: Int)] {
    (0..<35).flatMap { layer in regular.map { (64 + layer * 2_491_264 + $0.offset, $0.size) } }
      + (0..<21).flatMap { layer in
        reusing.map { (87_194_304 + layer * 2_196_096 + $0.offset, $0.size) }
      }
  }

  @Test func theContractHasThe700TensorsOfTheReference() {
    let tensors = BaseContract.apple.tensors(targets: Set(LoRATarget.allCases), rank: 32)
    #expect(tensors.count == 700)
    #expect(tensors.map(\.byteCount) == Self.table.map(\.size))
    #expect(tensors.reduce(0) { $0 + $1.shape.rows * $1.shape.columns } == 66_633_728)
    #expect(Self.table.last?.offset == 133_181_184)
    #expect(
      tensors[2].name
        == "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_1.a_transpose"
    )
    #expect(
      tensors[491].name
        == "layers.segment_1.layer_0.attention.q_transform.adapters.base_adapter.b_transpose")
    #expect(
      tensors[699].name
        == "layers.segment_1.layer_20.feed_forward.output_transform.adapters.base_adapter.b_transpose"
    )
  }
}

@Suite struct ApplePackageTests {
  @Test func aPackageOfGenuineSizeIsWrittenCheckedAndDescribed() throws {
    let directory = try TemporaryDirectory()
    let path = try ApplePackage.write(to: directory.path)
    // Without optimisation the norms of 66 million values take half a minute.
    #if DEBUG
      let depth = AdapterCheck.Depth.usability
    #else
      let depth = AdapterCheck.Depth.complete
    #endif
    let info = try AdapterInfo(package: path, depth: depth)

    let weights = try #require(info.files.first { $0.name == "adapter_weights.bin" })
    #expect(weights.size == 133_312_320)
    #expect(weights.sha256 == ApplePackage.digest, "not the bytes that coremltools writes")
    let blobs = try BlobFile(path: "\(path)/adapter_weights.bin").blobs
    #expect(blobs.map(\.metadataOffset) == AppleContractTests.table.map(\.offset))
    #expect(info.parameterCount == 66_633_728 && info.pairs.count == 350)
    #expect(info.layerCount == 56 && info.layerNorms.count == 56)
    #expect(info.pairs.allSatisfy { depth == .usability || $0.norm ?? 0 > 0 })
    #expect(info.rank == 32 && info.alpha == 16)
    #expect(info.targets == LoRATarget.allCases.filter(LoRATarget.transformer.contains))
    #expect(info.needs.hasPrefix("Apple's on-device model of OS 26"))

    let report = try AdapterCheck.run(package: path, for: SamplePackage.contract, depth: .usability)
    #expect(
      report.findings.map(\.rule)
        == ["identity.creator", "compatibility.signature", "draft.count"])
    #expect(report.category == .compatibility)
  }
}
