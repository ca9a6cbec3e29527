public import FoundationEssentials
import SystemFiles

/// What downloads may do, and who they say they are.
public struct NetworkOptions: Sendable {
  /// Whether plain `http:` may go to other hosts than this machine.
  public var allowsHTTP = false
  /// What errors call the setting above.
  package var allowHTTPName = "NetworkOptions.allowsHTTP"
  /// Whether `file:` addresses may be read.
  package var allowsFiles = false
  /// Where proxies and certificate authorities are named, by the usual variables.
  package var environment: [String: String]
  /// Tokens, each of which goes to its own origin alone.
  public var credentials = Credentials()

  /// Told, on any thread, of a server that says nothing for 3 seconds where a catalog or another small answer is asked for,
  /// and of longer waits before it is asked again: the address, and what is waited for.
  package var waitObserver: @Sendable (_ url: String, _ words: String) -> Void = { _, _ in }

  /// Runs `docker-credential-NAME get` with a server on its standard input, and gives what it prints; nil where it fails.
  package var credentialHelper: @Sendable (_ name: String, _ server: String) -> [UInt8]? = {
    _, _ in nil
  }

  var registryLogins: RegistryLogins {
    RegistryLogins(environment: environment, credentials: credentials, helper: credentialHelper)
  }

  /// The hub that `hf:` leads to.
  var modelHub: ModelHub { ModelHub(environment: environment) }

  /// Options with the proxies, the certificate authorities and the hub that `environment` names.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.environment = environment
  }

  /// What downloads ask of the world; tests shorten all waits by `FMADAPTER_WAIT_SCALE`, from 0 to 1.
  var surroundings: DownloadSurroundings {
    let scale = environment["FMADAPTER_WAIT_SCALE"].flatMap(Double.init) ?? 1
    var surroundings = DownloadSurroundings(scale: (0...1).contains(scale) ? scale : 1)
    surroundings.tell = waitObserver
    return surroundings
  }

  func policy(tool: String) -> TransportPolicy {
    var policy = TransportPolicy(environment: environment)
    (policy.allowsHTTP, policy.allowHTTPName) = (allowsHTTP, allowHTTPName)
    policy.allowsFiles = allowsFiles
    policy.userAgent = tool.replacing(" ", with: "/")
    policy.use(credentials)
    return policy
  }
}

/// What a transport may do, and how long it waits.
package struct TransportPolicy: Sendable {
  /// Whether `http:` may go to other hosts than this machine.
  package var allowsHTTP = false
  /// What errors call the setting above.
  package var allowHTTPName = "allowsHTTP"
  /// Whether `file:` addresses may be read; never by a redirect.
  package var allowsFiles = false
  /// Redirects that are followed at most.
  package var redirects = 10
  /// Seconds until a connection has to stand.
  package var connectSeconds = 20
  /// Seconds over which the least speed is measured, from the start of the request on.
  package var slowSeconds = 30.0
  /// The same two for a small answer, such as a catalog or a digest, where they are less.
  package var (smallConnectSeconds, smallSlowSeconds) = (8, 10.0)
  /// Seconds without a byte after which the receiver is told.
  package var silenceSeconds = 3.0
  /// Bytes per second that have to come over that time.
  package var leastSpeed = 1024
  /// Name and version of the program, for servers' logs.
  package var userAgent = "fmadapter"
  /// Certificate authorities: a file, and a folder; nil for the system's.
  package var authorityFile: String?
  package var authorityFolder: String?
  /// Proxies by the scheme of the address, and the hosts that need none.
  package var proxies: [String: String] = [:]
  package var withoutProxy = ""
  /// The bearer token for an origin such as `https://host` or `https://host:8443`; asked anew for each redirect.
  package var token: @Sendable (_ origin: String) -> String? = { _ in nil }

  /// The file that tokens are read from, as texts call it; nil where none is.
  package var tokenFile: String?

  package init() {}

  /// Seconds over which the least speed is measured for `request`.
  func window(_ request: TransferRequest) -> Double {
    request.isSmall ? min(slowSeconds, smallSlowSeconds) : slowSeconds
  }

  /// The rule of the least speed for `request`, from now on.
  func pace(_ request: TransferRequest) -> TransferPace {
    TransferPace(speed: leastSpeed, window: window(request), start: .now)
  }

  /// The proxy for `address` as a text may show it, without name and password; nil without one.
  func proxyShown(_ address: WebAddress) -> String? {
    guard let proxy = proxies[address.scheme] else { return nil }
    // A password may have slashes and at signs in it: only what follows the last one is the host.
    guard let at = proxy.lastIndex(of: "@") else { return proxy }
    let scheme = proxy.firstRange(of: "://").map { proxy[..<$0.upperBound] } ?? ""
    return scheme + "***" + proxy[at...]
  }

  /// Host and port that a connection for `address` goes to, where they are of this machine.
  func localPlace(_ address: WebAddress) -> String? {
    let direct = withoutProxy.split(separator: ",").map(\.trimmed)
    guard let proxy = proxies[address.scheme], !direct.contains(address.host), direct != ["*"]
    else {
      return address.isLoopback ? address.place : nil
    }
    let place = WebAddress(proxy.contains("://") ? proxy : "http://" + proxy)
    return place.flatMap { $0.isLoopback ? "the proxy " + $0.place : nil }
  }

  /// Takes proxies and certificate authorities from the usual variables.
  ///
  /// `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in small letters first; `CURL_CA_BUNDLE`, else
  /// `SSL_CERT_FILE`; `SSL_CERT_DIR`. As libcurl does, `HTTP_PROXY` is passed over where `REQUEST_METHOD` is set,
  /// because a web server puts its clients' `Proxy` field there.
  package init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    authorityFile = value("CURL_CA_BUNDLE", "SSL_CERT_FILE")
    authorityFolder = value("SSL_CERT_DIR")
    tokenFile = Credentials.shownFile(environment)
    let all = value("all_proxy", "ALL_PROXY")
    proxies["https"] = value("https_proxy", "HTTPS_PROXY") ?? all
    let http =
      environment["REQUEST_METHOD"] == nil ? value("http_proxy", "HTTP_PROXY") : value("http_proxy")
    proxies["http"] = http ?? all
    withoutProxy = value("no_proxy", "NO_PROXY") ?? ""
  }
}

/// Tells when a transfer has become too slow: fewer bytes over the window than the least speed would bring.
///
/// The window slides in eight steps, so a stall is seen at most an eighth late.
struct TransferPace {
  private let least: Int
  private let step: Duration
  private var marks: [Int]
  private var next: SuspendingClock.Instant
  /// What had come when somebody last looked.
  private var seen = 0

  /// At least `speed` bytes per second over `window` seconds, more than zero.
  init(speed: Int, window: Double, start: SuspendingClock.Instant) {
    least = Int(Double(speed) * window)
    step = .seconds(window / 8)
    marks = [0]
    next = start + step
  }

  /// Whether, with `received` bytes so far, the transfer is too slow at `now`.
  mutating func isTooSlow(received: Int, now: SuspendingClock.Instant) -> Bool {
    defer { seen = received }
    while now >= next {
      // Where nobody looked for longer than a step, all of it may have come after that.
      marks.append(now >= next + step ? seen : received)
      next += step
      if marks.count > 8 {
        if received - marks[marks.count - 9] < least { return true }
        marks.removeFirst(marks.count - 8)
      }
    }
    return false
  }
}

/// Tells when a transfer has brought nothing for a while, once for each such while.
struct TransferSilence {
  private let limit: Duration
  private var since: SuspendingClock.Instant
  private var received = 0
  private var isTold = false

  /// Nothing has come at `start`.
  init(limit: Double, start: SuspendingClock.Instant) {
    self.limit = .seconds(limit)
    since = start
  }

  /// Whether, with `received` bytes so far, there is a silence at `now` that was not there before.
  mutating func begins(received: Int, now: SuspendingClock.Instant) -> Bool {
    guard received == self.received else {
      (self.received, since, isTold) = (received, now, false)
      return false
    }
    guard !isTold, now - since >= limit else { return false }
    isTold = true
    return true
  }
}
