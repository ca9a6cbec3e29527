extension BrokenPackage {
  /// The blob storage around the tensors; blob i has its record at byte 64 + 128 i.
  static let container: [BrokenPackage] = [
    BrokenPackage(
      "empty weights", ["error container.empty adapter_weights.bin, byte 0: The file is empty."]
    ) { $0.patch { $0 = [] } },
    BrokenPackage(
      "weights shorter than a header",
      [
        "error container.header adapter_weights.bin, byte 0: "
          + "The file has 63 bytes; its header alone has 64."
      ]
    ) { $0.patch { $0.removeLast($0.count - 63) } },
    BrokenPackage(
      "version 1",
      [
        "error container.version adapter_weights.bin, byte 4: "
          + "The file is blob storage version 1, of which the records are different."
      ]
    ) { $0.patch { $0.put(UInt32(1), at: 4) } },
    BrokenPackage(
      "raw arrays without a container",
      [
        "error container.version adapter_weights.bin, byte 4: "
          + "The version is 1006648320, not 2: this is no MIL blob storage."
      ]
    ) { $0.patch { $0 = (0..<512).flatMap { _ in [0x00, 0x3C] } } },
    BrokenPackage(
      "sentinel wrong",
      [
        "error container.sentinel adapter_weights.bin, byte 192: "
          + "Blob 1 starts with 0xDEADBEEE, not 0xDEADBEEF."
      ]
    ) { $0.patch { $0.put(UInt32(0xDEAD_BEEE), at: 192) } },
    BrokenPackage(
      "count too large",
      [
        "error container.count adapter_weights.bin, byte 0: "
          + "The header states 39 blobs, the file holds 38."
      ]
    ) { $0.patch { $0.put(UInt32(39), at: 0) } },
    BrokenPackage(
      "count too small",
      [
        "error container.count adapter_weights.bin, byte 0: "
          + "The header states 37 blobs, the file holds 38."
      ]
    ) { $0.patch { $0.put(UInt32(37), at: 0) } },
    BrokenPackage(
      "count of four billion",
      [
        "error container.count adapter_weights.bin, byte 0: "
          + "The header states 4,294,967,295 blobs, the file holds 38."
      ]
    ) { $0.patch { $0.put(UInt32.max, at: 0) } },
    BrokenPackage(
      "data elsewhere",
      [
        "error container.offset adapter_weights.bin, byte 208: "
          + "Blob 1 states that its data starts at byte 320, not at 256."
      ]
    ) { $0.patch { $0.put(UInt64(320), at: 208) } },
    BrokenPackage(
      "data misaligned",
      [
        "error container.offset adapter_weights.bin, byte 208: "
          + "Blob 1 states that its data starts at byte 257, which is no multiple of 64, not at 256."
      ]
    ) { $0.patch { $0.put(UInt64(257), at: 208) } },
    BrokenPackage(
      "size past the end",
      [
        "error container.size adapter_weights.bin, byte 4,808: "
          + "Blob 37 has 33 bytes where 32 are left."
      ]
    ) { $0.patch { $0.put(UInt64(33), at: 4808) } },
    BrokenPackage(
      "file cut inside the last blob",
      [
        "error container.size adapter_weights.bin, byte 4,808: "
          + "Blob 37 has 32 bytes where 31 are left."
      ]
    ) { $0.patch { $0.removeLast() } },
    BrokenPackage(
      "size overflows",
      [
        "error container.size adapter_weights.bin, byte 72: "
          + "Blob 0 has 9,223,372,036,854,775,808 bytes where 4,768 are left."
      ]
    ) { $0.patch { $0.put(UInt64(1) << 63, at: 72) } },
    BrokenPackage(
      "bytes after the last blob",
      [
        "error container.tail adapter_weights.bin, byte 4,896: "
          + "The file goes on for 40 bytes after the last blob."
      ]
    ) { $0.patch { $0 += [UInt8](repeating: 7, count: 40) } },
    BrokenPackage(
      "another file after the last blob",
      [
        "error container.tail adapter_weights.bin, byte 4,928: "
          + "The file goes on for 4,896 bytes after the last blob."
      ]
    ) { $0.patch { $0 += BlobBytes.zeros(32) + $0 } },
    BrokenPackage(
      "float32 values",
      [
        "error weights.type adapter_weights.bin, "
          + "layers.segment_0.layer_0.attention.qkv_transform.adapters.base_adapter.lora_0.a_transpose, "
          + "byte 68: Blob 0 holds float32 values; adapters have float16 only."
      ]
    ) { $0.patch { $0.put(UInt32(2), at: 68) } },
    BrokenPackage(
      "unknown data type",
      ["error container.type adapter_weights.bin, byte 68: Blob 0 has the unknown data type 18."]
    ) { $0.patch { $0.put(UInt32(18), at: 68) } },
    BrokenPackage(
      "padding on float16",
      [
        "error container.padding adapter_weights.bin, byte 88: "
          + "Blob 0 of float16 values states 4 bits of padding."
      ]
    ) { $0.patch { $0.put(UInt64(4), at: 88) } },
    BrokenPackage(
      "reserved bytes of a blob",
      [
        "warning container.reserved adapter_weights.bin, byte 96: "
          + "The reserved bytes of blob 0 are not zero, in 1 of 38 blobs."
      ], category: nil
    ) { $0.patch { $0[127] = 1 } },
    BrokenPackage(
      "reserved bytes of the header",
      [
        "warning container.reserved adapter_weights.bin, byte 8: "
          + "The reserved bytes of the header are not zero."
      ], category: nil
    ) { $0.patch { $0[63] = 1 } },
    BrokenPackage(
      "bytes hidden between blobs",
      [
        "warning container.gap adapter_weights.bin, byte 160: "
          + "The bytes between blob 0 and the next record are not zero, in 1 of 38 places."
      ], category: nil
    ) { $0.patch { $0[191] = 1 } },
  ]
}
