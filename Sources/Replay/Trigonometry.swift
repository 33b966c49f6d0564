import Glibc

/// The angle of a sine and a cosine, in degrees from 0 to 180 for a sine that is not negative.
func angleDegrees(sine: Double, cosine: Double) -> Double {
    Glibc.atan2(sine, cosine) * 180 / .pi
}
