extension BrokenPackage {
  /// Folder and entries.
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
      ["warning package.extra \\u{1b}[2Jnotes.txt: The file is no part of a package."],
      category: nil
    ) { $0.files["\u{1b}[2Jnotes.txt"] = [1] },
    BrokenPackage(
      "extra folder", ["warning package.extra checkpoints: The folder is no part of a package."],
      category: nil
    ) { $0.files["checkpoints"] = .some(nil) },
  ]
}
