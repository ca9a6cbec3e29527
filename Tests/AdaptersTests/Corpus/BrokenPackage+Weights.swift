import Adapters
import JSON

extension BrokenPackage {
  /// Name of the query's A in layer 0, blob 0.
  private static let queryA =
    "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_0.a_transpose"
  private static let queryB =
    "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_0.b_transpose"

  /// Number, shapes and values of the tensors.
  static let weights: [BrokenPackage] = [
    BrokenPackage(
      "no blobs",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 0 tensors; "
          + "an adapter for its base of 3 layers has 38."
      ]
    ) { $0.replaceWeights([]) },
    BrokenPackage(
      "a layer too few",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 28 tensors; "
          + "an adapter for its base of 3 layers has 38."
      ]
    ) { $0.replaceWeights(Array($0.blobs.prefix(28))) },
    BrokenPackage(
      "fewer targets than stated",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 34 tensors; "
          + "an adapter for its base of 3 layers has 38. From "
          + "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_2.b_transpose "
          + "on the sizes differ too."
      ]
    ) { package in
      let kept = package.blobs.enumerated().filter { ![2, 3, 16, 17].contains($0.offset) }
      package.replaceWeights(kept.map(\.element))
    },
    BrokenPackage(
      "more targets than stated",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 38 tensors; "
          + "an adapter for its base of 3 layers has 34. From "
          + "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_2.b_transpose "
          + "on the sizes differ too."
      ]
    ) {
      $0.replace("\"attn_k\", \"attn_v\", \"attn_output\"", "\"attn_v\", \"attn_output\"");
      $0.replaceWeights(
        $0.blobs.enumerated().map { $0.offset == 3 ? BlobBytes(halves: [1, 2]) : $0.element })
    },
    BrokenPackage(
      "shape of another base",
      [
        "error layout.shape adapter_weights.bin, \(queryB), byte 200: "
          + "The tensor has 36 bytes; (8, 2) in float16 are 32."
      ]
    ) { package in
      var blobs = package.blobs
      blobs[1].data += [0, 0, 0, 0]
      package.replaceWeights(blobs)
    },
    BrokenPackage(
      "half a value",
      [
        "error container.values adapter_weights.bin, byte 200: "
          + "Blob 1 has 33 bytes, which is no whole number of float16 values.",
        "error layout.shape adapter_weights.bin, \(queryB), byte 200: "
          + "The tensor has 33 bytes; (8, 2) in float16 are 32.",
      ]
    ) { package in
      var blobs = package.blobs
      blobs[1].data += [0]
      package.replaceWeights(blobs)
    },
    BrokenPackage(
      "rank of the tensors is another",
      [
        "error layout.rank metadata.json, line 16, loraRank: "
          + "loraRank is 4, but every tensor has rank 2."
      ]
    ) {
      $0.dropDigest()
      $0.replace("\"loraRank\": 2", "\"loraRank\": 4")
    },
    BrokenPackage(
      "odd number of blobs, base unknown",
      [
        "error layout.count adapter_weights.bin, byte 0: "
          + "The file holds 37 tensors; they have to come in pairs of A and B."
      ], base: nil
    ) { $0.replaceWeights(Array($0.blobs.dropLast())) },
    BrokenPackage(
      "blobs fit no rank, base unknown",
      [
        "error layout.rank metadata.json, line 16, loraRank: "
          + "Blob 0 has 32 bytes, which is no whole number of rows of rank 3."
      ], base: nil
    ) {
      $0.dropDigest()
      $0.replace("\"loraRank\": 2", "\"loraRank\": 3")
    },
    BrokenPackage(
      "blobs fit no layers, base unknown",
      [
        "error layout.count adapter_weights.bin, byte 0: "
          + "The 36 tensors are no whole number of layers with the stated targets."
      ], base: nil
    ) { $0.replaceWeights(Array($0.blobs.dropLast(2))) },
    BrokenPackage(
      "a value is not a number",
      [
        "error values.nan adapter_weights.bin, \(queryA), byte 134: "
          + "Value 3 is not a number, 2 in all."
      ]
    ) {
      $0.patch {
        $0.put(UInt16(0x7E00), at: 134)
        $0.put(UInt16(0xFFFF), at: 140)
      }
    },
    BrokenPackage(
      "a value is infinite",
      [
        "error values.infinity adapter_weights.bin, \(queryB), byte 256: "
          + "Value 0 is infinite, 1 in all."
      ]
    ) { $0.patch { $0.put(UInt16(0xFC00), at: 256) } },
    BrokenPackage(
      "training diverged",
      [
        "error values.diverged adapter_weights.bin, \(queryB), byte 256: "
          + "The norm of the update, 51200.0, makes vectors 18,101 times as long; above 100 training "
          + "has diverged, as in 1 of 19 projections."
      ]
    ) { package in
      // 40 in Float16: two products, each scaled by 2.
      let values = BlobBytes(halves: Array(repeating: 0x5100, count: 16))
      package.replaceWeights(
        package.blobs.enumerated().map { $0.offset < 2 ? values : $0.element })
    },
    BrokenPackage(
      "an untrained projection",
      [
        "warning values.untrained adapter_weights.bin, \(queryB), byte 256: "
          + "B is zero throughout: this projection was not trained."
      ], category: nil
    ) { $0.patch { $0.replaceSubrange(256..<288, with: BlobBytes.zeros(32)) } },
    BrokenPackage(
      "an untrained adapter",
      [
        "warning values.untrained adapter_weights.bin: "
          + "Every B is zero: the adapter changes nothing."
      ], category: nil
    ) { package in
      package.replaceWeights(
        package.blobs.enumerated().map { index, blob in
          index.isMultiple(of: 2) ? blob : BlobBytes(data: BlobBytes.zeros(blob.data.count))
        })
    },
    BrokenPackage(
      "a projection that cannot learn",
      [
        "warning values.zero adapter_weights.bin, \(queryA), byte 128: "
          + "A is zero throughout: this projection changes nothing and cannot learn."
      ], category: nil
    ) {
      // Minus zero is zero.
      $0.patch { $0.replaceSubrange(128..<160, with: (0..<32).map { $0 % 2 == 0 ? 0 : 0x80 }) }
    },
  ]
}

extension SamplePackage {
  /// The blobs of the weights as they are.
  var blobs: [BlobBytes] {
    let sizes = Self.contract.tensors(targets: Set(LoRATarget.allCases), rank: Self.rank)
    return sizes.enumerated().map { index, tensor in
      let start = 128 + 128 * index
      return BlobBytes(data: Array(weights[start..<start + (tensor.byteCount ?? 0)]))
    }
  }
}
