import Foundation
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import AdapterStore

@Suite(.waits) struct DownloadControlTests {
  private static let url = "http://server/f.bin"
  private static let content = [UInt8](repeating: 3, count: 1_000_000)

  @Test func aPausedDownloadGoesOnWhereItStopped() async throws {
    let fixture = try StoreFixture()
    let server = ScriptedServer([Self.url: .init(bytes: Self.content)])
    let control = DownloadControl()
    let waits = Mutex<[String]>([])
    let downloader = Downloader(
      root: fixture.root, transport: server, surroundings: FakeTime().surroundings)
    _ = try await downloader.download(
      RemoteFile(url: Self.url, path: "f"), to: fixture.directory.path("target"), control: control
    ) { progress in
      if let waiting = progress.waiting { waits.withLock { $0.append(waiting) } }
      if progress.waiting == "paused" {
        Task { control.resume() }
      } else if progress.waiting == nil, progress.received > 0, server.log.count == 1 {
        control.pause()
      }
    }
    #expect(waits.withLock(\.self).contains("paused"))
    try #require(server.log.count == 2)
    #expect(server.log[1].range?.lowerBound == server.log[0].sent.upperBound)
    #expect(
      try FileSystem.read(fixture.directory.path("target"), limit: 1 << 30) == Self.content)
  }

  @Test(arguments: [false, true])
  func cancellingKeepsWhatHasCome(_ byTask: Bool) async throws {
    let fixture = try StoreFixture()
    let server = ScriptedServer(
      [Self.url: .init(bytes: Self.content)], script: [.cut(after: 400_000)], usual: .hang)
    let control = DownloadControl()
    let downloader = Downloader(
      root: fixture.root, transport: server, surroundings: FakeTime().surroundings)
    let (cut, cutting) = AsyncStream<Void>.makeStream()
    let task = Task {
      defer { cutting.finish() }
      return try await downloader.download(
        RemoteFile(url: Self.url, path: "f"), to: fixture.directory.path("target"),
        control: control
      ) { progress in
        // What has come is written down by then.
        if progress.waiting?.hasSuffix("again in 1 s") == true { cutting.finish() }
      }
    }
    for await _ in cut {}
    if byTask { task.cancel() } else { control.cancel() }
    await #expect(throws: StoreError.cancelled) { try await task.value }
    let partials = try fixture.store().partials()
    #expect(partials.map(\.received) == [400_000])
    #expect(partials.map(\.isActive) == [false])
  }

  @Test func everyReaderGetsAllFromWhereItBegins() async {
    let control = DownloadControl()
    let early = control.progress
    let steps = (1...3).map { DownloadProgress(file: "f", received: $0) }
    control.tell(steps[0])
    control.tell(steps[1])
    let late = control.progress
    control.tell(steps[2])
    control.endProgress()
    let tooLate = control.progress
    for (progress, expected) in [(early, 1...3), (late, 2...3), (tooLate, 3...3)] {
      var received: [Int] = []
      for await step in progress { received.append(step.received) }
      #expect(received == Array(expected))
    }
  }

  @Test func oneThatIsCancelledWhilePausedEnds() async throws {
    let control = DownloadControl()
    control.pause()
    let task = Task { try await control.pass() }
    control.cancel()
    await #expect(throws: StoreError.cancelled) { try await task.value }
    let other = DownloadControl()
    other.pause()
    let second = Task { try await other.pass() }
    second.cancel()
    await #expect(throws: StoreError.cancelled) { try await second.value }
  }
}
