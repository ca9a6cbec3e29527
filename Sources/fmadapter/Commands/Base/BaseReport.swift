import AdapterStore
import Adapters
import ChatTemplates
import Kernels
import LanguageModels
import SystemFiles
import TensorFiles
import Tokenization

/// What a base's file says about itself.
struct BaseReport: Encodable {
  let path: String
  /// What commands call it.
  let name: String
  /// What the file calls the model.
  let title: String?
  let signature: String
  /// Whether the file states its signature, so that it may be no more than a claim.
  let signatureIsStated: Bool
  /// The signature that its contents have; nil where nobody has looked, which takes reading all of it.
  let contentSignature: String?
  /// Whether it is no more than a claim.
  let signatureIsClaim: Bool
  /// Whether it was fetched, and nothing vouched for its bytes.
  let unverified: Bool
  let architecture: String
  let layers: Int
  let sharedKeyValueLayers: Int
  let width: Int
  let hiddenWidth: Int
  /// Of each layer, how many of them a token takes, and the width inside each; nil without experts.
  let experts: Int?
  let usedExperts: Int?
  let expertWidth: Int?
  let heads: Int
  let keyValueHeads: Int
  let headSize: Int
  let contextLength: Int
  let vocabularySize: Int
  let parameters: Int
  let fileSize: Int
  /// What it is in the form of this machine; nil unless it has been compiled.
  let compilation: BaseCompilation?
  /// Number of files, where it is split over several.
  let parts: Int?
  /// Number of tensors by type.
  let types: [String: Int]
  let tokenizer: String?
  let preTokenizer: String?
  /// What the file's template is like: a format's name, or own; nil when the file has none.
  let chatFormat: String?
  /// What is wrong with the template, so that it cannot be used; nil where nothing is.
  let chatFormatProblem: String?
  /// Whether the template has a place for tools; nil where none can be used.
  let takesTools: Bool?
  /// Why nothing can be answered; nil where something can, as far as the file tells without a pass over its weights.
  let problem: String?
  /// How the file wants words drawn, as a text; nil when it does not say.
  let sampling: String?

  init(
    _ model: BaseModel, name: String, _ installed: InstalledBase?,
    _ compilation: BaseCompilation? = nil
  ) throws(BaseModelError) {
    self.compilation = compilation
    let (file, configuration) = (model.file, model.configuration)
    path = model.path
    self.name = name
    title = try? file.metadata.string("general.name")
    signature = try model.signature()
    signatureIsStated = BaseSignature.stamped(file) != nil
    contentSignature = signatureIsStated ? installed?.receipt.base?.contentSignature : signature
    signatureIsClaim =
      signatureIsStated && contentSignature != signature
      && installed.map { $0.receipt.base?.isClaim == true } ?? true
    unverified = installed?.receipt.unverified.isEmpty == false
    architecture = configuration.architecture.rawValue
    layers = configuration.layers
    sharedKeyValueLayers = configuration.sharedKeyValueLayers
    width = configuration.width
    hiddenWidth = configuration.hiddenWidth
    (experts, usedExperts) = (configuration.experts?.count, configuration.experts?.used)
    expertWidth = configuration.experts?.hiddenWidth
    heads = configuration.heads
    keyValueHeads = configuration.keyValueHeads
    headSize = configuration.headSize
    contextLength = configuration.contextLength
    vocabularySize = configuration.vocabularySize
    parameters = file.tensors.reduce(0) { $0 + $1.dimensions.reduce(1, *) }
    fileSize = model.fileSize
    parts = file.parts.count > 1 ? file.parts.count : nil
    types = Dictionary(file.tensors.map { ($0.type.name, 1) }, uniquingKeysWith: +)
    tokenizer = try? file.metadata.string("tokenizer.ggml.model")
    preTokenizer = try? file.metadata.string("tokenizer.ggml.pre")
    let template = (try? file.metadata.string("tokenizer.chat_template")) ?? nil
    chatFormat = template.map { ChatFormat(template: $0)?.rawValue ?? "own" }
    sampling = SamplingSettings(file.metadata).summary
    takesTools = try? ChatStyle(file.metadata, file: file.path).takesTools
    chatFormatProblem = Self.templateProblem(file)?.problem
    problem = Self.tokenizerProblem(model)?.problem
  }

  /// Why the file's template cannot be used.
  private static func templateProblem(_ file: GGUFFile) -> ErrorText? {
    do throws(ChatDefect) {
      _ = try ChatStyle(file.metadata, file: file.path)
    } catch .noTemplate {} catch { return "\(error)" }
    return nil
  }

  private static func tokenizerProblem(_ model: BaseModel) -> ErrorText? {
    do throws(BaseModelError) { _ = try model.tokenizer() } catch { return "\(error)" }
    return nil
  }

  var facts: FactList {
    var facts = FactList()
    facts.add("name", name)
    facts.add("cannot be run", problem)
    facts.add("model", title)
    let split = parts.map { " in \($0) files" } ?? ""
    facts.add("file", "\(path), \(Figures.size(fileSize))\(split)")
    facts.add("compiled", compilation.map { "for \($0.processor), \(Figures.size($0.size))" })
    facts.add("signature", signature)
    facts.add("", signatureOrigin)
    if unverified { facts.add("verified", "no: nothing vouched for it when it was fetched") }
    facts.add("kind", architecture)
    let shared =
      sharedKeyValueLayers > 0
      ? ", \(sharedKeyValueLayers) of them without their own keys and values" : ""
    facts.add("layers", "\(layers)\(shared)")
    if let experts, let usedExperts, let expertWidth {
      facts.add("width", "\(width)")
      facts.add("experts", "\(experts) of width \(expertWidth), \(usedExperts) for each token")
    } else {
      facts.add("width", "\(width), feed-forward \(hiddenWidth)")
    }
    facts.add("heads", "\(heads) of \(headSize), \(keyValueHeads) for keys and values")
    facts.add("context", "\(Figures.grouped(contextLength)) tokens")
    facts.add("vocabulary", "\(Figures.grouped(vocabularySize)) tokens")
    facts.add("parameters", Figures.grouped(parameters))
    facts.add(
      "tensors",
      types.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    facts.add("tokenizer", [tokenizer, preTokenizer].compactMap(\.self).joined(separator: ", "))
    facts.add("chat format", chatFormat ?? "none; give one with --chat-format")
    facts.add("", chatFormatProblem.map { "cannot be used: \($0)" })
    facts.add(
      "tools",
      takesTools.map {
        $0 ? "have a place in the template" : "have no place in the template; told in instructions"
      })
    facts.add("words drawn with", sampling)
    return facts
  }

  /// What stands behind the signature.
  private var signatureOrigin: String {
    guard signatureIsStated else { return "made of its contents" }
    guard let contentSignature else { return "claimed by the file" }
    if contentSignature == signature { return "stated by the file, and made of its contents" }
    return signatureIsClaim
      ? "claimed by the file; its contents make \(contentSignature)"
      : "of the weights that it was converted from here"
  }

  /// Warns of a base that cannot answer without more being said, or not at all, or whose answers cannot end.
  static func warnOfLacks(_ file: GGUFFile, _ terminal: Terminal) {
    if let problem = templateProblem(file) { terminal.warn(problem.inCommand) }
    do throws(TokenizerError) { _ = try Tokenizer(file) } catch .tokenizer(.noTokenizer, _) {
      terminal.warn(
        "\(file.path) has no tokenizer: it can be imported for, merged and exported with, but not run or trained"
          + "\(remedy: "convert the model again with its tokenizer")" as ErrorText)
    } catch {}
    guard let tokenizer = try? Tokenizer(file), !hasEnd(file, tokenizer) else { return }
    terminal.warn(
      "\(file.path) has no token that ends an answer, so answers go on to their limit"
        + "\(remedy: "name one as eos_token in tokenizer_config.json, and convert the model again")"
    )
  }

  /// Whether an answer can end; the token that files of SentencePiece have as their end when they do not say it is one by its
  /// text alone.
  private static func hasEnd(_ file: GGUFFile, _ tokenizer: Tokenizer) -> Bool {
    let isStated = file.metadata["tokenizer.ggml.eos_token_id"] != nil
    return tokenizer.endsOfGeneration.contains {
      isStated || $0 != tokenizer.endToken
        || tokenizer.bytes(of: $0, special: true).elementsEqual("</s>".utf8)
    }
  }

  /// Says what was written, and prints its signature.
  static func wrote(_ path: String, _ terminal: Terminal) throws -> ExitCode {
    let file = try GGUFFile(path: path)
    terminal.note("wrote \(path) (\(Figures.size(file.size)))")
    warnOfLacks(file, terminal)
    terminal.print(BaseSignature.compute(file))
    return .done
  }
}
