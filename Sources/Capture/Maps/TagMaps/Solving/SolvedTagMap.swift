package import Recording

/// A map of tags, in the world of its first walk.
package struct SolvedTagMap: Sendable {
    package struct Tag: Sendable {
        package var key: TagKey
        package var worldFromTag: Transform
        /// The covariance of (translation, rotation) in the tag's axes, against the beginning of the first walk; nil where the system was
        /// singular.
        package var covariance: Matrix6?
        package var sightings: Int
        /// Sightings that are so far off that they count for nothing.
        package var rejected: Int
    }

    package struct Walk: Sendable {
        /// The index into the walks that were given.
        package var index: Int
        /// World from camera, by pose of the walk.
        package var poses: [Transform]
        package var jumps: Int
        /// The covariances of key poses, (translation, rotation) in the camera's axes; empty unless asked for.
        package var covariances: [(pose: Int, covariance: Matrix6)] = []
    }

    /// One number that was seen in two places.
    package struct Conflict: Sendable {
        package var id: Int64
        package var metres: Double
        /// The sightings of the second place: walk and index into its sightings.
        package var others: [SightingKey]
    }

    package struct SightingKey: Hashable, Sendable {
        package var walk: Int
        package var sighting: Int
    }

    /// How well walks and tags agree, before or after.
    package struct Agreement: Sendable {
        package var costs: [PoseGraph.Kind: Double] = [:]
        /// The spread of repeated sightings about the place of their tag, root mean square without those that are rejected.
        package var spreadMetres: Double?
        /// Median distance of corners from where the map has them.
        package var reprojectionPixels: Double?
    }

    /// Why the poses of a map are what they are.
    package enum Choice: String, Sendable {
        /// The most likely ones.
        case solved
        /// As they were recorded: no sighting contradicts them.
        case uncontradicted
        /// As they were recorded: the most likely ones do not clearly predict better what they were not given.
        case unproven
    }

    /// How far off sightings are that were not given, from where the others have their tags; the mean over passes of tags.
    package struct Prediction: Sendable {
        package var passes = 0
        package var recordedMetres = 0.0
        /// Nil where the recorded poses are not contradicted, so that there is no other map.
        package var mapMetres: Double?
    }

    package var tags: [Tag] = []
    package var walks: [Walk] = []
    package var waypoints: [(name: String, worldFromWaypoint: Transform)] = []
    package var conflicts: [Conflict] = []
    package var before = Agreement()
    package var after = Agreement()
    package var iterations = 0
    package var hasConverged = true
    package var choice = Choice.solved
    /// True if the recorded poses were left as they are.
    package var keptPoses: Bool { choice != .solved }
    /// Nil where no tag was passed twice.
    package var prediction: Prediction?
    package var otherPlanes = 0
    /// Sightings of two possible directions that the tag's other sightings decided.
    package var decidedFlips = 0
    /// The distances of location fixes from their places in the map, over ground, in metres.
    package var fixDistances: [Double] = []
    package var fixMedianMetres: Double? { fixDistances.median }
    package var edgeMetres: [Int64: Double] = [:]
    /// The graph as it was solved, for other solvers, and where its nodes were before.
    package var graph = PoseGraph()
    package var startNodes: [Transform] = []

    /// True if the map agrees less with itself than what was recorded.
    package var isWorse: Bool {
        guard let before = before.spreadMetres, let after = after.spreadMetres else { return false }
        return after > before * 1.001 + 1e-6
    }
}
