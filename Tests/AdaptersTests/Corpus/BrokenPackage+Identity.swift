import Adapters
import JSON

extension BrokenPackage {
  private static let otherSignature = "fedcba98" + String(SamplePackage.signature.dropFirst(8))

  /// Digest, base, and several things at once.
  static let identity: [BrokenPackage] = [
    BrokenPackage(
      "weights changed after the digest was recorded",
      [
        "error identity.weights adapter_weights.bin: The SHA-256 is ACTUAL; "
          + "metadata.json records RECORDED."
      ], category: .integrity
    ) { $0.weights[130] ^= 1 },
    BrokenPackage(
      "nothing recorded about itself",
      [
        "warning identity.creator metadata.json, creatorDefined: "
          + "creatorDefined is empty: nothing tells this adapter from others of its name."
      ], category: nil
    ) { package in
      package.metadata = """
        {"adapterIdentifier": "fmadapter-sample-0123456", "loraRank": 2,
         "baseModelSignature": "\(SamplePackage.signature)"}
        """
    },
    BrokenPackage(
      "another base",
      [
        "error compatibility.signature metadata.json, line 4, baseModelSignature: "
          + "The adapter is for the base \(SamplePackage.signature); "
          + "the stated base is \(otherSignature)."
      ], category: .compatibility,
      base: BaseContract(
        signature: otherSignature, architecture: "afm", layers: SamplePackage.contract.layers)
    ) { _ in },
    BrokenPackage(
      "another architecture",
      [
        "error compatibility.architecture metadata.json, line 8, "
          + "creatorDefined.fmadapter.architecture: The adapter is for the architecture llama; the base is afm."
      ], category: .compatibility
    ) { $0.replace("\"architecture\": \"afm\"", "\"architecture\": \"llama\"") },
    BrokenPackage(
      "Apple's base with too few tensors",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 38 tensors; an adapter for "
          + "Apple's on-device model of OS 26 has 700. From "
          + "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_0.a_transpose "
          + "on the sizes differ too.",
        "note compatibility.apple metadata.json, line 4, baseModelSignature: The adapter needs "
          + "Apple's on-device model of OS 26 (adapter training toolkit 26.0.0).",
        "warning compatibility.rank metadata.json, line 17, loraRank: "
          + "The rank is 2; Apple's toolkit trains and exports rank 32 only.",
      ], base: nil
    ) {
      $0.replace(SamplePackage.signature, BaseContract.appleSignature)
      $0.replace("sample-0123456", "sample-9799725")
    },
    BrokenPackage(
      "Apple's base with an invocation",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 38 tensors; an adapter for "
          + "Apple's on-device model of OS 26 has 700. From "
          + "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_0.a_transpose "
          + "on the sizes differ too.",
        "note compatibility.apple metadata.json, line 4, baseModelSignature: The adapter needs "
          + "Apple's on-device model of OS 26 (adapter training toolkit 26.0.0).",
        "warning compatibility.activated metadata.json, line 11, "
          + "creatorDefined.fmadapter.invocationTokens: "
          + "The adapter begins at its invocation; OS 26 would apply it to all tokens.",
        "warning compatibility.rank metadata.json, line 17, loraRank: "
          + "The rank is 2; Apple's toolkit trains and exports rank 32 only.",
      ], base: nil
    ) {
      $0.replace(SamplePackage.signature, BaseContract.appleSignature)
      $0.replace("sample-0123456", "sample-9799725")
      $0.replace("\"weightsSHA256\": \"", "\"invocationTokens\": [1], \"weightsSHA256\": \"")
    },
    BrokenPackage(
      "Apple's base on ours",
      [
        "error layout.count adapter_weights.bin, byte 0: The file holds 38 tensors; an adapter for "
          + "Apple's on-device model of OS 26 has 700. From "
          + "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_0.a_transpose "
          + "on the sizes differ too.",
        "error compatibility.signature metadata.json, line 4, baseModelSignature: The adapter is for "
          + "the base \(BaseContract.appleSignature); the stated base is \(SamplePackage.signature).",
      ]
    ) {
      $0.replace(SamplePackage.signature, BaseContract.appleSignature)
      $0.replace("sample-0123456", "sample-9799725")
    },
    BrokenPackage(
      "folder, metadata and container at once",
      [
        "error package.suffix wrong: The folder's name does not end in .fmadapter.",
        "error package.link link: The entry is a symbolic link.",
        "error metadata.missing metadata.json, loraRank: The key is missing.",
        "error container.sentinel adapter_weights.bin, byte 64: "
          + "Blob 0 starts with 0x00000000, not 0xDEADBEEF.",
        "error container.offset adapter_weights.bin, byte 208: "
          + "Blob 1 states that its data starts at byte 0, not at 256.",
      ]
    ) { package in
      package.name = "wrong"
      package.links["link"] = "metadata.json"
      package.replace(",\n    \"loraRank\": 2", "")
      package.patch {
        $0.put(UInt32(0), at: 64)
        $0.put(UInt64(0), at: 208)
      }
    },
    BrokenPackage(
      "all three kinds of errors",
      [
        "error package.suffix wrong: The folder's name does not end in .fmadapter.",
        "error identity.weights adapter_weights.bin: The SHA-256 is ACTUAL; "
          + "metadata.json records RECORDED.",
        "error compatibility.architecture metadata.json, line 8, "
          + "creatorDefined.fmadapter.architecture: The adapter is for the architecture llama; the base is afm.",
      ]
    ) {
      $0.name = "wrong"
      $0.weights[130] ^= 1
      $0.replace("\"architecture\": \"afm\"", "\"architecture\": \"llama\"")
    },
  ]
}
