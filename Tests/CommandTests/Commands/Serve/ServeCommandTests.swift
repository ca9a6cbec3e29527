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

  /// Asks at a path in the file system, changes the keys twice, and ends the server within an answer.
  private static let operating = """
    import http.client, json, os, signal, socket, stat, subprocess, sys, time
    folder, tool, base = sys.argv[1:]
    path, keys, log = folder + "/at", folder + "/keys", open(folder + "/log", "w+b")

    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(path)

    def ask(key, body=None):
        connection = Connection("localhost", timeout=120)
        head = {"Authorization": "Bearer " + key} if key else {}
        connection.request("POST" if body else "GET", "/v1/chat/completions" if body else "/v1/models", body, head)
        return connection.getresponse()

    def until(holds):
        end = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < end
            try:
                sys.exit(child.wait(0.01))
            except subprocess.TimeoutExpired:
                pass

    def reload(text):
        open(keys, "w").write(text)
        child.send_signal(signal.SIGHUP)

    one, two = "one-" + 40 * "x", "two-" + 40 * "y"
    open(keys, "w").write(one + "\\n")
    os.chmod(keys, 0o600)
    child = subprocess.Popen([tool, "serve", "--base", base, "--socket", path, "--api-key-file", keys], stderr=log)
    until(lambda: os.path.exists(path))
    print(oct(stat.S_IMODE(os.stat(path).st_mode)), ask(None).status, ask(one).status, ask(two).status)
    reload(two + "\\n")
    until(lambda: ask(two).status == 200)
    print(ask(one).status)
    size = os.fstat(log.fileno()).st_size
    reload("\\n")
    until(lambda: b"keys" in os.pread(log.fileno(), 1 << 16, size))
    print(ask(two).status)
    answer = ask(two, json.dumps({"model": "afm-9m", "stream": True, "max_tokens": 400, "temperature": 1, "seed": 1,
                                  "messages": [{"role": "user", "content": "Tell a long story."}]}))
    first = answer.readline()
    child.send_signal(signal.SIGTERM)
    print(answer.status, first.startswith(b"data: "), b"[DONE]" in answer.read())
    print(child.wait(), os.path.exists(path))
    """

  @Test func keysAreReadAgainAndAnswersComeToTheirEnd() throws {
    let folder = try TemporaryDirectory()
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let result = try Subprocess.run(
      "/usr/bin/env", ["python3", "-c", Self.operating, folder.path, Tool.path, base],
      environment: ["FMADAPTER_HOME": folder.path("store")])
    #expect(
      result.text == "0o700 401 200 401\n401\n200\n200 True True\n0 False\n",
      "\(result.errorText)")
  }

  /// What stands at the path and is no socket is somebody's.
  @Test func aFileIsNotTakenForASocket() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("precious", to: "at")
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    try Tool.run(["serve", "--base", base, "--socket", path]).expectStatus(
      8, saying: "something else stands there")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test(arguments: ["foo", "http://localhost:3000/", "HTTP://App.Example"])
  func whatIsNoOriginIsRefused(_ origin: String) throws {
    try Tool.run(["serve", "--allow-origin", origin]).expectStatus(
      2, saying: "\(origin) is no origin; write it as browsers do")
  }
}
