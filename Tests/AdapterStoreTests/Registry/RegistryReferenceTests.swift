import Testing

@testable import AdapterStore

@Suite struct RegistryReferenceTests {
  private static let digest = String(repeating: "0a", count: 32)

  @Test(
    arguments: [
      ("oci://ghcr.io/you/tagging", "ghcr.io", "you/tagging", nil, nil, "latest"),
      ("oci://localhost:5000/a:1.2.0", "localhost:5000", "a", "1.2.0", nil, "1.2.0"),
      ("oci://[::1]:5000/a__b/c-d", "[::1]:5000", "a__b/c-d", nil, nil, "latest"),
      ("oci://HOST/a@sha256:\(digest)", "host", "a", nil, digest, "sha256:\(digest)"),
      ("oci://host/a:x@sha256:\(digest)", "host", "a", "x", digest, "sha256:\(digest)"),
    ] as [(String, String, String, String?, String?, String)])
  func placesAreTakenApart(
    _ text: String, _ host: String, _ repository: String, _ tag: String?, _ digest: String?,
    _ manifest: String
  ) throws {
    let reference = try RegistryReference(text)
    #expect(reference.host == host && reference.repository == repository)
    #expect(reference.tag == tag && reference.digest == digest)
    #expect(reference.manifest == manifest)
    #expect(try RegistryReference(reference.description) == reference)
  }

  @Test(arguments: [
    "oci:host/a", "oci://host", "oci://host/", "oci:///a", "oci://me:pw@host/a", "oci://host/A",
    "oci://host/a//b", "oci://host/../a", "oci://host/a:", "oci://host/a:-x", "oci://host/a?x",
    "oci://host/a@", "oci://host/a@sha256:12", "oci://host/a@sha512:\(digest)\(digest)",
    "oci://ho st/a", "oci://host#x/a", "oci://host/\(String(repeating: "a", count: 256))",
    "oci://host/a:\(String(repeating: "1", count: 129))", "oci://host/a\n",
  ])
  func whatIsNoPlaceIsRefused(_ text: String) {
    let error = #expect(throws: StoreError.self) { try RegistryReference(text) }
    #expect(error?.code == .registry && error?.description.contains("pw@") == false)
  }

  @Test func dockersHubAnswersUnderAnotherName() throws {
    #expect(try RegistryReference("oci://docker.io/you/a").server == "registry-1.docker.io")
    #expect(try RegistryReference("oci://127.0.0.1:5000/a").isLoopback)
    #expect(try !RegistryReference("oci://10.0.0.1:5000/a").isLoopback)
  }
}
