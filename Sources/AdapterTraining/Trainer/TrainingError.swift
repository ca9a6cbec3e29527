public import Adapters
import JSON
public import LanguageModels
public import SystemFiles
public import Tokenization

/// Why a training cannot start, or go on.
public enum TrainingError: Error, Equatable, Sendable {
  /// An option is outside its range.
  case invalidOption(name: String, value: String, range: String)
  /// No layer of the base has these projections; it has the known ones.
  case noTarget(names: String, known: String)
  /// The base cannot be used.
  case base(BaseModelError)
  /// A token of an example is outside the base's vocabulary.
  case tokenOutside(line: Int, token: Token, count: Int)
  /// An example is no pair of answers, from which the objective learns.
  case noPair(line: Int)
  /// A pair does not have the reference that DPO compares with.
  case noReference(line: Int)
  /// No example has anything to learn within the context.
  case nothingToLearn
  /// The invocation that an activated adapter begins at stands before no answer.
  case noInvocation
  /// A loss or gradient is infinite or not a number.
  case diverged(step: Int)
  /// The loss of the same examples is higher than before the first step, or far higher on the way.
  case rose(step: Int, from: Double, to: Double)
  /// The values of the adapter are far larger than those of any that works.
  case overgrown(step: Int, size: Double)
  /// An adapter to start from has other projections than the base.
  case otherBase(identifier: String)
  /// A checkpoint cannot be read or written.
  case file(FileError)
  /// A file is no checkpoint, or a damaged one.
  case checkpoint(path: String, problem: String)
  /// A checkpoint belongs to a training with another base, other data or other options.
  case otherTraining(path: String)
  /// A checkpoint of another version of the program, which this one cannot go on with.
  case otherVersion(path: String)
  /// A draft would have more parameters than the base that it is to guess for.
  case draftTooLarge(DraftShape, parameters: Int, base: Int)
  /// The package cannot be written.
  case package(AdapterError)
  /// The caller asked to stop; all steps before that are kept.
  case cancelled
}

extension TrainingError {
  /// What a pass through the base has thrown.
  init(_ error: BaseModelError) { self = error == .cancelled ? .cancelled : .base(error) }
}

extension TrainingError: ExplainedError {
  /// What is wrong, where, and what to do.
  public var text: ErrorText {
    switch self {
    case .invalidOption(let name, let value, let range):
      "the \(name) is \(value), but has to be in \(range)"
    case .noTarget(let names, let known):
      "no layer of the base has \(names), to which an adapter could belong"
        + "\(remedy: "choose among its \(known)")"
    case .base(let error): "\(error)"
    case .tokenOutside(let line, let token, let count):
      "line \(line): the token \(token) is outside the base's vocabulary of "
        + "\(Figures.grouped(count))\(remedy: "render the data by this base")"
    case .noPair(let line):
      "line \(line): is no pair of a chosen and a rejected answer, which dpo and orpo learn from"
        + "\(remedy: "give lines with prompt, chosen and rejected, or train by sft")"
    case .noReference(let line):
      "line \(line): the pair has no reference, which dpo compares with"
        + "\(remedy: "let LossMeter.referring find it, or train by orpo or sft")"
    case .nothingToLearn:
      "no example has anything to learn within the context\(remedy: "check the data")"
    case .noInvocation:
      "the invocation stands before no answer, so that an activated adapter would never begin"
        + "\(remedy: "write it into the prompts, or take the one that the chat template has")"
    case .diverged(let step):
      "step \(Figures.grouped(step)): the loss or its gradient is not finite"
        + "\(remedy: "start anew with a lower learning rate")"
    case .rose(let step, let from, let to):
      "after step \(Figures.grouped(step)) the loss is \(Self.figure(to)), above the \(Self.figure(from)) "
        + "before the first step: nothing was written"
        + "\(remedy: "start anew with a lower learning rate, or fewer epochs")"
    case .overgrown(let step, let size):
      "after step \(Figures.grouped(step)) the values of the adapter are \(Self.rounded(size)) in the mean, where 0.1 is usual: "
        + "nothing was written\(remedy: "start anew with a lower learning rate")"
    case .otherBase(let identifier):
      "\(identifier) is for another base\(remedy: "name this one, or start from an adapter for it or from none")"
    case .file(let error): "\(error)"
    case .checkpoint(let path, let problem):
      "\(path): \(problem)"
        + "\(remedy: "start anew without it")"
    case .otherTraining(let path):
      "\(path): the checkpoint is of a training with another base, other data or other options"
        + "\(remedy: "give the same ones, or start anew")"
    case .otherVersion(let path):
      "\(path): another version of the program wrote the checkpoint, and this one cannot go on with it"
        + "\(remedy: "go on with that version, or start anew")"
    case .draftTooLarge(let shape, let parameters, let base):
      "a draft of \(Figures.count(shape.layers, "layer")) of width \(shape.width) would have "
        + "\(Figures.grouped(parameters)) parameters, more than the \(Figures.grouped(base)) of the base"
        + "\(remedy: "give a smaller width, or fewer layers")"
    case .package(let error): "\(error)"
    case .cancelled: "interrupted"
    }
  }

  private static func rounded(_ loss: Double) -> Double { (loss * 1e3).rounded() / 1e3 }

  /// With more digits where the first ones are zeros.
  private static func figure(_ loss: Double) -> Double {
    loss < 0.01 ? (loss * 1e6).rounded() / 1e6 : rounded(loss)
  }
}
