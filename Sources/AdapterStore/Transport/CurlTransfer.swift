import CFMCurl
import FoundationEssentials
import SystemFiles

/// One request with its redirects, on the thread that drives it.
///
/// Redirects are followed here, not by libcurl, so that each address is checked, and each origin gets its own token or
/// none.
@safe final class CurlTransfer {
  let job: TransferJob
  let easy: UnsafeMutableRawPointer?
  /// How it ended; nil while it goes on.
  private(set) var result: Result<Void, TransferFault>?

  private var address: WebAddress
  private var url: String
  private var fields = HeaderFields()
  private var hops = 0
  /// What redirects said of the file that they lead to.
  private var linked: [DigestClaim] = []
  private var linkedSize: Int?
  private var repoCommit: String?
  private var lines: UnsafeMutablePointer<curl_slist>?
  /// Where libcurl says what went wrong in more words than its code does.
  private let words: UnsafeMutablePointer<CChar>
  private var hasHead = false
  private var received = 0
  /// The file that is sent, and how much of it is gone.
  private var source: FileReader?
  private var sent = 0
  private var dropped = 0
  private var headBytes = 0
  private var pace: TransferPace
  private var silence: TransferSilence
  private var policy: TransportPolicy { job.policy }

  /// Bytes of the body of a redirect that are read before it counts as nonsense.
  private static let droppedLimit = 64 << 10
  /// Bytes of all heads of one address; of its own accord libcurl has no end before 8.3.
  private static let headLimit = 256 << 10

  init(_ job: TransferJob) {
    self.job = job
    (address, url) = (job.address, job.request.url)
    pace = job.policy.pace(job.request)
    silence = TransferSilence(limit: job.policy.silenceSeconds, start: .now)
    unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe easy = curl_easy_init()
    if unsafe easy == nil { end(.failure(.other(host: address.host, reason: "no memory"))) }
    prepare()
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe words.deallocate()
    unsafe curl_slist_free_all(lines)
  }

  func end(_ result: Result<Void, TransferFault>) {
    if self.result == nil { self.result = result }
  }

  // MARK: - Options

  private func prepare() {
    guard let easy = unsafe easy else { return }
    unsafe curl_easy_reset(easy)
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe curl_set_pointer(easy, CURLOPT_ERRORBUFFER, words)
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    let receiveLine:
      @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
        unsafe CurlTransfer.of($3).receiveLine(UnsafeRawBufferPointer(start: $0, count: $1 * $2))
      }
    let receiveBody:
      @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
        unsafe CurlTransfer.of($3).receiveBody(UnsafeRawBufferPointer(start: $0, count: $1 * $2))
      }
    unsafe curl_set_writer(easy, CURLOPT_HEADERFUNCTION, receiveLine)
    unsafe curl_set_pointer(easy, CURLOPT_HEADERDATA, me)
    unsafe curl_set_writer(easy, CURLOPT_WRITEFUNCTION, receiveBody)
    unsafe curl_set_pointer(easy, CURLOPT_WRITEDATA, me)
    unsafe curl_set_text(easy, CURLOPT_URL, url)
    unsafe curl_set_text(easy, CURLOPT_PROTOCOLS_STR, address.scheme)
    unsafe curl_set_text(easy, CURLOPT_USERAGENT, policy.userAgent)
    let numbers = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      (CURLOPT_CONNECTTIMEOUT, connectSeconds), (CURLOPT_BUFFERSIZE, 256 << 10),
    ]
    for (option, value) in numbers { unsafe curl_set_long(easy, option, value) }
    if let body = job.request.body { unsafe setBody(body, easy) }
    if let upload = job.request.upload { unsafe setUpload(upload, easy) }
    if let method = job.request.method { unsafe setMethod(method, easy) }
    unsafe setProxy(easy)
    if let file = policy.authorityFile { unsafe curl_set_text(easy, CURLOPT_CAINFO, file) }
    if let folder = policy.authorityFolder {
      unsafe curl_set_text(easy, CURLOPT_CAPATH, folder)
      // A folder is enough; libcurl would fail for want of a file that nobody has named.
      if policy.authorityFile == nil, !CurlLibrary.hasAuthorityFile {
        unsafe curl_set_pointer(easy, CURLOPT_CAINFO, nil)
      }
    }
    unsafe setHeader(easy)
  }

  private var connectSeconds: Int {
    let usual = policy.connectSeconds
    return job.request.isSmall ? min(usual, policy.smallConnectSeconds) : usual
  }

  private func setProxy(_ easy: UnsafeMutableRawPointer) {
    // An empty text keeps libcurl from looking at the variables itself.
    unsafe curl_set_text(easy, CURLOPT_PROXY, policy.proxies[address.scheme] ?? "")
    unsafe curl_set_text(easy, CURLOPT_NOPROXY, policy.withoutProxy)
  }

  private func setBody(_ body: [UInt8], _ easy: UnsafeMutableRawPointer) {
    unsafe curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
    unsafe body.withUnsafeBytes { bytes in
      // Libcurl copies them; an empty body has no address, and none would mean that libcurl reads standard input.
      let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      unsafe curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start ?? easy)
    }
  }

  private func setUpload(_ upload: TransferRequest.Upload, _ easy: UnsafeMutableRawPointer) {
    do throws(FileError) {
      let file = try FileReader(path: upload.path)
      guard file.size == upload.size else { throw .changed(path: upload.path) }
      (source, sent) = (file, 0)
    } catch {
      return end(.failure(.refused(error)))
    }
    let sendBody:
      @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
        unsafe CurlTransfer.of($3).sendBody(
          UnsafeMutableRawBufferPointer(start: $0, count: $1 * $2))
      }
    unsafe curl_set_long(easy, CURLOPT_UPLOAD, 1)
    unsafe curl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.size))
    unsafe curl_set_writer(easy, CURLOPT_READFUNCTION, sendBody)
    unsafe curl_set_pointer(easy, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
  }

  private func setMethod(_ method: String, _ easy: UnsafeMutableRawPointer) {
    if method == "HEAD" {
      unsafe curl_set_long(easy, CURLOPT_NOBODY, 1)
    } else {
      unsafe curl_set_text(easy, CURLOPT_CUSTOMREQUEST, method)
    }
  }

  /// The fields of the request.
  private var ownFields: [String] {
    let request = job.request
    var header = ["Accept-Encoding: identity"]
    if request.isSending {
      // Of its own accord libcurl waits, before it sends a body, for servers that mostly know no such field.
      header += ["Expect:"] + request.fields
    } else {
      header += ["Accept: \(request.accept)", "Want-Repr-Digest: sha-256=10, sha-512=5"]
      if request.isFresh { header.append("Cache-Control: no-cache") }
    }
    if let range = request.range, !request.isSending {
      header.append("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
      if let tag = request.ifRange { header.append("If-Range: \(tag)") }
    }
    return header + (authorization.map { [$0] } ?? [])
  }

  /// The field that lets the request in at the present address.
  private var authorization: String? {
    if let own = job.request.authorization, address.origin == job.address.origin {
      return "Authorization: \(own)"
    }
    return job.request.isSending ? nil : policy.token(address.origin).map(Credentials.field)
  }

  private func setHeader(_ easy: UnsafeMutableRawPointer) {
    let header = ownFields
    unsafe curl_slist_free_all(lines)
    unsafe lines = nil
    // A line break in a value would begin a field of its own; and without its validator a range must not be asked for.
    if header.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) {
      end(.failure(.address(url: address.shown, reason: "a field has a control character in it")))
    }
    for line in header { unsafe lines = curl_slist_append(lines, line) }
    unsafe curl_set_list(easy, lines)
  }

  // MARK: - What comes

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let pointer = unsafe pointer else { preconditionFailure("libcurl lost the transfer") }
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Returns the bytes taken; fewer end the transfer.
  private func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
    // After the body there may be trailers, which mean nothing here.
    guard !hasHead else { return line.count }
    headBytes += line.count
    guard headBytes <= Self.headLimit else {
      end(.failure(.other(host: address.host, reason: "the head of its answer has no end")))
      return 0
    }
    let text = unsafe String(decoding: line, as: UTF8.self)
    if text == "\r\n" || text == "\n" {
      return deliverHead() ? line.count : 0
    }
    fields.append(text)
    return line.count
  }

  private var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(fields.status) && fields.location != nil
  }

  /// Hands out the head unless another one follows; false when the receiver does not want it.
  private func deliverHead() -> Bool {
    guard !(100..<200).contains(fields.status), !isRedirect else { return true }
    hasHead = true
    var head = fields.head(url: url, now: Date().timeIntervalSince1970)
    head.digests = linked + head.digests
    head.linkedSize = linkedSize ?? head.linkedSize
    head.repoCommit = repoCommit ?? head.repoCommit
    let field = authorization
    (head.hadToken, head.hadLogin) = (
      field != nil, field?.hasPrefix("Authorization: Basic ") ?? false
    )
    head.tokenFile = policy.tokenFile
    if head.status == 407 {
      end(
        .failure(
          .unreachable(host: address.host, reason: Self.proxyRefusal(policy.proxyShown(address)))))
      return false
    }
    guard attempt({ try job.receiver.receive(head) }) else { return false }
    guard let encoding = head.contentEncoding else { return true }
    end(.failure(.other(host: address.host, reason: "it sends the bytes as \(encoding), unasked")))
    return false
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    // Libcurl before 8.3 reads for as long as bytes are there, so the thread may not look at this itself for a while.
    guard !job.cancellation.isSet else {
      end(.failure(.cancelled))
      return 0
    }
    if isRedirect {
      dropped += bytes.count
      return dropped <= Self.droppedLimit ? bytes.count : 0
    }
    // A local file has no head of its own.
    if !hasHead, address.scheme == "file", !deliverFileHead(status: 200) { return 0 }
    let wanted = min(bytes.count, job.request.limit - received)
    received += wanted
    let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<wanted])
    guard wanted == 0 || attempt({ try job.receiver.receive(unsafe part.bytes) }) else { return 0 }
    guard wanted == bytes.count else {
      end(.failure(.tooLong(host: address.host, limit: job.request.limit)))
      return 0
    }
    return bytes.count
  }

  /// Puts the next bytes of the file into `room`; returns how many.
  private func sendBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
    guard let source, !job.cancellation.isSet else {
      end(.failure(.cancelled))
      return Int(CURL_READFUNC_ABORT)
    }
    do throws(FileError) {
      let bytes = try source.read(sent..<sent + min(room.count, source.size - sent))
      unsafe room.copyBytes(from: bytes)
      sent += bytes.count
      return bytes.count
    } catch {
      end(.failure(.refused(error)))
      return Int(CURL_READFUNC_ABORT)
    }
  }

  private func deliverFileHead(status: Int) -> Bool {
    hasHead = true
    return attempt { try job.receiver.receive(ResponseHead(status: status, url: url)) }
  }

  private func attempt(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      end(.failure(.refused(error)))
      return false
    }
  }

  // MARK: - The end

  /// Libcurl is done with the present address.
  func complete(_ code: CURLcode) {
    guard result == nil else { return }
    if address.scheme == "file", !hasHead {
      let isThere = code == CURLE_OK
      if deliverFileHead(status: isThere ? 200 : 404) { end(.success(())) }
    } else if isRedirect, code == CURLE_OK || code == CURLE_WRITE_ERROR {
      follow()
    } else if code == CURLE_OK {
      end(.success(()))
    } else {
      end(.failure(fault(code)))
    }
  }

  private func follow() {
    var text: UnsafeMutablePointer<CChar>?
    unsafe curl_get_text(easy, CURLINFO_REDIRECT_URL, &text)
    let target = unsafe text.map { unsafe String(cString: $0) } ?? ""
    if let fault = refusal(of: target) { return end(.failure(fault)) }
    guard let next = WebAddress(target) else { return }
    (address, url) = (next, target)
    hops += 1
    linked += fields.digests
    (linkedSize, repoCommit) = (linkedSize ?? fields.linkedSize, repoCommit ?? fields.repoCommit)
    (fields, dropped, headBytes) = (HeaderFields(), 0, 0)
    pace = policy.pace(job.request)
    prepare()
  }

  /// Why the redirect to `target`, which libcurl has made of what the server said, is not followed.
  private func refusal(of target: String) -> TransferFault? {
    let next = WebAddress(target)
    let said = target.isEmpty ? fields.location ?? "" : target
    func refused(_ reason: ErrorText) -> TransferFault {
      .redirect(url: next?.shown ?? WebAddress.shown(said), reason: reason)
    }
    guard !job.request.isSending else { return refused("what is sent is for one server") }
    guard hops < policy.redirects else {
      return refused("more than \(policy.redirects) redirects lead there")
    }
    guard let next else { return refused("that is no address") }
    if address.scheme == "https", next.scheme != "https" {
      return refused("it leads from https to \(next.scheme), which is not safe")
    }
    let refusal =
      next.scheme == "file" ? "a server may not point to files here" : next.refusal(policy)
    return refusal.map(refused)
  }

  /// Ends the transfer when too little came over the last window, and tells of a silence.
  func checkSpeed(_ now: SuspendingClock.Instant) {
    guard result == nil else { return }
    if silence.begins(received: received + headBytes + dropped + sent, now: now) {
      job.receiver.wait(for: address.host)
    }
    guard pace.isTooSlow(received: received + sent, now: now) else { return }
    let seconds = policy.window(job.request)
    end(.failure(.slow(host: address.host, seconds: Int(seconds.rounded(.up)))))
  }

  private static func proxyRefusal(_ proxy: String?) -> String {
    "the proxy \(proxy ?? "on the way") wants another name or password; look at HTTPS_PROXY"
  }

  private func fault(_ code: CURLcode) -> TransferFault {
    var (verification, answer, system) = (0, 0, 0)
    unsafe curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verification)
    unsafe curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &answer)
    unsafe curl_get_long(easy, CURLINFO_OS_ERRNO, &system)
    let proxy = policy.proxyShown(address)
    if answer == 407 {
      return .unreachable(host: address.host, reason: Self.proxyRefusal(proxy))
    }
    let text = unsafe String(cString: curl_easy_strerror(code))
    return TransferFault(
      code, text: text, detail: unsafe String(cString: words), host: address.host,
      received: received, verification: verification, system: system, proxy: proxy,
      local: policy.localPlace(address))
  }
}
