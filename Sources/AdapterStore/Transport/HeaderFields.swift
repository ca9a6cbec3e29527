import FoundationEssentials
import SystemFiles

/// The head of a response, line by line as it comes.
struct HeaderFields: Sendable {
  /// Of the last status line.
  private(set) var status = 0
  private(set) var location: String?
  private var challenges: [String] = []
  private var fields: [String: String] = [:]

  /// Takes one line; a status line begins a new head.
  mutating func append(_ line: String) {
    if line.hasPrefix("HTTP/") {
      let words = line.split(whereSeparator: \.isWhitespace)
      self = HeaderFields()
      status = words.count > 1 ? Int(words[1]) ?? 0 : 0
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    let name = line[..<colon].lowercased()
    let value = line[line.index(after: colon)...].trimmed
    // Of a field that comes twice the first counts, unless it has no meaning then.
    if let first = fields[name], DigestFields.lists.contains(name) {
      fields[name] = first + ", " + value
    } else if let first = fields[name], first != value, Self.single.contains(name) {
      fields[name] = ""
    } else if fields[name] == nil {
      fields[name] = value
    }
    if name == "location" { location = value }
    if name == "www-authenticate" { challenges.append(value) }
  }

  /// Fields that two values make worthless.
  private static let single: Set<String> = ["content-length", "content-range", "etag"]

  /// What it says of the digest of the whole file, or of the file that it redirects to.
  var digests: [DigestClaim] { DigestFields.claims(status: status) { fields[$0] } }

  /// The commit of the file that a hub gives or redirects to.
  var repoCommit: String? { fields["x-repo-commit"] }

  /// Bytes of the file that a hub redirects to.
  var linkedSize: Int? { fields["x-linked-size"].flatMap(Self.count) }

  /// What matters of it; `now` are the seconds since 1970 that a date is counted from.
  func head(url: String, now: Double) -> ResponseHead {
    var head = ResponseHead(status: status, url: url)
    head.contentLength = fields["content-length"].flatMap(Self.count)
    head.contentRange = fields["content-range"].flatMap { ContentRange($0) }
    head.entityTag = fields["etag"].flatMap { Self.isTag($0) ? $0 : nil }
    head.retryAfter =
      fields["retry-after"].flatMap { Self.seconds($0, now: now) }
      ?? (status == 429 ? fields["ratelimit"].flatMap(Self.reset) : nil)
    head.mediaType = fields["content-type"].map {
      $0.prefix { $0 != ";" }.trimmed.lowercased()
    }
    let encoding = fields["content-encoding"]?.lowercased() ?? ""
    head.contentEncoding = encoding.isEmpty || encoding == "identity" ? nil : encoding
    head.wantsLogin = fields["www-authenticate"]?.lowercased().hasPrefix("basic") == true
    head.digests = digests
    head.repoCommit = repoCommit
    head.linkedSize = linkedSize
    head.hubError = HubErrorCode(code: fields["x-error-code"], message: fields["x-error-message"])
    head.acceptsRanges = fields["accept-ranges"]?.lowercased() == "bytes"
    head.location = location
    head.challenges = challenges
    head.registryDigest = fields["docker-content-digest"]
    head.registrySubject = fields["oci-subject"]
    return head
  }

  /// A number of bytes: digits alone.
  static func count(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Seconds from `Retry-After`, an hour at most: a number, or a date; what is past is zero.
  static func seconds(_ text: String, now: Double) -> Double? {
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      return min(3600, Double(text) ?? 3600)
    }
    return HTTPDate.parse(text).map { min(3600, max(0, Double($0) - now)) }
  }

  /// Seconds until there may be more requests, an hour at most, from `RateLimit: "name";r=0;t=55`.
  private static func reset(_ text: String) -> Double? {
    text.split(whereSeparator: { ";,".contains($0) }).map(\.trimmed).first { $0.hasPrefix("t=") }
      .flatMap { count($0.dropFirst(2)) }.map { min(3600, Double($0)) }
  }

  /// Whether it is an entity tag of RFC 9110 section 8.8.3.
  private static func isTag(_ text: String) -> Bool {
    let quoted = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    guard quoted.utf8.count >= 2, quoted.first == "\"", quoted.last == "\"" else { return false }
    return quoted.dropFirst().dropLast().utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7F }
  }
}

extension ContentRange {
  /// Reads `bytes 0-99/1234` or `bytes 0-99/*`; nil for anything else, also for `bytes */1234`.
  init?(_ text: String) {
    guard text.lowercased().hasPrefix("bytes ") else { return nil }
    let halves = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = HeaderFields.count(ends[0]),
      let last = HeaderFields.count(ends[1]), first <= last, last < Int.max
    else { return nil }
    let total = HeaderFields.count(halves[1])
    guard total.map({ last < $0 }) ?? (halves[1] == "*") else { return nil }
    self.init(bytes: first..<last + 1, total: total)
  }
}

/// The three forms of a date in HTTP (RFC 9110, section 5.6.7), all in universal time.
enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Seconds since 1970; nil for what is no date.
  static func parse(_ text: String) -> Int? {
    let words = text.split { " ,-".contains($0) }.map { $0.lowercased() }
    guard words.count == 5 || words.count == 6 else { return nil }
    // `Sun Nov 6 08:49:37 1994` has the month first and no zone; the others end in GMT.
    let old = words.count == 5
    guard old || words[5] == "gmt" else { return nil }
    let (monthWord, dayWord) = old ? (words[1], words[2]) : (words[2], words[1])
    guard let month = months.firstIndex(of: monthWord), let day = HeaderFields.count(dayWord),
      (1...31).contains(day), var year = HeaderFields.count(words[old ? 4 : 3]), year <= 9999,
      let seconds = time(words[old ? 3 : 4])
    else { return nil }
    // Two digits are of this century up to 69, by POSIX.
    if words[old ? 4 : 3].count == 2 { year += year < 70 ? 2000 : 1900 }
    return days(year: year, month: month + 1, day: day) * 86400 + seconds
  }

  private static func time(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
      HeaderFields.count($0)
    }
    guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  /// Days from 1970-01-01, by shifting the year's start to March, where leap days come last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
