import AdapterStore
import FoundationEssentials
import SystemFiles

/// `catalog sign`: makes a catalog's folder one that nobody can change unseen.
enum CatalogSignCommand {
  static let folder = Argument("folder", "The catalog's folder", completion: .folders)
  static let sign = Option(
    "--sign", .file, "Sign the catalog with the private key in this file")
  static let validity = Option(
    "--valid-for", .age, "How long a signed catalog is believed (default: 90d)")

  static let command = Command(
    name: "sign",
    summary: "Sign the index of a catalog's folder, or prolong that",
    details: [
      """
      Writes index.signed.json: the index with a serial number, the time until which it is good, and \
      the signature. It is renewed when half of its time is over, so run this, or 'fmadapter publish \
      --sign', more often than that. Readers who have the key ('fmadapter catalog add ADDRESS --key \
      FILE') believe nothing else; the others read index.json as before. Prints the end of its time.
      """
    ],
    examples: [
      Example("fmadapter catalog sign site --sign key.pem", "Sign a folder"),
      Example("fmadapter catalog sign site --sign key.pem --valid-for 14d", "For two weeks"),
    ],
    arguments: [folder],
    options: [sign, validity],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let arguments = invocation.arguments
    guard arguments.has(sign) else {
      throw Failure(
        .usage, "nothing to sign with\(remedy: "name the file of a private key with --sign")")
    }
    let publisher = try publisher(arguments)
    guard let issue = try publisher.signIndex() else { preconditionFailure("it has a key") }
    invocation.terminal.note("signed as number \(issue.serial)")
    invocation.terminal.print(issue.expires.ISO8601Format())
    return .done
  }

  /// Who changes the index of the folder that was given.
  static func publisher(_ arguments: ParsedArguments) throws -> CatalogPublisher {
    var publisher = CatalogPublisher(directory: arguments.required(folder))
    publisher.signer = try arguments.value(sign).map(PrivateKey.init(file:))
    if let age = arguments.value(validity) { publisher.validity = age.inSeconds }
    return publisher
  }
}
