import Testing

@testable import AdapterStore

@Suite struct RegistryChallengeTests {
  private static let cases: [([String], RegistryChallenge?)] = [
    ([], nil), ([""], nil), (["Negotiate"], nil), (["Bearer"], nil), (["Bearer realm=\"open"], nil),
    (["Basic realm=\"x, Bearer realm=y\""], .basic), (["basic"], .basic),
    (
      [
        "Bearer realm=\"https://h/t\",service=\"s\",scope=\"repository:a:pull,push repository:b:pull\""
      ],
      .bearer(
        realm: "https://h/t", service: "s",
        scopes: ["repository:a:pull,push", "repository:b:pull"])
    ),
    (
      ["Basic realm=x, BEARER Realm = https://h/t"],
      .bearer(realm: "https://h/t", service: nil, scopes: [])
    ),
    (
      [
        "Negotiate", "Basic realm=\"a\"",
        "Bearer realm=\"https://h/\\\"t\", error=\"insufficient_scope\"",
      ],
      .bearer(realm: "https://h/\"t", service: nil, scopes: [])
    ),
  ]

  @Test(arguments: cases)
  func fieldsAreRead(_ fields: [String], _ challenge: RegistryChallenge?) {
    #expect(RegistryChallenge(fields) == challenge)
  }
}
