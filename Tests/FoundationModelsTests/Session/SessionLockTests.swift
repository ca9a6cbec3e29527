import Foundation
import SessionTestSupport
import Synchronization
import Testing

@testable import FoundationModels

/// What a session calls, wakes or lets go may use the session: no lock is held meanwhile.
@Suite(.timeLimit(.minutes(15))) struct SessionLockTests {
  /// A session that closures which it gets know of.
  private final class Known: Sendable {
    private let session = Mutex<LanguageModelSession?>(nil)
    private let seen = Mutex<[Int]>([])

    /// How many entries there were at each look.
    var looks: [Int] { seen.withLock { $0 } }

    func know(_ session: LanguageModelSession) { self.session.withLock { $0 = session } }

    @Sendable func look() {
      guard let session = session.withLock({ $0 }) else { return }
      let count = session.transcript.count
      _ = (session.isResponding, session.usage, session.properties.note)
      seen.withLock { $0.append(count) }
    }
  }

  @Test func aResponseThatIsStoppedForAnotherMayLookAtTheSession() async throws {
    let known = Known()
    let model = ScriptedModel([.text("half"), .wait(onCancel: known.look)], [.text("b")])
    let session = LanguageModelSession(model: model)
    known.know(session)
    let stream = session.streamResponse(to: "a")
    for try await _ in stream {
      for await _ in model.script.reached { break }
      break
    }
    #expect(try await session.respond(to: "b").content == "b")
    // The prompt that it was stopped for had its place already, behind what was said.
    #expect(known.looks == [3])
    #expect(session.transcript.count == 4)
    withExtendedLifetime(stream) {}
  }

  /// Looks when it goes.
  fileprivate final class Witness: Sendable {
    let look: @Sendable () -> Void

    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    deinit { look() }
  }

  private struct Note: Transcript.CustomSegment {
    let id = "note"
    var content = ""
    let witness: Witness

    static func == (left: Note, right: Note) -> Bool { left.content == right.content }
  }

  /// What a session may have, and have no more.
  enum Part: CaseIterable { case transcript, toolCallReviewer, contextReducer, property }

  @Test(arguments: Part.allCases) func whatASessionLetsGoMayLookAtIt(_ part: Part) {
    let known = Known()
    let session = LanguageModelSession(model: ScriptedModel())
    known.know(session)
    func give(_ witness: Witness) {
      switch part {
      case .transcript:
        session.transcript = Transcript(entries: [
          .response(Transcript.Response(assetIDs: [], segments: [.custom(Note(witness: witness))]))
        ])
      case .toolCallReviewer:
        session.toolCallReviewer = Reviewer { call in withExtendedLifetime(witness) { call } }
      case .contextReducer:
        session.contextReducer = Forgetting { withExtendedLifetime(witness) {} }
      case .property: session.properties.witness = witness
      }
    }
    give(Witness(known.look))
    #expect(known.looks.isEmpty)
    switch part {
    case .transcript: session.transcript = Transcript()
    case .toolCallReviewer: session.toolCallReviewer = Reviewer()
    case .contextReducer: session.contextReducer = nil
    case .property: session.properties.witness = nil
    }
    #expect(known.looks == [0])
  }

  /// A model whose configurations are hashed and compared by means of another model; all have the same hash.
  private struct Nosy: LanguageModel {
    final class Executor: LanguageModelExecutor {
      typealias Model = Nosy

      struct Configuration: Hashable, Sendable {
        let number: Int

        static func == (one: Self, other: Self) -> Bool {
          ModelLink(ScriptedModel()).prewarmExecutor(Transcript())
          return one.number == other.number
        }

        func hash(into hasher: inout Hasher) {
          ModelLink(ScriptedModel()).prewarmExecutor(Transcript())
        }
      }

      init(configuration: Configuration) {}

      func prewarm(model: Nosy, transcript: Transcript) { model.prewarmed(ObjectIdentifier(self)) }

      func respond(
        to request: LanguageModelExecutorGenerationRequest, model: Nosy,
        streamingInto channel: LanguageModelExecutorGenerationChannel
      ) async throws {}
    }

    let executorConfiguration: Executor.Configuration
    let prewarmed: @Sendable (ObjectIdentifier) -> Void
    let capabilities = LanguageModelCapabilities([])
  }

  @Test func configurationsMayUseModels() {
    let executors = Mutex([ObjectIdentifier]())
    let links = [1, 2, 1, 2, 1].map { number in
      ModelLink(
        Nosy(executorConfiguration: .init(number: number)) { executor in
          executors.withLock { $0.append(executor) }
        })
    }
    for link in links { link.prewarmExecutor(Transcript()) }
    withExtendedLifetime(links) {}
    let used = executors.withLock(\.self)
    let order = used.map { used.firstIndex(of: $0) }
    #expect(order == [0, 1, 0, 1, 0])
  }
}

extension SessionPropertyValues {
  @SessionPropertyEntry fileprivate var note: String?
  @SessionPropertyEntry fileprivate var witness: SessionLockTests.Witness?
}
