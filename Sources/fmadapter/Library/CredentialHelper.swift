import Glibc
import SystemFiles

/// The programs that keep logins of registries for Docker and Podman: `docker-credential-NAME`.
enum CredentialHelper {
  /// What the helper prints of `server`; nil where it has nothing of it, or is in no folder of `PATH`.
  static func ask(_ name: String, server: String, _ environment: [String: String]) -> [UInt8]? {
    let program = "docker-credential-" + name
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    guard
      let path = folders.map({ FilePath.join($0, program) }).first(where: {
        $0.hasPrefix("/") && TerminalControl.isProgram($0)
      })
    else { return nil }
    return TerminalControl.answer(
      of: TerminalControl.ChildProgram(path: path, words: [program, "get"], environment),
      to: Array(server.utf8))
  }
}
