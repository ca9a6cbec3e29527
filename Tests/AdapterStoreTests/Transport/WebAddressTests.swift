import SystemFiles
import Testing

@testable import AdapterStore

@Suite struct WebAddressTests {
  @Test(arguments: [
    ("https://Example.com/a?secret=1", "https://example.com", "https://example.com/a?secret=***"),
    ("https://example.com:443/", "https://example.com", "https://example.com/"),
    ("https://example.com:8443/b", "https://example.com:8443", "https://example.com:8443/b"),
    ("http://[::1]:80/", "http://[::1]", "http://[::1]/"),
  ])
  func tellsOrigins(text: String, origin: String, shown: String) {
    #expect(WebAddress(text)?.origin == origin)
    #expect(WebAddress(text)?.shown == shown)
  }

  @Test(arguments: [
    ("https://h/a.gguf?download=true&rev=main", "https://h/a.gguf?download=true&rev=main"),
    ("https://me:p4ss@h/a", "https://***@h/a"), ("https://me@h:1/a?b", "https://***@h:1/a?b"),
    ("https://me:pa/ss@h/a", "https://***@h/a"), ("https://me:p@ss@h/a", "https://***@h/a"),
    ("https://h:443/@scope/a", "https://h:443/@scope/a"),
    ("http://[::1]:80/a", "http://[::1]:80/a"),
    (
      "https://s3/b/a?X-Amz-Algorithm=A&X-Amz-Date=2&X-Amz-Expires=60&X-Amz-Signature=ff&part=1",
      "https://s3/b/a?X-Amz-Algorithm=***&X-Amz-Date=***&X-Amz-Expires=***&X-Amz-Signature=***&part=1"
    ),
    (
      "https://x.blob/a?sv=2024&se=2026&sr=b&sp=r&sig=a%2Bb%3D",
      "https://x.blob/a?sv=***&se=***&sr=***&sp=***&sig=***"
    ),
    (
      "https://cdn/a?Expires=1&Signature=x~_&Key-Pair-Id=K2",
      "https://cdn/a?Expires=***&Signature=***&Key-Pair-Id=***"
    ),
    ("https://h/a?Expires=1&sv=2", "https://h/a?Expires=1&sv=2"),
    ("https://h/a?access_token=x&b=1", "https://h/a?access_token=***&b=1"),
    ("https://h/a?authToken=x;API-KEY=y", "https://h/a?authToken=***;API-KEY=***"),
    ("https://h/a?X%2DAmz%2DSignature=f", "https://h/a?X%2DAmz%2DSignature=***"),
    ("https://h/a?t=hf_abcdefghijklmnop", "https://h/a?t=***"),
    ("https://h/a?0123456789abcdef0123", "https://h/a?***"), ("https://h/a?raw", "https://h/a?raw"),
    ("https://h/a#access_token=x", "https://h/a#access_token=***"),
    ("https://h/t/glpat-ABCDEFGHIJKLMNOP/a", "https://h/t/***/a"),
    ("https://h/a;jsessionid=7/b;v=1", "https://h/a;jsessionid=***/b;v=1"),
    ("https://h/?u=https%3A%2F%2Fme%3Apw%40g%2F", "https://h/?u=***"),
    ("https://h/a?pw=x&pin=1&passcode=2", "https://h/a?pw=***&pin=***&passcode=***"),
    ("https://h/a?cred=x&creds=y&tok=z&tk=1", "https://h/a?cred=***&creds=***&tok=***&tk=***"),
    (
      "https://h/a?refresh=x&private=y&license=z", "https://h/a?refresh=***&private=***&license=***"
    ),
    ("https://h/a?hash=x&hmac=y&policy=z", "https://h/a?hash=***&hmac=***&policy=***"),
    ("https://h/a?hdnea=exp=1~hmac=x&hdnts=y&sas=z", "https://h/a?hdnea=***&hdnts=***&sas=***"),
    ("https://h/a?spin=1&shashlik=2&network=3", "https://h/a?spin=1&shashlik=2&network=3"),
    ("https://h/?token=", "https://h/?token="), ("/srv/token=a", "/srv/token=a"), ("", ""),
  ])
  func whatLooksLikeACredentialIsMasked(text: String, shown: String) {
    #expect(WebAddress.shown(text) == shown)
    #expect(WebAddress.shown(shown) == shown, "what is masked stays as it is")
  }

  @Test(arguments: [
    ("https://h/a?NAME=1", "https://h/a?NAME=2"),
    ("https://h/a?b=1&NAME=1", "https://h/a?b=1&NAME=2"),
    ("https://h/a;NAME=1", "https://h/a;NAME=2"), ("https://h/a#NAME=1", "https://h/a#NAME=2"),
    ("https://h/a?NAME=1&sig=2&se=3", "https://h/a?NAME=2&sig=3&se=4"),
  ])
  func addressesThatAreShownAlikeAreToldApart(_ one: String, _ other: String) {
    let names = [
      "hash", "key", "code", "session", "license", "pin", "token", "pw", "auth", "login", "nonce",
    ]
    for name in names {
      let (one, other) = (one.replacing("NAME", with: name), other.replacing("NAME", with: name))
      #expect(WebAddress.shown(one) == WebAddress.shown(other), "\(one)")
      #expect(WebAddress.key(one) != WebAddress.key(other), "\(one)")
      #expect(WebAddress.identity(one) != WebAddress.identity(other), "\(one)")
      #expect(WebAddress.identity(ofShown: WebAddress.shown(one)) == nil, "\(one)")
    }
  }

  @Test(arguments: [
    ("https://h/a?sig=1", "https://h/a?sig=2"),
    ("https://h/a?signature=1", "https://h/a?signature=2"),
    ("https://h/a?policy=1&exp=2", "https://h/a?policy=2&exp=2"),
    ("https://h/a?0123456789abcdef0123", "https://h/a?0123456789abcdef0124"),
    ("https://h/t/glpat-ABCDEFGHIJKLMNOP/a", "https://h/t/glpat-ABCDEFGHIJKLMNOQ/a"),
    ("https://h/a?X-Amz-Signature=1&part=1", "https://h/a?X-Amz-Signature=1&part=2"),
    ("https://h/a", "https://h/b"), ("https://h/a", "http://h/a"), ("/srv/a", "/srv/b"),
    ("hf:a/b", "hf:a/c"),
  ])
  func whatIsNoSignatureOfAServiceCounts(_ one: String, _ other: String) {
    #expect(WebAddress.identity(one) != WebAddress.identity(other))
  }

  /// As storage services give them out anew each time.
  @Test(arguments: [
    (
      "https://s3/b/a?X-Amz-Algorithm=A&X-Amz-Date=2&X-Amz-Signature=ff&part=1",
      "https://s3/b/a?X-Amz-Algorithm=A&X-Amz-Date=3&X-Amz-Signature=fe&part=1"
    ),
    (
      "https://s3/a?AWSAccessKeyId=A&Expires=1&Signature=x",
      "https://s3/a?AWSAccessKeyId=A&Expires=2&Signature=y"
    ),
    (
      "https://x.blob/a?sv=2024&se=2026&sr=b&sp=r&sig=a",
      "https://x.blob/a?sv=2024&se=2027&sr=b&sp=r&sig=b"
    ),
    (
      "https://cdn/a?Expires=1&Signature=x~_&Key-Pair-Id=K2",
      "https://cdn/a?Expires=2&Signature=y&Key-Pair-Id=K3"
    ),
    (
      "https://cdn/a?Policy=x&Signature=x&Key-Pair-Id=K2",
      "https://cdn/a?Policy=y&Signature=y&Key-Pair-Id=K2"
    ),
  ])
  func aFreshSignatureLeadsToTheSamePlace(_ one: String, _ other: String) {
    #expect(WebAddress.identity(one) == WebAddress.identity(other))
    #expect(WebAddress.identity(ofShown: WebAddress.shown(one)) == WebAddress.identity(other))
  }

  @Test(arguments: [
    ("https://models.example:8443/a?key=hunter2", "models-example-8443-"),
    ("https://me:hunter2@h/a", "h-"), ("https://h/hunter2?token=hunter2", "h-"),
    ("hf:owner/hunter2", "hf-"), ("/srv/hunter2", "file-"),
  ])
  func anIdentitySaysWhoAndNothingElse(_ text: String, _ slug: String) {
    let identity = WebAddress.identity(text)
    #expect(identity.hasPrefix(slug) && identity.utf8.count == slug.utf8.count + 32)
    #expect(!identity.contains("hunter2"))
  }

  /// Downloads that an earlier program has begun are found.
  @Test func theKeyOfAPlainAddressIsItsDigest() {
    let text = "https://h/a.gguf?download=true"
    #expect(WebAddress.key(text) == String(SHA256.hex(Array(text.utf8)).prefix(32)))
  }

  @Test(arguments: [
    ("https://h/a?sig=1: not found (404); look", "https://h/a?sig=***: not found (404); look"),
    ("(http://me:x@h/a), then 'https://g/?key=1'.", "(http://***@h/a), then 'https://g/?key=***'."),
    ("nothing: //here", "nothing: //here"),
  ])
  func addressesInASentenceAreMasked(text: String, shown: String) {
    #expect(WebAddress.shown(in: text) == shown)
  }

  @Test(arguments: [
    ("HF_TOKEN", "x"), ("HUGGING_FACE_HUB_TOKEN", "x"), ("FMADAPTER_TOKEN", "x"),
    ("OPENAI_API_KEY", "x"), ("AWS_SECRET_ACCESS_KEY", "x"), ("AWS_ACCESS_KEY_ID", "x"),
    ("githubToken", "x"), ("PGPASSWORD", "x"), ("MYSQL_PWD", "x"), ("SSHPASS", "x"),
    ("GITHUB_PAT", "x"), ("SSH_AUTH_SOCK", "/run/x"), ("GOOGLE_APPLICATION_CREDENTIALS", "/a"),
    ("DATABASE_URL", "postgres://me:x@host/db"), ("https_proxy", "http://me:x@proxy:3128"),
    ("NPM_CONFIG", "_password=abc12345"), ("ANY", "ghp_0123456789abcdefABCD"),
  ])
  func aVariableLooksLikeACredential(name: String, value: String) {
    #expect(WebAddress.isCredential(variable: name, value))
  }

  @Test(arguments: [
    ("PWD", "/home/me"), ("OLDPWD", "/"), ("PATH", "/usr/bin:/bin"), ("HOME", "/home/me"),
    ("TOKENIZERS_PARALLELISM", "false"), ("XDG_SESSION_ID", "3"), ("DESKTOP_SESSION", "gnome"),
    ("LM_LICENSE_FILE", "/opt/license.dat"), ("https_proxy", "http://proxy:3128"),
    ("LS_COLORS", "rs=0:di=01;34:ln=01;36"), ("HF_HOME", "/data/hf"), ("LANG", "C.UTF-8"),
    ("FMADAPTER_HOME", "/data/fmadapter"), ("SSH_TTY", "/dev/pts/1"), ("KEYBOARD_LAYOUT", "de"),
  ])
  func aVariableLooksLikeNone(name: String, value: String) {
    #expect(!WebAddress.isCredential(variable: name, value))
  }

  @Test(arguments: [
    ("https://h/a/model.gguf?sig=1", "model.gguf"), ("file:///model.gguf", "model.gguf"),
    ("https://h/name.fmadapter/", "name.fmadapter"), ("https://h", "base"),
    ("https://h/?f=a/b", "base"), ("https://h/a%2Fb%20c", "ab c"),
  ])
  func theNameOfAFileHasNoSecrets(address: String, name: String) {
    #expect(WebAddress.fileName(address) == name)
  }

  @Test func whatWasMaskedIsNotFetched() throws {
    let address = try #require(WebAddress("https://h/a?sig=***"))
    #expect(
      address.refusal(TransportPolicy())?.description
        == "the signature or token of this address was not kept; install again from a fresh address"
    )
  }

  @Test(arguments: [
    "", "example.com/x", "/path", "https://", "https://a b/", "https://a\r\nb/", "https://h:99999/",
    "https://h/\u{7F}", "http//x", "https:///x.gguf", "https:/x.gguf", "https:x.gguf",
    "https://?x", "https://\\h/x",
  ])
  func refusesWhatIsNoAddress(text: String) {
    #expect(WebAddress(text) == nil)
  }

  @Test(arguments: [
    ("https://example.com/", true, true), ("http://example.com/", false, true),
    ("http://127.0.0.1/", true, true), ("http://127.8.9.10:81/", true, true),
    ("http://localhost/", true, true), ("http://[::1]/", true, true),
    ("http://127.0.0.1.example.com/", false, true), ("http://localhost.example.com/", false, true),
    ("http://128.0.0.1/", false, true), ("http://0.0.0.0/", false, true),
    ("http://2130706433/", true, true), ("file:///etc/passwd", false, false),
    ("ftp://127.0.0.1/", false, false), ("gopher://127.0.0.1/", false, false),
    ("https://me:secret@example.com/", false, false), ("https://me@example.com/", false, false),
  ])
  func mayBeFetched(text: String, usually: Bool, withHTTP: Bool) {
    var policy = TransportPolicy()
    #expect((WebAddress(text)?.refusal(policy) == nil) == usually)
    policy.allowsHTTP = true
    #expect((WebAddress(text)?.refusal(policy) == nil) == withHTTP)
  }

  @Test func oldLibrariesAreNamed() {
    #expect(CurlLibrary.defect(version: "7.85.0", number: 0x075500) == nil)
    #expect(
      CurlLibrary.defect(version: "7.84.0", number: 0x075400)
        == "libcurl 7.84.0 is too old: 7.85 or later is needed; update the package libcurl4")
    #expect(CurlLibrary.defect == nil)
  }

  @Test(arguments: [
    ("a/b", "a/b"), ("%41%c3%A9", "Aé"), ("100%25", "100%"), ("%", nil), ("%4", nil), ("%4g", nil),
    ("%+1", nil), ("%ff", nil), ("é%20", "é "), ("", ""),
  ])
  func escapesStandForBytes(text: String, plain: String?) {
    #expect(text.percentDecoded == plain)
  }
}
