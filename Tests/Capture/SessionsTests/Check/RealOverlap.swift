import PointClouds
import Sessions

extension SessionCheck {
    /// A check with the clouds that a replay would publish.
    init(path: String, jobs: Int = 1) {
        self.init(path: path, jobs: jobs) { OverlapMeter().measure($0, $1) }
    }
}

extension SessionRepair {
    init(path: String) {
        self.init(path: path) { OverlapMeter().measure($0, $1) }
    }
}
