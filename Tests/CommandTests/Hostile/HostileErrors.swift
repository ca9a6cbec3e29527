import AdapterStore
import AdapterTraining
import Adapters
import ChatTemplates
import Foundation
import Grammars
import Interchange
import JSON
import LanguageModels
import Serving
import SystemFiles
import TensorFiles
import Tokenization

@testable import fmadapter

/// Every error of every module that has a text in it, with a hostile one.
enum HostileErrors {
  private static let h = Hostile.text

  static var all: [any Error] {
    var all: [any Error] = tensorFiles + adapters + languageModels + store + training + interchange
    all += usage.map { UsageError(command: h, problem: $0) }
    all += sockets.map { ListeningPlaces.failure($0, .path(h)) }
    return all + [Failure(.unexpected, "\(h)\(remedy: h)")]
  }

  static let sockets: [ListeningSocket.Defect] = [
    .noAddress(h), .longPath(h), .inUse, .occupied(h), .system(13), .notListening(3),
  ]

  static let findings = [
    Finding(
      h, at: Finding.Place(h, key: h, line: 1, tensor: h, offset: 2), h, remedy: h),
    Finding("x.y", .warning, .integrity, at: Finding.Place(h), h, remedy: h),
  ]

  static var tensorFiles: [any Error] {
    let gguf: [GGUFDefect] = [
      .wrongMagic([27, 91, 50, 74]), .unknownVersion(9), .tooManyKeys(9), .tooManyTensors(9),
      .keyTooLong(9), .duplicateKey(h), .unknownValueType(key: h, number: 99), .nestedArray(key: h),
      .stringTooLong(key: h, bytes: 9), .arrayTooLong(key: h, count: 9),
      .wrongBool(key: h, byte: 9),
      .alignmentType(.uint8), .alignmentValue(3), .nameTooLong(9), .duplicateTensor(h),
      .dimensionCount(tensor: h, count: 9), .zeroDimension(tensor: h), .hugeTensor(tensor: h),
      .unknownType(tensor: h, number: 99), .brokenRow(tensor: h, type: .q4_0, columns: 3),
      .misaligned(tensor: h, offset: 3, alignment: 32),
      .outsideFile(tensor: h, end: 9, fileSize: 8), .overlap(tensor: h, other: h),
      .wrongType(key: h, found: h, expected: h), .valueOutOfRange(key: h, value: h),
      .textNotUTF8(key: h), .laterPart(2, of: 3, first: h), .missingPart(2, of: 3, name: h),
      .partName(count: 3), .wrongPart(nil, of: 3, expected: 1, total: 3),
      .partTensors(count: 1, expected: 2), .tensorInTwoParts(h, other: h),
    ]
    guard
      case .failure(let json) = Result(catching: { () throws(JSONError) in
        try JSONDocument(parsing: Array(h.utf8))
      })
    else { preconditionFailure("no JSON") }
    let safetensors: [SafetensorsDefect] = [
      .headerTooLong(9), .headerStart(27), .duplicateName(h), .wrongMetadata(key: h),
      .noObject(tensor: h), .header(json),
      .unknownField(tensor: h, field: h),
      .missingField(tensor: h, field: h), .unknownType(tensor: h, type: h), .badNumber(tensor: h),
      .tooManyDimensions(tensor: h), .offsetCount(tensor: h, count: 3),
      .reversedOffsets(tensor: h, begin: 2, end: 1), .hugeTensor(tensor: h),
      .wrongSize(tensor: h, bytes: 1, expected: 2), .hole(tensor: h, begin: 2, expected: 1),
      .overlap(tensor: h, begin: 1, expected: 2), .wrongEnd(dataEnd: 1, fileSize: 2),
    ]
    let blobs: [BlobDefect] = [
      .unknownVersion(9), .wrongSentinel(index: 0, value: 9), .unknownType(index: 0, number: 9),
      .displacedData(index: 0, offset: 9, expected: 8), .outsideFile(index: 0, size: 9, left: 8),
      .partialValue(index: 0, type: .float16, size: 3),
      .wrongPadding(index: 0, type: .float16, bits: 3), .trailingBytes(count: 1, blobs: 1),
    ]
    let files: [FileError] = [
      .system(.open, path: h, code: 2), .notRegular(path: h), .isPointer(path: h),
      .notText(path: h),
      .tooLarge(path: h, size: 2, limit: 1), .changed(path: h),
      .truncated(path: h, offset: 0, field: h, needed: 2, left: 1),
    ]
    return gguf + safetensors + blobs + files
      + gguf.map { FileError.gguf($0, path: h, offset: 0) }
      + safetensors.map { FileError.safetensors($0, path: h, offset: 0) }
      + blobs.map { FileError.blob($0, path: h, offset: 0) }
  }

  static var adapters: [any Error] {
    let report = CheckReport(package: h, findings: findings)
    return [
      AdapterError.notFound(path: h), AdapterError.refused(report),
      AdapterError.invalidMetadata(file: h, findings), AdapterError.exists(path: h),
      AdapterError.file(.notRegular(path: h)),
    ] + signatures
  }

  static var signatures: [any Error] {
    guard
      case .failure(let json) = Result(catching: { () throws(JSONError) in
        try JSONDocument(parsing: Array(h.utf8))
      })
    else { preconditionFailure("no JSON") }
    let signatures: [SignatureDefect] = [
      .notJSON(h, json), .wrongMember(h), .repeated(h), .certificate, .keyless, .otherPayload(h),
      .otherPredicate(h), .otherPredicate(h + "/v0.1"), .otherMethod(h), .otherDigest(h),
      .signatureCount(0), .subjectCount(2), .wrongRoot,
    ]
    let keys: [KeyDefect] = [
      .noKey, .isPrivate, .isPublic, .certificate, .locked, .otherKind(h),
    ]
    return signatures.map { FileError.malformed(.init($0), path: h, offset: 0) }
      + keys.map { FileError.malformed(.init($0), path: h, offset: 0) }
  }

  static var languageModels: [any Error] {
    let tokenizers: [TokenizerDefect] = [
      .unknownModel(h), .unknownPreTokenizer(h), .missing(key: h), .vocabularySize(0),
      .pieceTooLong(token: 1, bytes: 9), .wrongCount(key: h, count: 1, expected: 2),
      .scoreNotNumber(token: 1), .tokenOutside(key: h, token: 9, count: 8),
      .missingToken(flag: h, key: h),
    ]
    let chats: [ChatDefect] = [
      .duplicateTool(h), .unusableToolName(h),
      .noTemplate(file: h), .unreadableTemplate(.notRegular(path: h)),
      .brokenTemplate(file: h, JinjaError(.syntax(h), line: 1, column: 2)),
      .failedTemplate(JinjaError(.raised(h), line: 1, column: 2)),
      .failedTemplate(JinjaError(.undefined(h), line: 1, column: 2)),
      .unsupportedTools(nil), .missingAnswer(index: 1), .severalCalls(index: 1),
      .missingMark(.chatML, mark: h),
      .misplacedSystem(index: 1), .wrongOrder(index: 1, role: .user, after: .user),
      .unsupportedRole(.gemma, .tool), .unsupportedTools(.gemma),
    ]
    let templates: [JinjaFault] = [
      .raised(h), .syntax(h), .unknownTag(h), .unknownFilter(h), .unknownTest(h), .unsupported(h),
      .undefined(h), .wrongType(h), .wrongValue(h), .wrongArguments(h), .forbidden(h),
      .tooManySteps(limit: 1), .tooMuchText(limit: 1), .tooDeep(limit: 1), .rangeTooLong(limit: 1),
      .templateTooLong(bytes: 2, limit: 1),
    ]
    let grammars: [GrammarDefect] = [
      .unsupportedPattern(pattern: h, part: h, offset: 1), .emptyRange(minimum: h, maximum: h),
      .emptyCount(minimum: 2, maximum: 1), .undefinedRule(name: h), .duplicateProperty(name: h),
      .tooLarge(limit: 1), .tooAmbiguous, .unwritableByte(0xF5),
    ]
    let schemas: [SchemaDefect] = [
      .wrongKind(h, expected: h), .unsupportedKeyword(h), .unknownType(h), .unknownReference(h),
      .unknownProperty(h), .tooDeep(limit: 1), .unsupportedPattern(h, part: h),
    ]
    let bases: [BaseDefect] = [
      .isHubCache(snapshot: h), .notJSON(problem: h), .otherTokenizer(kind: h),
      .missingSetting(key: h), .badSetting(key: h, rule: h),
      .unsupportedSetting(key: h, rule: h), .missingTensor(h), .unknownTensor(h),
      .wrongShape(tensor: h, expected: [1], actual: [2]), .unreadableType(tensor: h, type: h),
      .notFinite(tensor: h, index: 1), .brokenMessage(offset: 1), .unsupportedTokenizer(feature: h),
      .unsupportedModel(name: h), .tooManyPieces(count: 2, vocabulary: 1),
      .badPieceType(index: 1, number: 9), .outsideHalves(tensor: h, index: 1),
    ]
    let importances: [ImportanceDefect] = [
      .notAMatrix(offset: 1),
      .missingKey(h), .unpaired(h), .wrongType(h, type: h), .wrongCounts(h, counts: 2, values: 3),
      .badValue(h, index: 1), .missingEntry(h), .wrongSize(h, expected: 1, actual: 2),
      .otherModel(h, base: h),
    ]
    let errors: [BaseModelError] = [
      .file(.notRegular(path: h)), .unsupportedArchitecture(file: h, name: h),
      .missingKey(file: h, key: h), .invalidValue(file: h, key: h, value: h, rule: h),
      .unsupportedRopeScaling(file: h, name: h), .missingTensor(file: h, tensor: h),
      .wrongShape(file: h, tensor: h, expected: [1], actual: [2]),
      .wrongType(file: h, tensor: h, type: h), .unknownTensor(file: h, tensor: h),
      .contextExceeded(limit: 1, needed: 2), .contextTooLong(requested: 2, limit: 1),
      .noRoom(context: 1), .noPages(limit: 1),
      .invalidOption(name: h, value: h, rule: h), .tokenOutsideVocabulary(token: 9, count: 8),
      .isAdapter(file: h), .isProjector(file: h), .isImportanceMatrix(file: h),
      .writesNothing(file: h),
      .damagedTiles(file: h, offset: 1), .nonFiniteLogits(file: h, position: 1),
      .noTokenAllowed(position: 1),
      .diverged(adapters: [h], position: 1),
      .adapterLayers(identifier: h, expected: 1, actual: 2),
      .adapterMismatch(identifier: h, layer: 1, target: h),
      .activatedBesideOthers(identifier: h),
    ]
    let tokenizerErrors: [TokenizerError] =
      [.file(.notRegular(path: h))] + tokenizers.map { .tokenizer($0, file: h) }
    let drafts: [DraftDefect] = [
      .larger(parameters: 2, base: 1), .vocabularySize(2, base: 1), .token(1),
    ]
    let stores: [SuffixStoreDefect] = [
      .token(9, text: 1, vocabularySize: 8), .count(0, text: 1), .tooManyTokens(limit: 1),
    ]
    let suffixes: [SuffixDefect] = [
      .head(size: 1), .magic, .version(2), .vocabularySize(0), .tokenCount(0),
      .textCount(2, tokens: 1), .reserved, .size(2, expected: 1), .count(0, text: 1, offset: 2),
      .length(2, text: 1, offset: 2, left: 1),
      .token(9, text: 1, offset: 2, vocabularySize: 8), .order(text: 1, offset: 2),
      .sum(1, tokens: 2),
    ]
    let speculation: [any Error] =
      suffixes + drafts + importances + stores
      + drafts.map { BaseModelError.draft($0, file: h) }
    let others: [any Error] =
      tokenizers + tokenizerErrors + chats + grammars + bases + errors
      + grammars.map { BaseModelError.grammar($0) }
      + tokenizers.map { BaseModelError.tokenizer($0, file: h) }
      + importances.map { BaseModelError.importance($0, file: h) }
      + bases.map { BaseModelError.base($0, file: h) }
    return speculation + others + (templates as [any Error]) + schemas
      + schemas.map { GrammarDefect.schema($0, place: h) }
  }

  static var store: [any Error] {
    let errors: [StoreError] = [
      .noStore(path: h, reason: "\(h)\(remedy: h)"), .newer(path: h, format: 2), .noIndex(path: h),
      .noAdapter(h, known: [h, h]), .noBase(h, known: [h]), .noCurrentBase(installed: 2),
      .ambiguous(h, candidates: [h, h]), .refused(CheckReport(package: h, findings: findings)),
      .noSource(path: h), .noPackage(path: h), .invalidBase(path: h, reason: "\(h)\(remedy: h)"),
      .damaged(path: h, reason: h),
      .occupied(path: h), .busy(path: h), .storage(.system(.write, path: h, code: 28)),
      .noRoom(url: h, needed: 2, free: 1, path: h), .network(url: h, reason: "\(h)\(remedy: h)"),
      .notOnServer(url: h, status: 404), .notInFolder(path: h), .corrupted(url: h, reason: h),
      .notInCatalogs(h, known: [h]), .notInCatalogs(h, known: []), .noCatalog(h, known: [h]),
      .changedVersion(h, reason: "\(h)\(remedy: h)"),
      .changedOffer(h, catalog: h, version: h), .otherPublication(h, directory: h),
      .olderVersion(h, installed: h, offered: h),
      .unknownVersion(h, path: h), .catalogLost(h, .notOnServer(url: h, status: 404)),
      .incompatible(h, reason: h),
      .invalidCatalog(url: h, reason: "\(h)\(remedy: h)"),
      .credentials(place: h, reason: "\(h)\(remedy: h)"), .unverified(url: h, isOneFile: true),
      .badDigest(h),
      .changedBytes(url: h, file: h, installed: h, offered: h),
      .otherBase(signature: h, installed: h, offered: h, isClaim: true),
      .otherSigner(h, installed: h, keys: [h], offered: h, isSigned: true),
      .olderPackage(h, installed: h, offered: h), .severalCatalogs(h, catalogs: [h]),
      .appleDraft(package: h), .uncompilable(package: h, reason: "\(h)\(remedy: h)"),
      .compilationLimit(application: h, limit: 3, until: nil),
      .otherKeys(h, pinned: [h], given: [h]), .signedCatalog(h, by: h, given: nil),
      .yanked(h, version: h, reason: h), .lock(path: h, reason: "\(h)\(remedy: h)"),
    ]
    let causes: [any Error] = catalogs + hub + registry
    let caused: [StoreError] =
      catalogs.map { .untrusted(h, $0) } + hub.map { .hub($0, page: h) }
      + registry.map { .registry($0, place: h) }
    return errors + causes + caused
  }

  private static let catalogs: [CatalogFault] = [
    .unknownKeys(entry: h), .unsigned(place: h), .otherKey(named: h, pinned: [h]), .forged(key: h),
    .noSerial, .expired(.distantPast, now: .distantFuture), .rolledBack(serial: 1, seen: 2),
    .twoOfOneSerial(2), .otherCatalog,
  ]

  private static let registry: [RegistryFault] = [
    .badReference(h), .denied(status: 401, registry: h, login: nil, writes: true),
    .denied(status: 403, registry: h, login: h, writes: false), .noRepository(registry: h),
    .noManifest(h, known: [h, h]), .noPackage("\(h)\(remedy: h)"), .noCatalog, .badManifest(h),
    .refused(status: 400, code: h, what: h), .nonsense(h),
  ]

  private static let hub: [HubFault] = [
    .badReference(h), .gated(isKnown: false), .noRevision(h), .noFile(h, known: [h, h]),
    .several(.base, [HubChoice(path: h, size: 2, parts: 1, reference: h)]),
    .noBase("\(h)\(remedy: h)"), .noPackage("\(h)\(remedy: h)"), .badListing(h),
  ]

  static var training: [any Error] {
    let data: [DataSetError] = [
      .file(.notRegular(path: h)), .rendering(.noTemplate(file: h), line: 1),
      .noExample(path: h, line: 1), .tooFew(path: h, count: 1), .exists(path: h),
      .overwritesInput(path: h), .unknownForm(path: h, keys: [h]),
      .noColumn(path: h, name: h, known: [h]), .unusedName(path: h, name: h, used: [h]),
      .isDataSet(path: h),
      .table(path: h, line: 1, .repeatedName(h)), .objects(path: h, line: 1, problem: h),
      .encoding(path: h, .unknown(name: h)), .encoding(path: h, .invalid(name: h, offset: 1)),
      .encoding(path: h, .tooLarge(size: 1)), .noParts(path: h), .strangePart(path: h),
      .repeatedPart(path: h, other: h),
    ]
    let tables: [TableDefect] = [.tooLong(limit: 1), .repeatedName(h), .binary(h)]
    let encodings: [EncodingDefect] = [
      .unknown(name: h), .invalid(name: h, offset: 1), .tooLarge(size: 1),
    ]
    let training: [TrainingError] = [
      .invalidOption(name: h, value: h, range: h), .base(.missingKey(file: h, key: h)),
      .tokenOutside(line: 1, token: 9, count: 8), .diverged(step: 1),
      .overgrown(step: 1, size: 2), .otherBase(identifier: h),
      .rose(step: 1, from: 1, to: 2),
      .file(.notRegular(path: h)), .checkpoint(path: h, problem: h), .otherTraining(path: h),
      .otherVersion(path: h),
      .package(.notFound(path: h)),
      .draftTooLarge(DraftShape(layers: 1, width: 8), parameters: 2, base: 1),
      .noTarget(names: h, known: h), .noPair(line: 1), .noReference(line: 1),
    ]
    let evaluation: [EvaluationError] = [
      .line(path: h, line: 1, problem: "\(h)\(remedy: h)"), .empty(path: h),
      .rule("\(h)\(remedy: h)"), .pattern(start: h, problem: h),
      .data(.exists(path: h)), .loss(.file(.notRegular(path: h))),
    ]
    return data + training + tables + encodings + evaluation
  }

  static var interchange: [any Error] {
    let errors: [InterchangeError] = [
      .file(.notRegular(path: h)), .package(.notFound(path: h)),
      .base(.missingKey(file: h, key: h)), .unknownForm(path: h, found: [h, h]),
      .isPackage(path: h), .missingFile(folder: h, name: h),
      .notSettings(path: h, problem: h), .setting(path: h, key: h, problem: h),
      .unsupported(path: h, key: h, feature: h),
      .unmatchedTensor(path: h, tensor: h, reason: h),
      .halfPair(path: h, tensor: h, missing: h),
      .wrongShape(path: h, tensor: h, expected: h, actual: [1]),
      .ranksDiffer(path: h, tensor: h, rank: 1, other: 2),
      .statedRank(path: h, tensor: h, rank: 1, stated: 2),
      .unreadableType(path: h, tensor: h, type: h), .notFinite(path: h, tensor: h, index: 1),
      .noValues(path: h, tensor: h), .pattern(path: h, key: h),
      .severalAdapters(path: h, names: [h, h]),
      .empty(path: h), .onlyRead(.toolkit), .otherArchitecture(path: h, found: h, expected: h),
      .noNames(architecture: h, form: .peft), .otherForm(path: h, architecture: h, form: .peft),
      .activated(identifier: h, problem: h), .otherBase(first: h, second: h),
      .nothingShared(first: h, second: h), .rankTooLarge(2, limit: 1),
      .unwritableType(path: h, tensor: h, type: h), .exists(path: h),
      .holdsOthers(path: h, name: h),
      .archive(path: h, offset: 1, problem: h),
      .pickle(path: h, entry: h, offset: 1, problem: h),
    ]
    return errors
  }

  static let usage: [UsageError.Problem] = [
    .unknownCommand(h, suggestion: h), .unknownOption(h, suggestion: h),
    .missingValue(option: h, placeholder: h), .unexpectedValue(option: h, value: h),
    .repeatedOption(h), .badValue(option: h, text: h, expectation: h), .missingArgument(h),
    .extraArgument(h), .notUTF8(place: h, text: h), .conflict("\(h)\(remedy: h)"),
  ]
}
