import CCurl
import TensorFiles

/// The libcurl that this program runs with.
package enum CurlLibrary {
  /// The oldest version that can be told which schemes it may use: 7.85.
  static let floor: UInt32 = 0x075500

  /// Such as `7.88.1`.
  package static var version: String {
    guard let info = unsafe curl_version_info(CURLVERSION_TENTH),
      let text = unsafe info.pointee.version
    else { return "unknown" }
    return unsafe String(cString: text)
  }

  /// Whether the file of certificate authorities is there that libcurl takes when it is told no other.
  static let hasAuthorityFile: Bool = {
    guard let info = unsafe curl_version_info(CURLVERSION_TENTH),
      let path = unsafe info.pointee.cainfo
    else { return false }
    return ((try? FileSystem.info(unsafe String(cString: path))) ?? nil) != nil
  }()

  /// What is wrong with it, after preparing it for use; nil when nothing is.
  package static let defect: String? = {
    let number = unsafe curl_version_info(CURLVERSION_TENTH)?.pointee.version_num ?? 0
    if let defect = defect(version: version, number: number) { return defect }
    let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    return isReady ? nil : "libcurl \(version) cannot be started"
  }()

  static func defect(version: String, number: UInt32) -> String? {
    number >= floor
      ? nil
      : "libcurl \(version) is too old: 7.85 or later is needed; update the package libcurl4"
  }
}
