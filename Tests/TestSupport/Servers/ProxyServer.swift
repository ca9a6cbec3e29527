import Foundation

/// A proxy: Debian's tinyproxy for HTTP, microsocks for SOCKS 5.
package final class ProxyServer: Sendable {
  /// What the proxy speaks.
  package enum Kind: String, Sendable, CaseIterable {
    case http, socks5h
  }

  package let kind: Kind
  package let port: Int
  private let folder: TemporaryDirectory
  private let process: ServerProcess

  /// Starts one that wants this name and password of everyone.
  package init(_ kind: Kind, user: String? = nil, password: String = "") throws {
    let folder = try TemporaryDirectory()
    (process, port) = try ServerProcess.listening { port in
      switch kind {
      case .http:
        let text = """
          Port \(port)
          Listen 127.0.0.1
          Timeout 30
          MaxClients 20
          Allow 127.0.0.1
          LogFile "\(folder.path("log"))"
          LogLevel Info
          \(user.map { "BasicAuth \($0) \(password)" } ?? "")
          """
        let path = try folder.write(text + "\n", to: "tinyproxy.conf")
        return [try ServerProcess.require("tinyproxy"), "-d", "-c", path]
      case .socks5h:
        let login = user.map { ["-u", $0, "-P", password] } ?? []
        return [try ServerProcess.require("microsocks"), "-i", "127.0.0.1", "-p", "\(port)"] + login
      }
    }
    self.kind = kind
    self.folder = folder
  }

  /// Address of the proxy, with `login` such as `name:password` before it.
  package func url(login: String = "") -> String {
    "\(kind)://\(login.isEmpty ? "" : login + "@")127.0.0.1:\(port)"
  }

  /// Whether the HTTP proxy's log names `text`; of SOCKS there is no log.
  package func served(_ text: String) -> Bool {
    let log = (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
    return log.contains(text)
  }
}
