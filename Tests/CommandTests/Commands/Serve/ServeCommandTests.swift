import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite(.waits) struct ServeCommandTests {
  /// Starts a service as systemd does: its socket is open, and somebody is told what becomes of it.
  private static let manager = """
    import os, signal, socket, sys, urllib.request
    listener = socket.create_server(("127.0.0.1", 0))
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(sys.argv[1])
    told.settimeout(120)
    child = os.fork()
    if child == 0:
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), NOTIFY_SOCKET=sys.argv[1])
        os.execv(sys.argv[2], sys.argv[2:])
    print(told.recv(4096).decode())
    address = "http://127.0.0.1:%d/health" % listener.getsockname()[1]
    print(urllib.request.urlopen(address).status)
    os.kill(child, signal.SIGTERM)
    print(told.recv(4096).decode())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """

  @Test func systemdStartsAndEndsIt() throws {
    let folder = try TemporaryDirectory()
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let result = try Subprocess.run(
      "/usr/bin/env",
      [
        "python3", "-c", Self.manager, folder.path("notify"), Tool.path, "serve", "--base", base,
        "--log", "json",
      ], environment: ["FMADAPTER_HOME": folder.path("store")])
    #expect(
      result.text == "READY=1\nSTATUS=serving afm-9m and 0 adapters\n200\nSTOPPING=1\n0\n",
      "\(result.errorText)")
    let lines = result.errorText.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(lines.count == 1 && lines[0].contains(#""route": "/health""#), "\(result.errorText)")
  }
}
