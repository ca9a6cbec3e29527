import Glibc

/// What can be wrong with a file: every case names the file, the place and the remedy.
public enum FileError: Error, Equatable, Sendable {
  /// The system refused an operation on a file; `code` is its `errno`.
  case system(FileOperation, path: String, code: Int32)
  /// The path names something that is not a regular file.
  case notRegular(path: String)
  /// A name in the path is not UTF-8; the path spells those bytes out.
  case notText(path: String)
  /// The file is larger than the program is willing to read; both are bytes.
  case tooLarge(path: String, size: Int, limit: Int)
  /// The file is what Git LFS left in the place of another, which was never downloaded.
  case isPointer(path: String)
  /// The file was written to or cut after it was opened.
  case changed(path: String)
  /// The file ends inside `field`, which starts at byte `offset`.
  case truncated(path: String, offset: Int, field: String, needed: UInt64, left: Int)
  /// The file breaks a rule of its format at byte `offset`.
  case malformed(Malformation, path: String, offset: Int)
}

extension FileError: ExplainedError {
  /// One sentence: the file, the place, what is wrong and what to do about it.
  public var text: ErrorText {
    switch self {
    case .system(.open, "-", let code):
      "-: cannot open the file: \(systemMessage(code))"
        + "\(remedy: "standard input cannot be read here: write it to a file, and give that")"
    case .system(.confirm, let path, let code):
      "\(path): it was changed, and its disk did not confirm that: \(systemMessage(code))"
        + "\(remedy: "check the disk, then do it again")"
    case .system(let operation, let path, let code):
      "\(path): cannot \(operation.rawValue): \(systemMessage(code))" + Self.remedy(code)
    case .notRegular(let path):
      "\(path): not a regular file\(remedy: "give the path of the file itself")"
    case .notText(let path):
      "\(path): a name in it is not UTF-8, as all paths here have to be\(remedy: "rename what is called so")"
    case .tooLarge(let path, let size, let limit):
      "\(path): the file has \(Figures.bytes(size)), more than the limit of \(Figures.grouped(limit)); this is not the file that is meant"
    case .isPointer(let path):
      "\(path): this is a pointer of Git LFS: the file itself was never downloaded"
        + "\(remedy: "fetch it with 'git lfs pull'")"
    case .changed(let path):
      "\(path): the file changed while it was in use"
        + "\(remedy: "let the writer finish, then start again")"
    case .truncated(let path, let offset, let field, let needed, let left):
      "\(path): byte \(Figures.grouped(offset)): the file ends inside \(field), which needs "
        + "\(Figures.bytes(needed)) where \(Figures.grouped(left)) are left"
        + "\(remedy: "copy or download the file again")"
    case .malformed(let malformation, let path, let offset):
      "\(path): byte \(Figures.grouped(offset)): \(malformation.defect)"
    }
  }

  /// What to do where the system has too little of something, whatever the file is for.
  private static func remedy(_ code: Int32) -> ErrorText {
    switch code {
    case ENOSPC: "\(remedy: "free some space, then try again")"
    case EDQUOT: "\(remedy: "the quota is used up: remove something, then try again")"
    case EFBIG:
      "\(remedy: "the file system, or the limit of 'ulimit -f', has no room for a file as large: write elsewhere")"
    case EMFILE, ENFILE:
      "\(remedy: "close some programs, or raise the limit, for one with 'ulimit -n 1024'")"
    case ENOMEM:
      "\(remedy: "end some programs, or raise the limit, for one with 'ulimit -v unlimited'")"
    default: ""
    }
  }
}

extension FileError {
  /// Whether the system refused something; otherwise the file is wrong.
  package var isRefusal: Bool { if case .system = self { true } else { false } }

  /// Whether the file is at fault, rather than what the system had left for this process at the moment.
  package var isOfTheFile: Bool {
    if case .system = self { isDenied } else { true }
  }

  /// Whether this user may not do that with the file.
  package var isDenied: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return code == EACCES || code == EPERM
  }

  /// Whether the change was made, and may be undone by a loss of power: what it took the place of has to stay.
  package var isUnconfirmed: Bool { if case .system(.confirm, _, _) = self { true } else { false } }

  /// Whether nothing stands there.
  package var isMissing: Bool {
    if case .system(_, _, ENOENT) = self { true } else { false }
  }

  /// Whether the disk, or this user's share of it, has no room.
  package var isFull: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return code == ENOSPC || code == EDQUOT
  }

  /// Whether the system was out of memory or descriptors, which says nothing of the file.
  package var isShortage: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return [ENOMEM, EMFILE, ENFILE].contains(code)
  }

  /// The path of the file that the error is about.
  public var path: String {
    switch self {
    case .system(_, let path, _), .notRegular(let path), .notText(let path), .isPointer(let path),
      .changed(let path), .tooLarge(let path, _, _),
      .truncated(let path, _, _, _, _), .malformed(_, let path, _):
      path
    }
  }
}

/// A rule of a format that a file breaks, without the file and the place.
public protocol FormatDefect: ExplainedError, Equatable {}

extension FileError {
  /// A defect of any format.
  public struct Malformation: Equatable, Sendable {
    /// Which rule is broken, in the words of the format.
    public let defect: any FormatDefect

    /// Any defect will do.
    public init(_ defect: some FormatDefect) { self.defect = defect }

    /// Whether both are the same defect of the same format.
    public static func == (left: Malformation, right: Malformation) -> Bool {
      left.defect.isEqual(to: right.defect)
    }
  }
}

extension FormatDefect {
  fileprivate func isEqual(to other: any FormatDefect) -> Bool { other as? Self == self }
}

/// What was asked of the system when it refused; the raw value completes "cannot …".
public enum FileOperation: String, Sendable {
  case open = "open the file"
  case inspect = "inspect the file"
  case map = "map the file into memory"
  case read = "read the file"
  case create = "create the file"
  case write = "write the file"
  case sync = "write the file to its disk"
  /// What was renamed, exchanged or removed is so for everybody, and may be as it was after a loss of power.
  case confirm = "make sure that its disk has the change"
  case rename = "rename the file"
  case exchange = "exchange the two directories"
  case link = "link the file"
  case copy = "copy the file"
  case remove = "remove the file"
  case list = "list the directory"
  case makeDirectory = "create the directory"
  case changeMode = "change the permissions"
  case reserve = "reserve space for the file"
  case cut = "change the length of the file"
  case lock = "lock the file"
  case connect = "open a connection"
}

/// The system's own words for `code`, such as "No such file or directory".
package func systemMessage(_ code: Int32) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let text = buffer.baseAddress,
      unsafe strerror_r(code, text, buffer.count) == 0
    else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
