import FoundationEssentials
import Kernels
import SystemFiles

/// What the store needs of the system, and what there is.
struct SystemFacts: Sendable {
  var facts: [DoctorFact] = []
  var diagnoses: [Diagnosis] = []

  /// This system's.
  static func current(environment: [String: String]) -> SystemFacts {
    var system = SystemFacts()
    system.facts.append(DoctorFact(name: "processor", value: CPUVariant.current.rawValue))
    let processors = WorkerPool.processors
    system.facts.append(
      DoctorFact(
        name: "processors", value: "\(processors)", numbers: ["processors": processors]))
    system.addLibrary(version: CurlLibrary.version, defect: CurlLibrary.defect)
    system.addCertificates(environment)
    return system
  }

  mutating func addLibrary(version: String, defect: String?) {
    facts.append(DoctorFact(name: "libcurl", value: version))
    guard let defect else { return }
    diagnoses.append(
      Diagnosis(
        "libcurl.unusable", .system, "libcurl", "Nothing can be downloaded: \(defect).",
        remedy: "Update the system's libcurl, then run this again."))
  }

  /// Files in which systems keep the certificates that they trust.
  static let certificateFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  private mutating func addCertificates(_ environment: [String: String]) {
    let stated = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap { environment[$0] }.first {
      !$0.isEmpty
    }
    let candidates = stated.map { [$0] } ?? Self.certificateFiles
    let found = candidates.first { path in
      ((try? FileReader(path: path))?.size ?? 0) > 0
    }
    if let found {
      facts.append(DoctorFact(name: "certificates", value: found))
    } else {
      diagnoses.append(
        Diagnosis(
          "certificates.missing", .system, candidates[0],
          "There are no certificates, so no https server can be trusted.",
          remedy: stated == nil
            ? "Install the package ca-certificates."
            : "Let CURL_CA_BUNDLE or SSL_CERT_FILE name a file of certificates, or unset it."))
    }
  }
}
