import AdapterStore
import AdapterTraining
import Adapters
import ChatTemplates
import Foundation
import Interchange
import LanguageModels
import SystemFiles
import TestSupport
import Testing

@testable import fmadapter

/// What the command says where a library has no options to name.
@Suite struct HintTests {
  @Test(
    arguments: [
      (.noAdapter("x", known: []), "install one with 'fmadapter install NAME'"),
      (.noBase("x", known: []), "install one with 'fmadapter base install PATH'"),
      (.noCurrentBase(installed: 2), "choose one with 'fmadapter base use NAME'"),
      (.noAdapter("x", known: ["a", "b"]), "there are: a, b"),
      (.noCatalog("x", known: []), "add it with 'fmadapter catalog add ADDRESS'"),
      (.notInCatalogs("x", known: []), "'fmadapter catalog add ADDRESS' adds a catalog"),
      (
        .noSource(path: "llama"),
        "give the path of a package folder or of a base; 'fmadapter base list --suggest' names models to begin with"
      ),
      (
        .noSource(path: "org/model"),
        "give the path of a package folder or of a base; for a model of the Hugging Face Hub write hf:org/model"
      ),
      (.noSource(path: "/p"), "give the path of a package folder or of a base"),
      (
        .invalidBase(path: "/p", reason: "it has no layers"),
        "'fmadapter base list --suggest' names some that can"
      ),
      (.invalidBase(path: "/p", reason: "it is one\(remedy: "leave it out")"), "leave it out"),
      (
        .invalidBase(path: "/p", reason: "\(BaseModelError.isAdapter(file: "/p"))"),
        "'fmadapter import' makes a package of it"
      ),
      (.incompatible("x", reason: "none"), "'fmadapter base use NAME' chooses another base"),
      (
        .olderVersion("a", installed: "2.0.0", offered: "1.0.0"),
        "to go back, name the version: 'fmadapter install a@1.0.0'"
      ),
      (.olderPackage("a", installed: "2.0.0", offered: "1.0.0"), "to go back, say --force"),
      (
        .otherSigner("a", installed: "1.0.0", keys: ["aa"], offered: "2.0.0", isSigned: false),
        "ask its publisher for one that is; to take it all the same, give its own key with "
          + "'fmadapter install --require-signed', or say 'fmadapter remove a' first"
      ),
      (.changedOffer("a", catalog: "c", version: "1"), "ask there before you take it with --force"),
      (
        .otherPublication("a", directory: "/d"),
        "publish it as a new version, or replace the old one with --replace"
      ),
      (
        .changedBytes(url: "https://h/f", file: "f", installed: "aa", offered: "bb"),
        "find out which is right, and take the new one with --force"
      ),
      (
        .otherBase(signature: "ab", installed: "a", offered: "b", isClaim: false),
        "to replace the one by the other, say --replace"
      ),
      (.severalCatalogs("a", catalogs: ["/x"]), "choose one with --catalog ADDRESS"),
      (
        .unverified(url: "https://h/f", isOneFile: true),
        "give its digest with --sha256, or leave out --require-digest"
      ),
      (
        .unverified(url: "https://h/f", isOneFile: false),
        "ask its publisher for a SHA256SUMS beside the files, or leave out --require-digest"
      ),
      (
        .unknownVersion("a", path: "/p"),
        "mend it with 'fmadapter doctor --fix', or take it away with 'fmadapter remove a'"
      ),
      (
        .catalogLost("file:///p/index.json", .noIndex(path: "/p/index.json")),
        "publish packages there, or check the path; if the catalog /p/index.json has moved, add its new address with "
          + "'fmadapter catalog add ADDRESS', and take the old one away with 'fmadapter catalog remove /p/index.json'"
      ),
      (
        .appleDraft(package: "/p"),
        "make one for here with 'fmadapter draft build', or give a small GGUF model with 'fmadapter run --draft'"
      ),
      (
        .uncompilable(package: "/p", reason: "it is broken"),
        "'fmadapter check' names all that is wrong with it"
      ),
      (.hub(.noBase("\(HubContent.adapter)"), page: "p"), "'fmadapter install' takes that"),
      (.hub(.noPackage("\(HubContent.base)"), page: "p"), "'fmadapter base install' takes that"),
      (
        .hub(.noBase("\(HubContent.peft)"), page: "p"),
        "download its folder, and 'fmadapter import' makes a package of it"
      ),
      (
        .hub(.noBase("\(HubContent.fixedType)"), page: "p"),
        "leave --type out; 'fmadapter base quantize' makes a file smaller"
      ),
      (.damaged(path: "/p", reason: "it changed"), "install it again"),
    ] as [(StoreError, String)])
  func errorsOfTheStore(_ error: StoreError, _ remedy: String) {
    #expect(error.inCommand.remedy == remedy)
    #expect(error.inCommand.problem == error.text.problem)
  }

  private static let formats = "with --chat-format (afm, chatml, llama2, llama3, gemma, phi3)"
  private static let withBase = "give the base that it was trained on with --base"
  private static let force = "give another path, or --force to replace it"

  @Test(
    arguments: [
      (
        ChatDefect.noTemplate(file: "m"),
        "name a format \(formats), or let it continue a text with run --raw"
      ),
      (ChatDefect.missingMark(.chatML, mark: "<s>"), "name another one \(formats)"),
      (
        DataSetError.rendering(.missingAnswer(index: 0), line: 1), "name a format \(formats)"
      ),
      (AdapterError.exists(path: "/p"), force), (DataSetError.exists(path: "/p"), force),
      (InterchangeError.exists(path: "/p"), force),
      (TrainingError.package(.exists(path: "/p")), force),
      (
        DataSetError.isDataSet(path: "/p"),
        "'fmadapter data check' tells whether it can be trained on, and --skip leaves out lines with errors"
      ),
      (
        DataSetError.isDataSet(path: "/p", skips: true),
        "'fmadapter data check' tells whether it can be trained on"
      ),
      (
        EvaluationError.data(.noExample(path: "/p", line: 1)),
        "'fmadapter data check' names lines that cannot be read"
      ),
      (
        DataSetError.unknownForm(path: "/p", keys: ["a"]),
        "name the one that asks and the one that answers: --prompt NAME --answer NAME"
      ),
      (
        DataSetError.unusedName(path: "/p", name: "x", used: ["a"]),
        "give both --prompt and --answer, or neither"
      ),
      (
        DataSetError.table(path: "/p", line: 1, .notText),
        "save the file as UTF-8, or name its encoding with --encoding"
      ),
      (TrainingError.nothingToLearn, "see 'fmadapter data check'"),
      (
        TrainingError.checkpoint(path: "/p", problem: "it is cut"),
        "start anew with --force in the place of --resume"
      ),
      (InterchangeError.isPackage(path: "/p"), "'fmadapter install' takes it as it is"),
      (
        InterchangeError.otherArchitecture(path: "/p", found: "a", expected: "b"), withBase
      ),
      (
        InterchangeError.unmatchedTensor(path: "/p", tensor: "t", reason: "none"),
        withBase + ", or an adapter of projections alone"
      ),
      (InterchangeError.rankTooLarge(9, limit: 8), "cut them with --rank"),
      (
        InterchangeError.base(.base(.isBase, file: "/p")),
        "'fmadapter base install' takes it as it is"
      ),
      (
        BaseModelError.base(.outsideHalves(tensor: "t", index: 1), file: "/p"),
        "say --type bf16 or f32"
      ),
      (
        BaseModelError.isImportanceMatrix(file: "/p"),
        "give the base, and this to 'fmadapter base quantize' as --imatrix"
      ),
      (
        BaseModelError.contextExceeded(limit: 8, needed: 9),
        "shorten the prompt, or take a base with a longer context"
      ),
      (
        BaseModelError.damagedTiles(file: "/p", offset: 1),
        "'fmadapter compile --base' makes it anew"
      ),
      (
        BaseModelError.nonFiniteLogits(file: "/p", position: 1),
        "install it again, or convert it with --type bf16 or f32"
      ),
      (
        BaseModelError.diverged(adapters: ["a"], position: 1),
        "'fmadapter check' shows where; where it finds nothing, 'fmadapter verify' looks for damage of the base"
      ),
      (
        BaseModelError.importance(.noEntries, file: "/p"),
        "make it again with 'fmadapter base imatrix'"
      ),
      (
        BaseModelError.importance(.missingEntry("t"), file: "/p"), "make one from this base"
      ),
      (
        BaseModelError.draft(.larger(parameters: 2, base: 1), file: "/p"),
        "use a smaller one, or none with --draft off"
      ),
    ] as [(any ExplainedError, String)])
  func otherErrors(_ error: any ExplainedError, _ remedy: String) {
    #expect(error.inCommand.remedy == remedy)
    #expect(Failure(error).text.remedy == remedy)
    #expect(error.remedy?.contains("fmadapter ") == false && error.remedy?.contains("--") == false)
  }

  @Test(arguments: [
    (
      "suffixes.size", "Copy the file again, build it anew, or remove it.",
      "Copy the file again, build it anew with 'fmadapter draft build', or remove it."
    ),
    (
      "suffixes.vocabulary", "Build the file anew over this base, or remove it.",
      "Build the file anew with 'fmadapter draft build' over this base, or remove it."
    ),
    (
      "file.empty", "Give its examples as JSON, one a line, or convert its records from CSV.",
      "Give its examples as JSON, one a line, or its records as CSV to 'fmadapter data convert'."
    ),
    (
      "file.empty", "Make a data set of a table, or of JSON over several lines, by converting it.",
      "Make a data set of a table, or of JSON over several lines, with 'fmadapter data convert'."
    ),
    (
      "file.empty", "Make a data set of it by converting it from its encoding.",
      "Make a data set of it with 'fmadapter data convert --encoding NAME'."
    ),
    (
      "example.form", "The line is a list of examples.",
      "The line is a list of examples; 'fmadapter data convert' writes each on a line."
    ),
    (
      "receipt.missing", "Install demo again.",
      "Install demo again; 'fmadapter doctor --fix' writes the receipt anew where something still vouches for the "
        + "bytes, and moves them to lost+found where nothing does."
    ),
    (
      "receipt.missing", "Install it again to be able to verify it.",
      "Install it again to be able to verify it."
    ),
    (
      "entry.damaged", "Mend it, or install demo again.",
      "Mend it with 'fmadapter verify --repair', or install demo again."
    ),
    (
      "entry.damaged", "Compile it again; a repair removes it.",
      "Run 'fmadapter compile' again; 'fmadapter verify --repair' removes it."
    ),
    (
      "base.unreadable", "Install the base again.",
      "Install the base again; 'fmadapter doctor' says more."
    ),
    ("orphan.compiled", "Remove it.", "Remove it with 'fmadapter prune'."),
  ])
  func findings(_ rule: String, _ library: String, _ command: String) {
    #expect(FindingHint.words(library, rule) == command)
  }

  /// The remedies of the rules for data as the command has them.
  @Test(arguments: [
    (
      DataRule.byteOrderMark,
      "Save the file as UTF-8 without a byte order mark, as 'fmadapter data convert' does."
    ),
    (
      .encoding, "Save the file as UTF-8; 'fmadapter data convert --encoding NAME' reads others."
    ),
    (
      .json,
      "Write one JSON value a line, with every line end inside a text as \\n; 'fmadapter data convert' does so with values over several lines, or several on one."
    ),
    (
      .form,
      "Write a list of messages, or an object with messages, with prompt and completion, with prompt, chosen and rejected, or with text; 'fmadapter data convert' makes such lines of other keys."
    ),
    (
      .notToLearn,
      "Remove the line, as 'fmadapter data convert' does; or rename the key, where it says something else."
    ),
    (
      .messageShape,
      "Write each message as {\"role\": …, \"content\": …}; 'fmadapter data convert' makes a data set of a list of other objects."
    ),
    (
      .role,
      "Use system, user, assistant or tool, as 'fmadapter data convert' does with human, gpt and developer."
    ),
    (
      .content,
      "Write the content as one string, as 'fmadapter data convert' does with parts of text."
    ),
    (
      .toolMarks,
      "Write tools, tool_calls and messages of the tool instead, as 'fmadapter data convert' makes them of such texts."
    ),
    (
      .unlearntEnd,
      "Use a base that has what ends an answer as a token, or give the format that it has one for with --chat-format."
    ),
    (
      .missingOfPair,
      "Give prompt, chosen and rejected; 'fmadapter data convert' finds the prompt in whole conversations."
    ),
    (
      .leakedExample,
      "Remove it from one of the files; fmadapter data split keeps equal examples together."
    ),
    (
      .leakedTemplate,
      "Hold out other wordings, as fmadapter data split does where there are any; what is measured on these says little."
    ),
    (.record, "Correct the record, or leave it out with 'fmadapter data convert --skip'."),
  ])
  func rulesForData(_ rule: DataRule, _ remedy: String) {
    #expect(FindingHint.words(rule.remedy, rule.rawValue) == remedy)
    #expect(!rule.remedy.contains("fmadapter"))
  }

  /// Who calls a library has neither the command nor its options.
  @Test func librariesNameNoCommandAndNoOption() throws {
    let sources = Fixtures.repository.appendingPathComponent("Sources").path
    // The name of a voucher in receipts.
    let known = ["  case user = \"--sha256\""]
    for file in try FileManager.default.subpathsOfDirectory(atPath: sources)
    where file.hasSuffix(".swift") && !file.hasPrefix("fmadapter/") {
      let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
      for line in text.split(separator: "\n").map(String.init)
      where !line.drop(while: \.isWhitespace).hasPrefix("//") && !known.contains(line) {
        #expect(!line.contains("'fmadapter "), "\(file): \(line)")
        #expect(!line.contains(/"[^"]*--[a-z]/), "\(file): \(line)")
      }
    }
  }
}
