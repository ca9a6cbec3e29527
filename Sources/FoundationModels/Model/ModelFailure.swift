/// Why a model cannot be used: the reason is a sentence for developers.
struct ModelFailure: Error, Equatable {
  let reason: String
}
