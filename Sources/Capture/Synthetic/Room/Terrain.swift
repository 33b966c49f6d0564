import Recording

/// The made-up land around the GPS origin: a wave of hills, with fields and roads on it.
enum Terrain {
    /// At the origin, above mean sea level: where the fixes are.
    static let baseMetres = PhoneLocation.originEllipsoidalAltitudeMetres - PhoneLocation.geoidHeightMetres
    static let amplitudeMetres = 120.0
    static let periodDegrees = 0.08

    /// Metres above mean sea level.
    static func elevationMetres(latitudeDegrees: Double, longitudeDegrees: Double) -> Double {
        let east = (longitudeDegrees - PhoneLocation.originLongitudeDegrees) / periodDegrees
        let north = (latitudeDegrees - PhoneLocation.originLatitudeDegrees) / periodDegrees
        return baseMetres + amplitudeMetres * sine(2 * .pi * east) * cosine(2 * .pi * north)
    }

    /// R, G and B of the Terrarium encoding: metres are R * 256 + G + B / 256 - 32768.
    static func terrarium(metres: Double) -> (UInt8, UInt8, UInt8) {
        let steps = Int(((metres + 32_768) * 256).rounded())
        let held = min(max(steps, 0), 0xFF_FFFF)
        return (
            UInt8(truncatingIfNeeded: held >> 16), UInt8(truncatingIfNeeded: held >> 8), UInt8(truncatingIfNeeded: held)
        )
    }

    /// What the land looks like from above: fields of about 90 m by 60 m between roads, each of its own green or brown.
    static func colour(latitudeDegrees: Double, longitudeDegrees: Double) -> (UInt8, UInt8, UInt8) {
        let column = (longitudeDegrees - PhoneLocation.originLongitudeDegrees) / 0.001_2
        let row = (latitudeDegrees - PhoneLocation.originLatitudeDegrees) / 0.000_55
        let (fieldX, fieldY) = (column.rounded(.down), row.rounded(.down))
        if column - fieldX < 0.06 || row - fieldY < 0.09 { return (176, 170, 160) }
        let place = UInt64(bitPattern: Int64(fieldX) &* 0x1_0000_0001 &+ Int64(fieldY))
        var random = SeededRandom(seed: 17, stream: place)
        let dryness = Double(random.uniform())
        let light = 0.8 + 0.2 * Double(random.uniform())
        return (
            UInt8((70 + 90 * dryness) * light), UInt8((130 - 10 * dryness) * light), UInt8((60 + 20 * dryness) * light)
        )
    }
}
