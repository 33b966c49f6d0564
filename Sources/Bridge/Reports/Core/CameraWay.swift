import Platform
import Recording

/// Where a camera or a robot was, in the frame `map`, by time: at most 4000 places, evenly spread.
struct CameraWay {
    struct Place {
        var seconds: Double
        var x: Double
        var y: Double
        var z: Double
        /// Unit vector of the view, seen from above; zero for a view up or down.
        var viewX: Double
        var viewY: Double
    }

    let seconds: Double
    private var sample = SpreadSample<Place>(limit: 4000)
    private(set) var metresWalked = 0.0
    private var lastStep: (x: Double, y: Double, z: Double)?

    /// - Parameter seconds: How long the recording is.
    init(seconds: Double) { self.seconds = seconds }

    var places: [Place] { sample.items }

    /// - Parameter view: Where it looks to, of any length.
    mutating func add(_ place: Vector3, view: Vector3, at now: Double) {
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
                viewY: isLevel ? view.y / flat : 0
            )
        )
    }

    /// Ceilings hide what is below: nothing higher than 0.3 m above the camera, as it is held most of the time, is drawn.
    var ceilingMetres: Float {
        let heights = places.map(\.z).sorted()
        return heights.quantile(0.5).map { Float($0) + 0.3 } ?? .infinity
    }
}
