import Messages
import Platform
import Recording

/// Where a camera or a robot was, in the frame `map`, by time: places that are evenly spread.
struct CameraWay {
    struct Place {
        var seconds: Double
        var x: Double
        var y: Double
        var z: Double
        /// Unit vector of the view, seen from above; zero for a view up or down.
        var viewX: Double
        var viewY: Double
        /// Turns optical axes (x right, y down, z ahead) into those of the map.
        var turn: Recording.Quaternion
    }

    let seconds: Double
    private var sample: SpreadSample<Place>
    private(set) var metresWalked = 0.0
    private var lastStep: (x: Double, y: Double, z: Double)?

    /// - Parameters:
    ///   - seconds: How long the recording is.
    ///   - limit: How many places are kept.
    init(seconds: Double, limit: Int = 4000) {
        self.seconds = seconds
        sample = SpreadSample(limit: limit)
    }

    var places: [Place] { sample.items }

    /// The mean place from above; nil where there is none.
    var middle: SIMD2<Double>? {
        guard !places.isEmpty else { return nil }
        return places.reduce(SIMD2<Double>.zero) { $0 + SIMD2($1.x, $1.y) } / Double(places.count)
    }

    /// For the cursor of a page.
    var base64: String {
        var bytes: [UInt8] = []
        for place in places {
            for value in [place.seconds, place.x, place.y, place.z] {
                let bits = Float(value).bitPattern
                for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            }
            for value in [place.turn.x, place.turn.y, place.turn.z, place.turn.w] {
                bytes.append(UInt8(bitPattern: Int8(max(-1, min(1, value)) * 127)))
            }
        }
        return Base64.text(bytes)
    }

    /// - Parameter turn: Turns optical axes into those of the map.
    mutating func add(_ place: Recording.Vector3, turn: Recording.Quaternion, at now: Double) {
        let view = turn.rotating(Recording.Vector3(0, 0, 1))
        // The trembling of a hand is no way.
        let last = lastStep ?? (place.x, place.y, place.z)
        let step = (x: place.x - last.x, y: place.y - last.y, z: place.z - last.z)
        let way = (step.x * step.x + step.y * step.y + step.z * step.z).squareRoot()
        if lastStep == nil || way > 0.05 {
            metresWalked += way
            lastStep = (place.x, place.y, place.z)
        }
        let flat = (view.x * view.x + view.y * view.y).squareRoot()
        let isLevel = flat > 0.01 * view.length && flat > 0
        sample.add(
            Place(
                seconds: now,
                x: place.x,
                y: place.y,
                z: place.z,
                viewX: isLevel ? view.x / flat : 0,
                viewY: isLevel ? view.y / flat : 0,
                turn: turn
            )
        )
    }

    /// Ceilings hide what is below: nothing higher than 0.3 m above the camera, as it is held most of the time, is drawn.
    var ceilingMetres: Float {
        let heights = places.map(\.z).sorted()
        return heights.quantile(0.5).map { Float($0) + 0.3 } ?? .infinity
    }
}
