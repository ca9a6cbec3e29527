#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory of this process.
public enum ProcessMemory {
  /// The most bytes that were resident at once, mapped files included.
  public static var peak: Int {
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF.code, &usage) == 0 else { return 0 }
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss * 1024
    #endif
  }
}

#if canImport(Glibc)
  // Glibc declares the constant as an enumeration of C, other systems as an integer.
  extension __rusage_who {
    fileprivate var code: Int32 { rawValue }
  }
#else
  extension Int32 {
    fileprivate var code: Int32 { self }
  }
#endif
