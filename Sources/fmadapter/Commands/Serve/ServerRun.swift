import Dispatch
import Glibc
import Serving
import SystemFiles

/// A server until it is told to end.
///
/// Nothing begins any more then, and what runs comes to its end. That is no failure.
struct ServerRun: Sendable {
  private let server: InferenceServer
  private let http: HTTPServer
  private let sockets: [ListeningSocket]
  private let manager: ServiceManager
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Takes requests from `sockets`, which listen.
  ///
  /// - Throws: `Failure` where there is no thread for that.
  init(
    _ server: InferenceServer, on sockets: [ListeningSocket], _ manager: ServiceManager
  ) throws(Failure) {
    (self.server, self.sockets, self.manager) = (server, sockets, manager)
    http = HTTPServer(
      HTTPLimits(), check: server.refusal, handler: server.answer, ended: server.ended)
    guard http.start(on: sockets) else {
      throw Failure(
        .storage, "The server has no thread to begin with\(remedy: "end some programs")")
    }
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
    for socket in sockets { socket.removeName() }
    Interruption.shared.hasEndedInOrder()
  }

  private func drain() {
    hasEnded.wait()
    manager.tell(.stopping)
    server.close()
    http.drain()
  }
}
