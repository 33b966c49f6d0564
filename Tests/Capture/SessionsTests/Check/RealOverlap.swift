import PointClouds
import Sessions
import SystemPackage

extension SessionCheck {
    /// A check with the clouds that a replay would publish.
    init(path: String, jobs: Int = 1) {
        self.init(path: path, jobs: jobs) { OverlapMeter().measure($0, $1) }
    }
}

extension ReadSession {
    /// The session as a command opens it that publishes it.
    func examined() throws -> any Session {
        try SessionFormats.open(path: path.string) { OverlapMeter().measure($0, $1) }
    }
}

extension SessionRepair {
    init(path: String) {
        self.init(path: path) { OverlapMeter().measure($0, $1) }
    }
}
