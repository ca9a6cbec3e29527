import SystemFiles

/// One way in which an installed entry is not what its receipt says.
public struct Damage: Sendable, Equatable, Codable {
  /// What is wrong.
  package enum Kind: String, Sendable, Codable {
    /// Bytes of the file are not the recorded ones, or are missing at its end.
    case changed
    /// The file is longer than recorded.
    case longer
    /// The file is not there.
    case missing
    /// The file is not in the receipt.
    case extra
    /// The system cannot read the file.
    case unreadable
    /// The receipt is missing or cannot be read, so nothing can be said of the rest.
    case noReceipt
    /// A newer program wrote the receipt, so nothing can be said of the rest here.
    case newer
    /// This user may not read the file or folder, so nothing can be said of it.
    case denied
    /// What is inside has another name than the entry.
    case misplaced

    /// Whether bytes are wrong, rather than unknown.
    var isDamage: Bool { self != .newer && self != .denied }
  }

  package let kind: Kind
  /// Path within the entry, such as `package.fmadapter/adapter_weights.bin`.
  public let file: String
  /// First of the bytes that are wrong, of the file as it should be.
  package let start: Int?
  /// The byte after the last that is wrong.
  package let end: Int?
  /// The system's words where it refused, what a newer program wrote, or the name of what is inside.
  package let reason: String?

  init(_ kind: Kind, _ file: String, _ range: Range<Int>? = nil, reason: String? = nil) {
    self.kind = kind
    self.file = file
    start = range?.lowerBound
    end = range?.upperBound
    self.reason = reason
  }

  /// What `error` says of the entry at `entry`; nil unless it is that this user may not read something in it.
  init?(denied error: FileError, in entry: String) {
    guard error.isDenied, case .system(_, let path, let code) = error else { return nil }
    let file = path.hasPrefix(entry + "/") ? String(path.dropFirst(entry.count + 1)) : "."
    self.init(.denied, file, reason: systemMessage(code))
  }

  /// The bytes that are wrong; whole parts of 8 MiB, but for the last of a file.
  package var range: Range<Int>? {
    guard let start, let end, start <= end else { return nil }
    return start..<end
  }
}

extension Damage: CustomStringConvertible {
  /// The file and what is wrong with it.
  public var description: String {
    switch kind {
    case .changed:
      "\(file): bytes \(Figures.grouped(start ?? 0)) to \(Figures.grouped((end ?? 1) - 1)) are not the recorded ones"
    case .longer: "\(file): it goes on after its recorded end, byte \(Figures.grouped(start ?? 0))"
    case .missing: "\(file): it is missing"
    case .extra: "\(file): it is not in the receipt"
    case .unreadable: "\(file): it cannot be read: \(reason ?? "unknown")"
    case .denied:
      "\(file): this user may not read it (\(reason ?? "no permission"))"
    case .misplaced: "\(file): it is of \(reason ?? "another"), and stands under another name"
    case .newer: "\(file): \(reason ?? "written by a newer fmadapter")"
    case .noReceipt: "\(file): it is missing or cannot be read, so the files cannot be verified"
    }
  }
}
