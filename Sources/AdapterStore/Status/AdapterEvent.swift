/// What happens to an adapter, or a base, while it comes.
public enum AdapterEvent: Sendable, Equatable {
  /// Its download began, or began again after a pause.
  case began
  /// Its download waits to be resumed.
  case paused
  /// Bytes came; of several such events that were not taken in time, the latest stands for all.
  case downloading(DownloadProgress)
  /// It is installed; the last event.
  case finished
  /// It is not installed, and why; the last event.
  case failed(StoreError)

  /// Whether nothing comes after it.
  public var isLast: Bool {
    switch self {
    case .finished, .failed: true
    case .began, .paused, .downloading: false
    }
  }
}
