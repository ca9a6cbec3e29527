import Foundation

/// Debian's nginx, which serves a folder as static files with ranges and `If-Range`.
package final class StaticServer: Sendable {
  package let port: Int
  private let scheme: String
  private let folder: TemporaryDirectory
  private let process: ServerProcess

  /// Serves `root`: at most `rate` bytes a second to each connection, where that is not 0; by https, where it is given
  /// a certificate; with more of nginx's own `directives` inside `server`.
  package init(
    root: String, rate: Int = 0,
    certificate: (authority: TestCertificates, kind: TestCertificates.Kind)? = nil,
    directives: String = ""
  ) throws {
    let folder = try TemporaryDirectory()
    let nginx = try ServerProcess.require("nginx")
    let tls = certificate.map {
      """
      ssl_certificate \($0.authority.certificate($0.kind));
      ssl_certificate_key \($0.authority.key($0.kind));
      """
    }
    (process, port) = try ServerProcess.listening { port in
      let text = Self.configuration(
        root: root, listen: "127.0.0.1:\(port)" + (tls == nil ? "" : " ssl"), rate: rate,
        directives: (tls ?? "") + "\n" + directives)
      let path = try folder.write(text, to: "nginx.conf")
      return [nginx, "-p", folder.path, "-e", folder.path("error.log"), "-c", path]
    }
    self.folder = folder
    scheme = tls == nil ? "http" : "https"
  }

  /// Scheme, address and port.
  package var origin: String { "\(scheme)://127.0.0.1:\(port)" }

  /// Address of a file, by its path below the root.
  package func url(_ path: String) -> String { "\(origin)/\(path)" }

  /// A line per response that ended: method, path, status, bytes of body, `Range`, `Authorization`.
  package func logLines() throws -> [String] {
    try String(contentsOfFile: folder.path("access.log"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  // One process without a master stays the user that started it, so that folders of mode 0700 can be served.
  private static func configuration(
    root: String, listen: String, rate: Int, directives: String
  ) -> String {
    """
    daemon off;
    master_process off;
    pid nginx.pid;
    events { worker_connections 256; }
    http {
      log_format brief '$request_method $uri $status $body_bytes_sent "$http_range" "$http_authorization"';
      access_log access.log brief;
      client_body_temp_path body;
      proxy_temp_path proxy;
      fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi;
      scgi_temp_path scgi;
      types { application/json json; text/html html; }
      default_type application/octet-stream;
      sendfile on;
      tcp_nopush on;
      server {
        listen \(listen);
        root "\(root)";
        limit_rate \(rate);
        \(directives)
      }
    }
    """
  }
}
