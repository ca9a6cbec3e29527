import LanguageModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Functions that the standard library leaves to the system.
enum Mathematics {
  static func exponential(_ x: Float) -> Float { exp(x) }
  static func logarithm(_ x: Float) -> Float { log(x) }
  /// The hyperbolic tangent.
  static func tangent(_ x: Float) -> Float { tanh(x) }
  static func cosine(_ x: Float) -> Float { cos(x) }
  static func sine(_ x: Float) -> Float { sin(x) }
  static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
  static func cosine(_ x: Double) -> Double { cos(x) }
  static func exponential(_ x: Double) -> Double { exp(x) }
  static func logarithm(_ x: Double) -> Double { log(x) }
  /// eˣ - 1, to the last digits near zero, too.
  static func exponentialLessOne(_ x: Double) -> Double { expm1(x) }
  /// log (1 + x), to the last digits near zero, too.
  static func logarithmOfOneMore(_ x: Double) -> Double { log1p(x) }

  /// A number of the standard normal distribution; Box and Muller 1958.
  static func normal(_ random: inout SplitMix64) -> Float {
    let radius = (-2 * log(1 - random.unit())).squareRoot()
    return Float(radius * cos(2 * .pi * random.unit()))
  }
}
