import Foundation
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// The published base that tests of this folder are about: a file of 98 MB, which `tools/test` fetches and names.
enum PublishedBase {
  static let path = ProcessInfo.processInfo.environment["FMADAPTER_PUBLISHED_BASE"]
  static let isThere = path != nil
  static let reason: Comment =
    "FMADAPTER_PUBLISHED_BASE names no file of the published base; tools/test fetches it and sets that"

  /// The bundled adapters for it, by name.
  static let adapters: [String] = {
    let folder = Fixtures.repository.appendingPathComponent("adapters/\(model.shortName)").path
    let entries = (try? FileSystem.list(folder)) ?? []
    let names = entries.compactMap(\.name.text).filter { $0.hasSuffix(".fmadapter") }
    return names.map { String($0.dropLast(10)) }
  }()

  static let model = SuggestedModel.first

  /// A cache in `folder` that has the file, as the value of `XDG_CACHE_HOME`.
  static func cache(in folder: TemporaryDirectory) throws -> String {
    let file = folder.path("cache/fmadapter/bases/\(model.shortName).gguf")
    try FileSystem.createDirectory(FilePath.parent(of: file))
    _ = try FileSystem.linkOrCopy(FileSystem.resolved(try #require(path)), to: file)
    return folder.path("cache")
  }
}

extension Trait where Self == ConditionTrait {
  /// Only where the published base is at hand.
  static var onThePublishedBase: Self {
    .enabled(if: PublishedBase.isThere, PublishedBase.reason)
  }

  /// Only where adapters for it come with the program, too.
  static var withPublishedAdapters: Self {
    .enabled(
      if: !PublishedBase.adapters.isEmpty,
      "there are no adapters in adapters/\(PublishedBase.model.shortName)")
  }
}
