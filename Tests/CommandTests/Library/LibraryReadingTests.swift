import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// Readers of packages that others replace and remove.
@Suite struct LibraryReadingTests {
  private struct Torn: Error, Equatable {}

  private let folder: TemporaryDirectory
  private let package: String

  init() throws {
    folder = try TemporaryDirectory()
    package = folder.path("a.fmadapter")
    try folder.write("old", to: "a.fmadapter/file")
  }

  /// Puts another package in the place of the one that is there.
  private func replace(_ text: String) throws {
    try folder.write(text, to: "\(text).fmadapter/file")
    try FileSystem.exchange(folder.path("\(text).fmadapter"), package)
  }

  private func library() throws -> Library { Library(try Capture().terminal()) }

  @Test func whatWasReplacedMeanwhileIsReadAgain() async throws {
    var texts: [String] = []
    let result = try await library().reading([package]) { paths in
      let file = "\(paths[0])/file"
      texts.append(String(decoding: try FileSystem.read(file, limit: 10), as: UTF8.self))
      if texts.count == 1 {
        try replace("new")
        throw Torn()
      }
      return texts.count
    }
    #expect(result == 2 && texts == ["old", "new"])
  }

  @Test func whatStaysIsReadOnceAndChangesTwiceAtMost() async throws {
    for changes in [false, true] {
      var count = 0
      await #expect(throws: Torn.self) {
        try await library().reading([package]) { _ in
          count += 1
          if changes { try replace("\(count)") }
          throw Torn()
        }
      }
      #expect(count == (changes ? 2 : 1))
    }
  }
}
