extension BrokenPackage {
  /// Folder, entries and draft pair.
  static let folder: [BrokenPackage] = [
    BrokenPackage(
      "missing suffix",
      ["error package.suffix sample: The folder's name does not end in .fmadapter."]
    ) { $0.name = "sample" },
    BrokenPackage(
      "missing metadata", ["error package.missing metadata.json: The file is missing."]
    ) { $0.files["metadata.json"] = nil },
    BrokenPackage(
      "missing weights", ["error package.missing adapter_weights.bin: The file is missing."]
    ) { $0.files["adapter_weights.bin"] = nil },
    BrokenPackage(
      "empty folder",
      [
        "error package.missing metadata.json: The file is missing.",
        "error package.missing adapter_weights.bin: The file is missing.",
      ]
    ) { $0.files = [:] },
    BrokenPackage(
      "uppercase metadata",
      [
        "error package.case Metadata.json: The name differs from metadata.json in upper and lower case."
      ]
    ) { $0.files["Metadata.json"] = $0.files.removeValue(forKey: "metadata.json") },
    BrokenPackage(
      "linked weights",
      ["error package.link adapter_weights.bin: The entry is a symbolic link."]
    ) {
      $0.files["adapter_weights.bin"] = nil
      $0.links["adapter_weights.bin"] = "/etc/passwd"
    },
    BrokenPackage(
      "link out of the folder", ["error package.link notes: The entry is a symbolic link."]
    ) { $0.links["notes"] = "../../secret" },
    BrokenPackage(
      "weights is a folder",
      ["error package.entry adapter_weights.bin: The entry is a folder, not a file."]
    ) { $0.files["adapter_weights.bin"] = .some(nil) },
    BrokenPackage(
      "extra file",
      ["warning package.extra \\u{1b}[2Jnotes.txt: The file is no part of a package."], exit: 0
    ) { $0.files["\u{1b}[2Jnotes.txt"] = [1] },
    BrokenPackage(
      "extra folder", ["warning package.extra checkpoints: The folder is no part of a package."],
      exit: 0
    ) { $0.files["checkpoints"] = .some(nil) },
    BrokenPackage(
      "draft program without weights",
      ["error draft.pair draft_weights.bin: The file is missing, but draft.mil is there."]
    ) { $0.files["draft.mil"] = Array("program(1.0)".utf8) },
    BrokenPackage(
      "draft weights without program",
      [
        "error draft.pair draft.mil: The file is missing, but draft_weights.bin is there.",
        "warning draft.count metadata.json, speculativeDecodingDraftTokenCount: "
          + "There is a draft model, but no token count.",
      ]
    ) { $0.files["draft_weights.bin"] = BlobBytes.file([BlobBytes(halves: [1, 2])]) },
    BrokenPackage(
      "empty draft program",
      [
        "error draft.program draft.mil: The file is empty.",
        "warning draft.count metadata.json, speculativeDecodingDraftTokenCount: "
          + "There is a draft model, but no token count.",
      ]
    ) {
      $0.files["draft.mil"] = []
      $0.files["draft_weights.bin"] = BlobBytes.file([BlobBytes(halves: [1, 2])])
    },
    BrokenPackage(
      "damaged draft weights",
      [
        "error container.sentinel draft_weights.bin, byte 64: "
          + "Blob 0 starts with 0x00000000, not 0xDEADBEEF."
      ]
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
      $0.files["draft.mil"] = Array("program(1.0)".utf8)
      var weights = BlobBytes.file([BlobBytes(type: 11, data: [0x21])])
      weights.put(UInt32(0), at: 64)
      $0.files["draft_weights.bin"] = weights
    },
    BrokenPackage(
      "draft model is no GGUF",
      [
        "error draft.model draft.gguf: PLACE/draft.gguf: byte 0: the file ends inside the magic, "
          + "which needs 4 bytes where 3 are left; copy or download the file again."
      ]
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
      $0.files["draft.gguf"] = Array("GGU".utf8)
    },
    BrokenPackage(
      "unused draft count",
      [
        "note draft.count metadata.json, line 17, speculativeDecodingDraftTokenCount: "
          + "The count is not used: there is no draft model."
      ], exit: 0
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": 5,\n    \"loraRank\"")
    },
    BrokenPackage(
      "negative draft count",
      [
        "warning draft.count metadata.json, line 17, speculativeDecodingDraftTokenCount: "
          + "The count -1 is outside 1 to 64."
      ], exit: 0
    ) {
      $0.replace("\"loraRank\"", "\"speculativeDecodingDraftTokenCount\": -1,\n    \"loraRank\"")
    },
  ]
}
