#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connected socket that is read and written within times that no byte prolongs.
struct HTTPSocket {
  let descriptor: Int32
  private var held: [UInt8] = []
  private let clock = ContinuousClock()
  private let limits: HTTPLimits
  /// How long the answer has waited for the other side.
  private var waited = Duration.zero

  /// Why nothing more is read.
  enum End: Error {
    /// The other side has closed the connection, or it has failed.
    case closed
    /// The time is over.
    case late
    /// There is more than may be.
    case tooLarge
    /// What has come is not as HTTP has it.
    case malformed
  }

  init(_ descriptor: Int32, _ limits: HTTPLimits) {
    (self.descriptor, self.limits) = (descriptor, limits)
  }

  /// When so many seconds will have passed.
  func deadline(_ seconds: Double) -> ContinuousClock.Instant { clock.now + .seconds(seconds) }

  /// Whether nothing that has come is still to be read.
  var isDry: Bool { held.isEmpty }

  /// Takes what comes up to an empty line, without it.
  mutating func head(limit: Int, until time: ContinuousClock.Instant) throws(End) -> ArraySlice<
    UInt8
  > {
    let end = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let place = held[max(0, searched - 3)...].firstRange(of: end) {
        guard place.lowerBound <= limit else { throw .tooLarge }
        defer { held.removeFirst(place.upperBound) }
        return held[..<place.lowerBound]
      }
      // A line feed alone could end a head for others, who would not wait for more.
      guard held[max(0, searched - 1)...].firstRange(of: [0x0A, 0x0A]) == nil else {
        throw .malformed
      }
      guard held.count <= limit else { throw .tooLarge }
      // Such as TLS, which nobody would end with an empty line.
      guard held.first.map({ (0x41...0x5A).contains($0) }) ?? true else { throw .malformed }
      searched = held.count
      try fill(until: time)
    }
  }

  /// Takes so many bytes.
  mutating func bytes(_ count: Int, until time: ContinuousClock.Instant) throws(End) -> [UInt8] {
    while held.count < count { try fill(until: time) }
    defer { held.removeFirst(count) }
    return Array(held[..<count])
  }

  /// Takes the chunks of a body: sizes of up to 8 hexadecimal digits and nothing else, and no fields behind the last one.
  mutating func chunks(limit: Int, until time: ContinuousClock.Instant) throws(End) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      var digits: [UInt8] = []
      while digits.count <= 8 {
        let byte = try bytes(1, until: time)[0]
        if byte == 0x0D { break }
        digits.append(byte)
      }
      let isHex = digits.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
      }
      guard (1...8).contains(digits.count), isHex, try bytes(1, until: time) == [0x0A],
        let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw .malformed }
      guard body.count + size <= limit else { throw .tooLarge }
      body += try bytes(size, until: time)
      guard try bytes(2, until: time) == [0x0D, 0x0A] else { throw .malformed }
      if size == 0 { return body }
    }
  }

  private mutating func fill(until time: ContinuousClock.Instant) throws(End) {
    var left = clock.now.duration(to: time)
    while left > .zero {
      var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let wait = Int32(min(60_000, max(1, left / .milliseconds(1))))
      if unsafe poll(&look, 1, wait) > 0 {
        var part = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe recv(descriptor, &part, part.count, 0)
        guard count > 0 else { throw .closed }
        held += part.prefix(count)
        return
      }
      left = clock.now.duration(to: time)
    }
    throw .late
  }

  /// Sends all of `bytes`; false where the other side takes nothing any more, or too slowly.
  mutating func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Self.send(descriptor, bytes[sent...])
      }
      if count > 0 {
        sent += count
      } else {
        guard count < 0, errno == EAGAIN || errno == EINTR, waitForRoom() else { return false }
      }
    }
    return true
  }

  /// Sends what there is room for.
  private static func send(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes)
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
  }

  /// Waits until the other side has taken something; false once it has let the answer wait for too long.
  private mutating func waitForRoom() -> Bool {
    let begin = clock.now
    let seconds = min(limits.sendSeconds, limits.waitSeconds - waited / .seconds(1))
    guard seconds > 0 else { return false }
    var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let count = unsafe poll(&look, 1, Int32(min(seconds * 1000, 1e9).rounded(.up)))
    waited += begin.duration(to: clock.now)
    return count > 0 || count < 0 && errno == EINTR
  }

  /// Begins an answer, which may wait as long as any.
  mutating func beginAnswer() { waited = .zero }

  /// Lets no write wait for more to send along.
  func prepare() {
    var yes: Int32 = 1
    unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  #if os(Linux)
    /// `POLLRDHUP`, which the headers show to none but GNU's programs: the other side sends no more.
    private static let hangUp: Int16 = 0x2000
  #else
    private static let hangUp: Int16 = 0
  #endif

  /// Whether the other side has closed the connection, or was reset.
  static func isGone(_ descriptor: Int32) -> Bool { has(descriptor, hangUp) }

  /// Whether something has come that nobody has read, the end among it.
  static func isReadable(_ descriptor: Int32) -> Bool { has(descriptor, Int16(POLLIN)) }

  private static func has(_ descriptor: Int32, _ events: Int16) -> Bool {
    var look = pollfd(fd: descriptor, events: events, revents: 0)
    return unsafe poll(&look, 1, 0) > 0
  }

  /// What stands for the address of those who come over a socket in the file system.
  static let local = "local"

  /// The address of the other side, or ``local``.
  var client: String {
    var address = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard unsafe getpeername(descriptor, address, &count) == 0,
          unsafe Int32(address.pointee.sa_family) != AF_UNIX,
          unsafe getnameinfo(address, count, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            == 0
        else { return Self.local }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      }
    }
  }

  /// Says that nothing more comes, and waits a moment until the other side has read it: closing with bytes unread would take back what was
  /// sent last.
  mutating func endInOrder() {
    shutdown(descriptor, Int32(SHUT_WR))
    let time = deadline(2)
    var left = 64 << 20
    held = []
    while left > 0, (try? fill(until: time)) != nil {
      left -= held.count
      held = []
    }
  }
}
