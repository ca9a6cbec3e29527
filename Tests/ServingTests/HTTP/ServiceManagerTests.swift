import Foundation
import TestSupport
import Testing

@testable import Serving

#if canImport(Glibc)
  import Glibc
#endif

@Suite(.waits) struct ServiceManagerTests {
  /// A socket that takes what a service says, and what it has taken.
  private func told(_ name: String, _ states: [ServiceManager.State]) throws -> [String] {
    let receiver = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(receiver) }
    let address = try #require(SocketName(name))
    #expect(address.with { Int(bind(receiver, $0, $1)) } == 0)
    let manager = ServiceManager(["NOTIFY_SOCKET": name])
    for state in states { manager.tell(state) }
    return states.map { _ in
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test func whoeverStartsAServiceIsToldOfIt() throws {
    let folder = try TemporaryDirectory()
    for name in [folder.path("notify"), "@fmadapter-test-\(getpid())"] {
      #expect(
        try told(name, [.ready("serving\na base"), .stopping]) == [
          "READY=1\nSTATUS=servinga base", "STOPPING=1",
        ])
    }
  }

  @Test func nobodyHasToListen() {
    for name in ["", "relative", "/nonexistent/socket", String(repeating: "/x", count: 100)] {
      ServiceManager(["NOTIFY_SOCKET": name]).tell(.stopping)
    }
    ServiceManager([:]).tell(.stopping)
  }

  @Test func socketsAreThoseOfThisProcessAlone() throws {
    for environment in [
      [:], ["LISTEN_FDS": "1"], ["LISTEN_FDS": "1", "LISTEN_PID": "1"],
      ["LISTEN_FDS": "0", "LISTEN_PID": "\(getpid())"],
      ["LISTEN_FDS": "100000", "LISTEN_PID": "\(getpid())"],
    ] {
      #expect(try ServiceManager(environment).sockets().isEmpty)
    }
  }

  @Test func inheritedSocketsKnowTheirPlace() throws {
    let folder = try TemporaryDirectory()
    let places: [ListeningSocket.Place] = [
      .address("127.0.0.1", port: 0), .address("::1", port: 0), .path(folder.path("socket")),
    ]
    for place in places {
      let made = try ListeningSocket(place)
      let taken = try ListeningSocket(inherited: made.descriptor)
      #expect(taken.place == made.place)
      // Who has opened it removes its name.
      taken.removeName()
      if case .path(let path) = place { #expect(FileManager.default.fileExists(atPath: path)) }
      close(made.descriptor)
    }
    let silent = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    #expect(throws: ListeningSocket.Defect.notListening(silent)) {
      try ListeningSocket(inherited: silent)
    }
    #expect(throws: ListeningSocket.Defect.notListening(9999)) {
      try ListeningSocket(inherited: 9999)
    }
  }
}
