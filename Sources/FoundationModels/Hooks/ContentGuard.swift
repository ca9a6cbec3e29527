import Synchronization

/// Stands between a model of this machine and whoever asks it: it sees what the model is to read, and what it answers.
package protocol ContentGuard: Sendable {
  /// Lets `generate` answer `request`, and sends into `channel` what may be seen of the answer.
  ///
  /// - Throws: What the response is to end in, or what `generate` throws.
  func answer(
    _ request: LanguageModelExecutorGenerationRequest, by model: SystemLanguageModel,
    into channel: LanguageModelExecutorGenerationChannel,
    _ generate:
      @escaping @Sendable (LanguageModelExecutorGenerationChannel) async throws -> Void
  ) async throws
}

/// What a guard has let pass in one session, as hash values: nothing has to be judged twice.
package final class PassedContents: Sendable {
  private let hashes = Mutex<Set<Int>>([])

  package init() {}

  package func has(_ hash: Int) -> Bool { hashes.withLock { $0.contains(hash) } }
  package func note(_ hash: Int) { hashes.withLock { _ = $0.insert(hash) } }
}
