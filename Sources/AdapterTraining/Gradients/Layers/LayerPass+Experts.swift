import Kernels
import LanguageModels

/// Experts beside a layer's feed-forward network, frozen with their norms.
extension LayerPass {
  /// Of y = norm(what the network gives) + norm(experts(norm(x))).
  struct ParallelTape {
    /// What the norm of the network was given.
    let network: FloatMatrix
    let experts: ExpertMixture.Tape
    /// What the norm of the experts was given.
    let result: FloatMatrix
  }

  /// Adds what experts make of `x` to what the network gives, where there are some.
  func parallelForward(
    _ network: FloatMatrix, _ x: FloatMatrix, _ stop: Stop
  ) throws(BaseModelError) -> (y: FloatMatrix, tape: ParallelTape?) {
    guard let weights = layer.parallel else { return (network, nil) }
    let (result, experts) = try mixture(weights.experts).forward(
      norm(weights.inputNorm).forward(x), routedBy: norm(weights.routerNorm).forward(x), stop)
    var y = norm(weights.networkNorm).forward(network)
    y.add(norm(weights.resultNorm).forward(result))
    return (y, ParallelTape(network: network, experts: experts, result: result))
  }

  /// The gradients of what the network gives, and of x, which the experts read; nil without any.
  func parallelBackward(
    _ dy: FloatMatrix, _ tape: Tape, _ stop: Stop
  ) throws(BaseModelError) -> (network: FloatMatrix, x: FloatMatrix?) {
    guard let weights = layer.parallel, let parallel = tape.parallel else { return (dy, nil) }
    let (given, routed) = try mixture(weights.experts).backward(
      norm(weights.resultNorm).backward(dy, parallel.result), parallel.experts, stop)
    var dx = norm(weights.inputNorm).backward(given, tape.middle)
    dx.add(norm(weights.routerNorm).backward(routed, tape.middle))
    return (norm(weights.networkNorm).backward(dy, parallel.network), dx)
  }

  private func norm(_ weight: FloatVector) -> RootMeanSquareNorm {
    RootMeanSquareNorm(weight, epsilon: configuration.epsilon)
  }
}
