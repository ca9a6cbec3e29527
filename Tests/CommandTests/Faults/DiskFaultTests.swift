import Foundation
import SystemFiles
import TestSupport
import Testing

/// Disks that are full, read-only or not ours.
@Suite(.waits) struct DiskFaultTests {
  /// Installs two versions on a file system of few bytes, then on one that has room; each line says what came out.
  private static let fill = """
    set -u
    mount -t tmpfs -o size="$SIZE" tmpfs "$PLACE" || exit 99
    export FMADAPTER_HOME="$PLACE/store"
    used() { find "$PLACE" -type f -printf '%s\\n' | awk '{ s += $1 } END { print s + 0 }'; }
    for version in "$FIRST" "$SECOND"; do
      before=$(used)
      "$TOOL" install "$version" > /dev/null 2> "$LOG"
      status=$?
      echo "install $status $before $(used)"
      grep -o 'free some space, then try again' "$LOG"
      "$TOOL" verify > /dev/null 2>&1; echo "verify $?"
      ls "$FMADAPTER_HOME/ingest" 2> /dev/null | sed 's/^/orphan /'
    done
    mount -o remount,size=100m "$PLACE" || exit 99
    for version in "$FIRST" "$SECOND"; do "$TOOL" install "$version" > /dev/null 2>&1; done; echo "again $?"
    "$TOOL" verify > /dev/null 2>&1; echo "verify $?"
    echo left $(ls "$FMADAPTER_HOME/ingest")
    """

  private static let sizes = runsAllTests ? 20 : 2

  @Test(.disabled(if: Namespace.isMissing), arguments: 0..<sizes)
  func aFullDiskIsAnErrorThatCostsNothing(_ step: Int) throws {
    let store = try FaultStore()
    let (size, lines) = try fill(store, step, with: store.versions.map(\.path))
    for line in lines where line.first == "install" && line.count == 4 && line[1] == "8" {
      #expect(line[2] == line[3], "\(size): space was not given back")
    }
    #expect(!lines.contains { $0.first == "orphan" })
  }

  @Test(.disabled(if: Namespace.isMissing), arguments: 0..<sizes)
  func aDownloadOntoAFullDiskGoesOnWhenThereIsRoom(_ step: Int) throws {
    let store = try FaultStore()
    let (server, addresses) = try store.serve()
    let (size, lines) = try fill(store, step, with: addresses)
    // What has come is kept for the next try, one place for each of the two.
    #expect(lines.count { $0.first == "orphan" } <= 3, "\(size): \(lines)")
    withExtendedLifetime(server) {}
  }

  /// Installs both of `versions` where there is room for more than nothing and less than both.
  private func fill(
    _ store: FaultStore, _ step: Int, with versions: [String]
  ) throws -> (size: Int, lines: [[Substring]]) {
    let bytes = try Self.size(store.versions[0].path)
    let size = bytes * 2 * (step + 1) / (Self.sizes + 1)
    try FileManager.default.createDirectory(
      atPath: store.folder.path("place"), withIntermediateDirectories: false)
    let result = try Namespace.run(
      Self.fill,
      environment: [
        "SIZE": "\(size)", "PLACE": store.folder.path("place"), "LOG": store.folder.path("log"),
        "FIRST": versions[0], "SECOND": versions[1],
      ])
    let lines = result.text.split(separator: "\n").map { $0.split(separator: " ") }
    let installs = lines.filter { $0.first == "install" }
    #expect(installs.count == 2, "\(result.text) \(result.errorText)")
    #expect(installs.allSatisfy { ["0", "8"].contains($0[1]) }, "\(size): \(result.text)")
    let full = installs.count { $0.count > 1 && $0[1] == "8" }
    #expect(full >= 1, "\(size) bytes were enough for both")
    #expect(lines.count { $0.first == "free" } == full, "\(result.text)")
    #expect(lines.filter { $0.first == "verify" } == Array(repeating: ["verify", "0"], count: 3))
    #expect(lines.contains(["again", "0"]), "\(result.text)")
    #expect(lines.last == ["left"], "\(result.text)")
    return (size, lines)
  }

  private static func size(_ package: String) throws -> Int {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: package).reduce(0) { sum, name in
      let size = try manager.attributesOfItem(atPath: "\(package)/\(name)")[.size] as? Int ?? 0
      return sum + (size + 4095) / 4096 * 4096
    }
  }

  /// There is no room for another name either, and removing is what makes some.
  @Test(.disabled(if: Namespace.isMissing), arguments: ["remove $NAME", "prune --yes"])
  func aFullDiskIsMadeRoomOn(_ words: String) throws {
    let store = try FaultStore()
    let script = """
      mount -t tmpfs -o nr_inodes=64 tmpfs "$PLACE" && export FMADAPTER_HOME="$PLACE/store" || exit 99
      "$TOOL" install "$FIRST" > /dev/null 2>&1
      while mktemp -p "$PLACE" > /dev/null 2>&1; do :; done
      "$TOOL" \(words); echo "$?"; ls "$PLACE/store/adapters" "$PLACE/store/ingest"
      """
    try FileManager.default.createDirectory(
      atPath: store.folder.path("place"), withIntermediateDirectories: false)
    let result = try Namespace.run(
      script,
      environment: [
        "PLACE": store.folder.path("place"), "NAME": FaultStore.identifier,
        "FIRST": store.versions[0].path,
      ])
    let lines = result.text.split(separator: "\n").suffix(3)
    #expect(lines.first == "0", "\(result.errorText)")
    #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(":") }, "\(result.text)")
  }

  @Test(.disabled(if: Namespace.isMissing)) func aReadOnlyStoreIsReadAndNotWritten() throws {
    let store = try FaultStore()
    let script = """
      mount -t tmpfs tmpfs "$PLACE" && export FMADAPTER_HOME="$PLACE/store" || exit 99
      "$TOOL" install "$FIRST" > /dev/null 2>&1
      mount -o remount,ro "$PLACE" || exit 99
      for words in list verify df "info $NAME" "install $SECOND" "remove $NAME" "prune -n" doctor; do
        "$TOOL" $words > /dev/null 2> "$LOG"; echo "$words: $?" $(grep -c 'read-only\\|Read-only' "$LOG")
      done
      """
    try FileManager.default.createDirectory(
      atPath: store.folder.path("place"), withIntermediateDirectories: false)
    let result = try Namespace.run(
      script,
      environment: [
        "PLACE": store.folder.path("place"), "LOG": store.folder.path("log"),
        "NAME": FaultStore.identifier, "FIRST": store.versions[0].path,
        "SECOND": store.versions[1].path,
        "CURL_CA_BUNDLE": store.versions[0].path + "/metadata.json",
      ])
    let (first, second) = (store.versions[1].path, FaultStore.identifier)
    let expected: [Substring] = [
      "list: 0 0", "verify: 0 0", "df: 0 0", "info \(second): 0 0", "install \(first): 8 1",
      "remove \(second): 8 1", "prune -n: 0 0", "doctor: 8 0",
    ]
    #expect(result.text.split(separator: "\n") == expected, "\(result.errorText)")
  }

  @Test(.disabled(if: Namespace.isMissing)) func aStoreOfAnotherUsersIsAnErrorThatSaysSo() throws {
    let store = try FaultStore()
    let place = store.folder.path("place")
    // The namespace's root may do anything to its own files, and nothing to those of users that it does not know.
    let isRoot = getuid() == 0
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    try FileManager.default.setAttributes(
      isRoot ? [.ownerAccountID: 65534, .posixPermissions: 0o755] : [.posixPermissions: 0o555],
      ofItemAtPath: place)
    let words = ["-r", Tool.path, "install", store.versions[0].path]
    try Subprocess.run(
      "/usr/bin/unshare", isRoot ? words : ["--"] + words.dropFirst(),
      environment: ["FMADAPTER_HOME": place + "/store"]
    ).expectStatus(
      8,
      error: "\(place)/store: no store can be there: \(place) cannot be written; "
        + "set FMADAPTER_HOME to another place")
  }

  @Test func memoryThatIsMissingIsNoFaultOfThePackage() throws {
    let package = try SamplePackage()
    let limited =
      "ulimit -v 60000000; truncate -s 1T \"$1\"/adapter_weights.bin; exec \"$TOOL\" check \"$1\""
    let result = try Subprocess.run(
      "/bin/bash", ["-c", limited, "bash", package.path], environment: ["TOOL": Tool.path])
    #expect(result.status == 8, "\(result.text)\(result.errorText)")
    #expect(result.errorText.contains("adapter_weights.bin: cannot map the file into memory: "))
  }

  /// Where the runtime gets no thread, or no stack for one, it waits for ever, and takes no signal.
  @Test(arguments: runsAllTests ? Array(stride(from: 10, through: 40, by: 1)) : [10, 21, 28])
  func addressesThatAreMissingAreAnError(_ limit: Int) throws {
    let store = try FaultStore()
    for job in ["list", "verify"] {
      let script = "ulimit -v \(limit)0000; exec timeout -s KILL 60 \"$TOOL\" \"$1\""
      let result = try Subprocess.run(
        "/bin/bash", ["-c", script, "bash", job],
        environment: ["FMADAPTER_HOME": store.root, "TOOL": Tool.path])
      #expect([0, 8].contains(result.status), "\(limit) \(job): \(result.errorText)")
    }
  }

  /// A product takes 256 KiB of a stack, and is computed on threads of this program and on those of the runtime.
  @Test func stacksThatAreSmallByDefaultAreEnough() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let run = "exec \"$TOOL\" run -q --base \"$1\" --threads 2 -t 0 -n 4 'Hello to you'"
    let texts = try ["", "ulimit -s 256; "].map { limit in
      try Subprocess.run(
        "/bin/bash", ["-c", limit + run, "bash", base],
        environment: ["FMADAPTER_HOME": "/nonexistent/store", "TOOL": Tool.path]
      ).expectSuccess().text
    }
    #expect(texts[0] == texts[1] && texts[0].count > 1)
  }

  /// Root is not limited, and another user may not see the program.
  private static func isClosed(to user: String) throws -> Bool {
    try Subprocess.run("/bin/sh", ["-c", "\(user) test -x \(Tool.path.shellWord)"]).status != 0
  }

  @Test func threadsThatAreMissingAreAnError() throws {
    let user = getuid() == 0 ? "setpriv --reuid=65534 --clear-groups" : "env"
    guard try !Self.isClosed(to: user) else { return }
    let script = "timeout -s KILL 60 \(user) bash -c 'ulimit -u 1; exec \"$TOOL\" list'"
    let result = try Subprocess.run(
      "/bin/bash", ["-c", script],
      environment: ["FMADAPTER_HOME": "/nonexistent/store", "TOOL": Tool.path]
    ).expectStatus(8)
    #expect(
      result.errorText
        == "fmadapter: error: Too few threads: 4 more are needed to begin with; end some programs, or "
        + "raise the limit, for one with 'ulimit -u 4096'\n")
  }

  @Test(arguments: runsAllTests ? Array(4...40) : [4, 6, 9, 16, 20, 24])
  func runningOutOfDescriptorsIsAnErrorAndDamagesNothing(_ limit: Int) throws {
    let store = try FaultStore()
    let (server, addresses) = try store.serve()
    let nobody = "http://127.0.0.1:\(try Loopback.freePort())/x.gguf"
    let jobs = [
      ["install", store.versions[0].path], ["install"] + addresses + addresses, ["list"],
      ["verify"], ["df"], ["base", "install", nobody], ["doctor"],
      ["check", store.versions[0].path],
    ]
    var named = 0
    for job in jobs {
      let result = try Subprocess.run(
        "/bin/bash", ["-c", "ulimit -n \(limit); exec \"$TOOL\" \"$@\"", "bash"] + job,
        environment: [
          "FMADAPTER_HOME": store.root, "TOOL": Tool.path, "FMADAPTER_WAIT_SCALE": "0.05",
        ])
      if result.errorText.contains("Too many open files") { named += 1 }
      // A doctor without a base to run an adapter says so; a signal would be 128 and more.
      #expect([0, 6, 7, 8].contains(result.status), "\(limit) \(job): \(result.errorText)")
      #expect(try store.names("adapters").count <= 1)
    }
    #expect(limit > 16 || named > 0, "\(limit) was not low enough")
    try store.run("install", store.versions[0].path).expectSuccess()
    try store.run("verify").expectSuccess()
    withExtendedLifetime(server) {}
  }
}
