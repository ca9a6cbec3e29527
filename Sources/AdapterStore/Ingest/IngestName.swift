import Foundation
import TensorFiles

/// Name of a directory under `ingest/`: who made it and when, so that it is known from the moment it exists.
///
/// `<16 random digits>-<boot>-<process>-<seconds since 1970>`; `boot` are 8 digits of the running system's own id,
/// which differ between machines that share a store and between two starts of one machine.
struct IngestName: Sendable, Equatable {
  let random: String
  let boot: String
  let process: Int32
  let created: Int

  init(boot: String, process: Int32, created: Date) {
    random = FilePath.randomName()
    self.boot = boot
    self.process = process
    self.created = Int(created.timeIntervalSince1970)
  }

  /// Takes a name apart; nil when somebody else made it.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].utf8.count == 16, parts[1].utf8.count == 8,
      let process = Int32(parts[2]), process > 0, let created = Int(parts[3])
    else { return nil }
    random = String(parts[0])
    boot = String(parts[1])
    self.process = process
    self.created = created
  }

  var text: String { "\(random)-\(boot)-\(process)-\(created)" }

  /// The running system's id, or zeros where it has none.
  static func currentBoot() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let digits = text.filter(\.isHexDigit).prefix(8)
    return digits.count == 8 ? digits.lowercased() : "00000000"
  }
}
