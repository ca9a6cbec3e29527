import AdapterStore
import Adapters
import FoundationEssentials
import SystemFiles

/// `catalog yank`: versions that nobody should install any more.
enum CatalogYankCommand {
  private static let versions = Argument(
    "version", "A version in it, as NAME@VERSION or IDENTIFIER@VERSION", arity: .several)
  private static let reason = Option(
    "--reason", .text("text"), "Why, as everybody is told who has it or asks for it")
  private static let undo = Flag("--undo", "Take it back")

  static let command = Command(
    name: "yank",
    summary: "Withdraw versions from a catalog's folder, without removing them",
    details: [
      """
      'install' and 'update' pass over a version that is yanked, 'list' and 'doctor' tell those who \
      have it. Its files stay, so that a lock file that names it can be fulfilled. A catalog that is \
      signed needs --sign with its key. Prints the versions.
      """
    ],
    examples: [
      Example(
        "fmadapter catalog yank site playwriting@1.2.0 --reason 'answers in the wrong language'",
        "Withdraw a version"),
      Example("fmadapter catalog yank site playwriting@1.2.0 --undo", "Take that back"),
    ],
    arguments: [CatalogSignCommand.folder, versions],
    options: [reason, undo, CatalogSignCommand.sign, CatalogSignCommand.validity],
    knownElsewhereAs: ["withdraw", "deprecate", "unpublish"],
    action: run)

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (arguments, terminal) = (invocation.arguments, invocation.terminal)
    if arguments.has(undo), arguments.has(reason) {
      throw invocation.conflict("--reason is for a version that is withdrawn, not for --undo")
    }
    let requests = try arguments.texts(versions).map { text in
      guard let request = AdapterRequest(text), request.version != nil else {
        throw Failure(
          .usage,
          "'\(text)' names no version\(remedy: "write NAME@VERSION, such as playwriting@1.2.0")")
      }
      return request
    }
    let publisher = try CatalogSignCommand.publisher(arguments)
    let changed = try publisher.yank(
      requests, for: arguments.has(undo) ? nil : arguments.value(reason) ?? "")
    if changed.isEmpty { terminal.note("nothing was to change") }
    for (identifier, version) in changed { terminal.print("\(identifier)@\(version)") }
    return .done
  }
}

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
