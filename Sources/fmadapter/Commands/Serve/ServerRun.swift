import Dispatch
import Glibc
import Serving

/// A server until it is told to end.
///
/// Nothing begins any more then, and what runs comes to its end. That is no failure.
struct ServerRun: Sendable {
  private let server: InferenceServer
  private let http: HTTPServer
  private let manager: ServiceManager
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ server: InferenceServer, _ http: HTTPServer, _ manager: ServiceManager) {
    (self.server, self.http, self.manager) = (server, http, manager)
  }

  /// Waits until the task is cancelled and no request is being answered any more; SIGHUP calls `reload` meanwhile.
  func wait(reload: @escaping @Sendable () -> Void, _ terminal: Terminal) async {
    let delay: @Sendable () -> Void = {
      terminal.note("answers that have begun come to their end; a second Ctrl-C ends them")
    }
    await withTaskCancellationHandler {
      Interruption.shared.reloading(reload) {
        Interruption.shared.keeping(delay) { drain() }
      }
    } onCancel: {
      hasEnded.signal()
    }
    http.stop()
    Interruption.shared.hasEndedInOrder()
  }

  private func drain() {
    hasEnded.wait()
    manager.tell(.stopping)
    server.close()
    http.quiesce()
    while server.running > 0 { usleep(50_000) }
  }
}
