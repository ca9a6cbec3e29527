import AdapterStore
import Dispatch
import Kernels
import Synchronization

/// Waits for `body` from code that Apple's interface makes synchronous.
///
/// It runs on a thread of its own, actors included: were it left to the threads that tasks share, callers that hold all
/// of those would wait for ever.
func waiting<R: Sendable>(
  _ body: @escaping @Sendable () async throws -> R
) throws(ModelFailure) -> R {
  let promise = Promise<R>()
  Task(executorPreference: TaskThread()) {
    do {
      promise.fulfil(.success(try await body()))
    } catch let error as StoreError {
      promise.fulfil(.failure(ModelFailure(reason: error.sentence)))
    } catch {
      promise.fulfil(.failure(ModelFailure(reason: "\(error)")))
    }
  }
  return try promise.wait().get()
}

/// A value that one thread sets once and another waits for.
private final class Promise<R: Sendable>: Sendable {
  private let value = Mutex<Result<R, ModelFailure>>(
    .failure(ModelFailure(reason: "The store did not answer.")))
  private let isSet = DispatchSemaphore(value: 0)

  func fulfil(_ result: Result<R, ModelFailure>) {
    value.withLock { $0 = result }
    isSet.signal()
  }

  func wait() -> Result<R, ModelFailure> {
    isSet.wait()
    return value.withLock { $0 }
  }
}
