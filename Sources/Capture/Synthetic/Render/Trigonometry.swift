import Glibc

// The C library's functions by name, so that no other file of this module needs a platform import for them.

func sine(_ radians: Double) -> Double { Glibc.sin(radians) }
func cosine(_ radians: Double) -> Double { Glibc.cos(radians) }
func arcTangent(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
func arcSine(_ value: Double) -> Double { Glibc.asin(max(-1, min(1, value))) }
