import Adapters
import SystemFiles

/// `sign`: says with a key who made a package.
enum SignCommand {
  private static let packages = Argument(
    "package", "A package's path", arity: .several, completion: .folders)
  private static let key = Option(
    "--key", .file, "The private key, on P-256, P-384 or P-521, in PEM and without a password")

  static let command = Command(
    name: "sign",
    summary: "Sign packages with a key, for others to verify",
    details: [
      """
      Writes model.sig into the package: a signature of every other file by OpenSSF model signing \
      v1, as its own tool makes and verifies it. It travels with the package into stores and \
      catalogs. A signature that is there is replaced; files that are no part of a package are \
      refused. Prints the fingerprint of the key.
      """,
      """
      Make a key with 'openssl ecparam -name prime256v1 -genkey -noout -out key.pem', and its \
      public half with 'openssl pkey -in key.pem -pubout -out key.pub'. Give the latter to those who \
      verify, in another way than with the package.
      """,
    ],
    examples: [
      Example("fmadapter sign my.fmadapter --key key.pem", "Sign a package"),
      Example("fmadapter verify my.fmadapter --key key.pub", "See what others will see"),
    ],
    arguments: [packages],
    options: [key],
    knownElsewhereAs: ["notarize", "attest", "cosign"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    guard let file = arguments.value(key) else {
      throw Failure(
        .usage, "nothing to sign with\(remedy: "name the file of a private key with --key")")
    }
    let key = try PrivateKey(file: file)
    for path in arguments.texts(packages).map(FilePath.trimmed) {
      let bundle = try PackageSignature.bundle(signing: path, with: key)
      try AtomicFile.write(bundle, to: FilePath.join(path, PackageFile.signature))
      terminal.note("signed \(path)")
    }
    terminal.print(key.publicKey.fingerprint)
    return .done
  }
}
