#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// base^-exponent.
func inversePower(_ base: Float, _ exponent: Float) -> Float {
  1 / powf(base, exponent)
}

/// e^x.
func exponential(_ x: Float) -> Float { expf(x) }

/// The natural logarithm.
func logarithm(_ x: Float) -> Float { logf(x) }
func logarithm(_ x: Double) -> Double { log(x) }
