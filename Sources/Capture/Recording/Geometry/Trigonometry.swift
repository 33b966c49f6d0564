import Glibc

// The C library's functions by name, so that no other file of the capture world needs a platform import for them.

package func sine(_ radians: Double) -> Double { Glibc.sin(radians) }
package func cosine(_ radians: Double) -> Double { Glibc.cos(radians) }
package func tangent(_ radians: Double) -> Double { Glibc.tan(radians) }
package func arcTangent(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
/// A value just outside of -1 to 1, as rounding leaves it, counts as the limit.
package func arcSine(_ value: Double) -> Double { Glibc.asin(max(-1, min(1, value))) }
package func exponential(_ power: Double) -> Double { Glibc.exp(power) }
package func naturalLogarithm(_ value: Double) -> Double { Glibc.log(value) }
func hyperbolicSine(_ value: Double) -> Double { Glibc.sinh(value) }
