import Foundation
import TestSupport
import Testing

@testable import FoundationModels

@Suite struct OpenBaseTests {
  @Test func aBaseIsOpenOnceWhateverItIsCalled() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.gguf"), withDestinationPath: SampleModels.base.path)
    let base = try OpenBase.at(BasePlace(path: SampleModels.base.path))
    #expect(try OpenBase.at(BasePlace(path: folder.path("link.gguf"))) === base)
    let models = try [SampleModels.plain, SampleModels.adapted(SampleModels.tagging)]
    for model in models { #expect(try model.load().base === base) }
  }

  @Test func aBaseThatNobodyUsesIsClosed() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("base.gguf")
    try FileManager.default.copyItem(atPath: SampleModels.base.path, toPath: path)
    weak var closed: OpenBase?
    do {
      let model = SystemLanguageModel(base: URL(fileURLWithPath: path))
      closed = try model.load().base
      #expect(closed != nil)
    }
    #expect(closed == nil)
  }
}
