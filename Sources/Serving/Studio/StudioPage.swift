import CFMStudio
import JSON

/// The files of the studio's page, which the program has in itself.
enum StudioPage {
  struct File: Sendable {
    let name: String
    let bytes: [UInt8]
  }

  /// All of them.
  static let files: [File] = {
    var files: [File] = []
    var next = unsafe studio_first_file()
    while let file = unsafe next?.pointee, let name = unsafe file.name {
      let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
      files.append(unsafe File(name: String(cString: name), bytes: Array(bytes)))
      unsafe next = next?.successor()
    }
    return files
  }()

  /// What the page may do: run and show what comes with it, and ask this server.
  ///
  /// Source: W3C, Content Security Policy Level 3.
  static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]

  /// The file of this name; nil where there is none.
  static func response(_ name: String) -> HTTPResponse? {
    guard let file = files.first(where: { $0.name == name }) else { return nil }
    let type = types[String(name.split(separator: ".").last ?? "")] ?? "application/octet-stream"
    let fields = [
      ("Content-Type", type), ("Content-Security-Policy", policy),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-cache"),
    ]
    return HTTPResponse(200, fields, .bytes(file.bytes))
  }
}

extension InferenceServer {
  /// The page, for which nobody needs a key: it asks for one.
  static let pageRoutes = [
    Route(method: "GET", path: "/studio/page/", isOpen: true) { _, http throws(ServingError) in
      let name = String(http.path.dropFirst("/studio/page/".count))
      guard let response = StudioPage.response(name) else {
        throw ServingError(.notFound, "The page has no such file.")
      }
      return response
    },
    Route(method: "GET", path: "/studio/about") { server, _ in
      .json(.object(["commands": .bool(server.studio != nil)]))
    },
  ]

  /// The page for who can show one, and for others what clients of Ollama look for.
  static func front(_ http: HTTPRequest) -> HTTPResponse {
    let isBrowser = http["accept"]?.lowercased().contains("text/html") ?? false
    let page = isBrowser ? StudioPage.response("index.html") : nil
    var response = page ?? .text("Ollama is running")
    response.fields.append(("Vary", "Accept"))
    return response
  }
}
