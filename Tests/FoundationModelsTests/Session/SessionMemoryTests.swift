import Foundation
import SessionTestSupport
import TestSupport
import Testing

@testable import FoundationModels

/// What sessions leave behind: nothing.
@Suite(.serialized) struct SessionMemoryTests {
  /// What a session holds, if anybody still does.
  private struct Remains {
    weak var session: LanguageModelSession?
    weak var engine: SessionEngine?
    weak var thread: AnyObject?

    init(_ session: LanguageModelSession) {
      self.session = session
      engine = session.engine
      thread = session.engine.thread
    }

    var isGone: Bool { session == nil && engine == nil && thread == nil }
  }

  /// How a session may end.
  enum Life: CaseIterable {
    case unused, answered, streamed, left, cancelled, failed, prewarmed, tools, cut
  }

  private static let options = GenerationOptions(maximumResponseTokens: 2)

  /// Lives a session's life; what was its own is returned.
  private func live(_ life: Life, _ model: some LanguageModel) async -> Remains {
    let tools: [any Tool] = life == .tools ? [Lamp()] : []
    let session = LanguageModelSession(model: model, tools: tools, instructions: "Be brief.")
    let remains = Remains(session)
    switch life {
    case .unused: _ = session.properties
    case .answered: _ = try? await session.respond(to: "a", options: Self.options)
    case .streamed: _ = try? await session.streamResponse(to: "a", options: Self.options).collect()
    case .left:
      do {
        for try await _ in session.streamResponse(to: "a", options: Self.options) { break }
      } catch {}
      // The next prompt waits until the one before has stopped.
      _ = try? await session.respond(to: "b", options: Self.options)
    case .cancelled:
      let task = Task { try await session.respond(to: "a", options: Self.options) }
      task.cancel()
      _ = try? await task.value
    case .failed:
      _ = try? await session.respond(
        to: "a", options: GenerationOptions(temperature: -1))
    case .prewarmed:
      session.prewarm(promptPrefix: Prompt("a"))
      _ = try? await session.respond(to: "ab", options: Self.options)
    case .tools:
      var options = Self.options
      (options.toolCallingMode, options.maximumResponseTokens) = (.required, 40)
      _ = try? await session.respond(to: "a", options: options)
    case .cut:
      session.contextReducer = Forgetting()
      for _ in 0..<2 { _ = try? await session.respond(to: "a", options: Self.options) }
    }
    return remains
  }

  /// Tasks and threads that are ending let go of a session soon, not at once.
  private func isGone(_ remains: Remains) async -> Bool {
    var turns = 0
    while !remains.isGone, turns < 1_000_000 {
      await Task.yield()
      turns += 1
    }
    return remains.isGone
  }

  @Test(arguments: Life.allCases) func aSessionIsGoneWhenNobodyHasIt(life: Life) async {
    #expect(await isGone(live(life, SampleModels.plain)))
  }

  /// A thousand of them take no more memory than a few: only alone in its process, as others use memory, too.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["FMADAPTER_MEMORY_TEST"] != nil))
  func aThousandSessionsTakeNoMore() async throws {
    let model = SampleModels.plain
    func rounds(_ count: Int) async -> Int {
      for index in 0..<count {
        let life = Life.allCases[index % Life.allCases.count]
        #expect(await isGone(live(life, model)))
      }
      return Self.residentBytes
    }
    let (before, threads) = (await rounds(100), Self.threads)
    let after = await rounds(1000)
    print("resident: \(before >> 10) kB after 100 sessions, \(after >> 10) kB after 1,000 more")
    #expect(after - before < 8 << 20)
    #expect(Self.threads <= threads + 2)
  }

  private static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
  }

  private static var threads: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }
}
