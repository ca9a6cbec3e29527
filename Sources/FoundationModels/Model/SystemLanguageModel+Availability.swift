extension SystemLanguageModel {
  /// Whether a model can be used.
  @frozen
  public enum Availability: Sendable, Equatable {
    /// Why a model cannot be used.
    public enum UnavailableReason: Sendable, Hashable {
      /// The machine cannot run the model. Not given here: any processor can.
      case deviceNotEligible
      /// The person has not turned it on. Not given here: there is no such setting.
      case appleIntelligenceNotEnabled
      /// There is no base that could be used, or no adapter where one is needed; ``SystemLanguageModel/diagnosis`` says
      /// what is missing.
      case modelNotReady
    }

    /// The base, and the adapter if there is one, are open and fit together.
    case available
    /// A session would throw `assetsUnavailable`.
    case unavailable(UnavailableReason)
  }

  /// Whether the model can be used now; opens it to find out.
  public var availability: Availability {
    diagnosis == nil ? .available : .unavailable(.modelNotReady)
  }

  /// Whether the model can be used now; opens it to find out.
  public var isAvailable: Bool { availability == .available }

  /// One sentence that says why the model cannot be used and what to do, or nil when it can: an extension.
  public var diagnosis: String? {
    do throws(ModelFailure) {
      _ = try load()
      return nil
    } catch {
      return error.reason
    }
  }
}
