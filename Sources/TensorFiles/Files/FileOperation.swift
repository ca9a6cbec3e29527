import Glibc

/// What was asked of the system when it refused; the raw value completes "cannot …".
public enum FileOperation: String, Sendable {
  case open = "open the file"
  case inspect = "inspect the file"
  case map = "map the file into memory"
  case read = "read the file"
  case create = "create the file"
  case write = "write the file"
  case sync = "write the file to its disk"
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
