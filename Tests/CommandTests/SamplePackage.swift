import Foundation
import TestSupport

/// Copies of the small package in the adapters' fixtures, to be changed by a test.
struct SamplePackage {
  static let source = Fixtures.url("AdaptersTests", "afm-tiny.fmadapter")

  let folder: TemporaryDirectory
  let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = try folder.copy(Self.source, to: "tiny.fmadapter")
    for name in ["metadata.json", "adapter_weights.bin"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: path + "/" + name)
    }
  }

  /// Replaces a part of the metadata, which has to be there.
  func edit(_ old: String, _ new: String) throws {
    try folder.edit("tiny.fmadapter/metadata.json", old, new)
  }

  /// Cuts the weights to `count` bytes.
  func cut(to count: UInt64) throws {
    let handle = try FileHandle(
      forWritingTo: URL(fileURLWithPath: path + "/adapter_weights.bin"))
    try handle.truncate(atOffset: count)
    try handle.close()
  }
}
