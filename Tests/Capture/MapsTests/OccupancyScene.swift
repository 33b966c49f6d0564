import Maps
import Perception
import Recording
import Synthetic
import Testing

/// Views of a scene as an occupancy volume, and the truth about its cells.
///
/// Scenes have ARKit's axes, y up; volumes have those of the frame `map`: x, -z, y.
struct OccupancyScene {
    var scene: MapScene
    var poses: [Transform]
    var width = 256
    var height = 192

    static let mapFromWorld = Transform(
        rotation: Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0))
    )

    /// The furnished room of synthetic sessions, and the walk through it.
    static func room(_ walk: SampleWalk = .loop, frames: Int = 24) -> OccupancyScene {
        var options = SampleOptions()
        options.durationSeconds = Double(frames)
        options.walk = walk
        let trajectory = SyntheticSession.trajectory(options)
        let poses = (0..<frames).map { trajectory.worldFromCamera(atSeconds: Double($0)) }
        return OccupancyScene(scene: MapScene(Room(seed: 1, walk: walk)), poses: poses)
    }

    func frames(turnedBy turn: Transform = .identity, noise: (Float) -> Float = { $0 }) throws -> [MapFrame] {
        try poses.map { pose in
            var view = scene.view(pose, width: width, height: height)
            view.depth.metres = view.depth.metres.map(noise)
            view.worldFromCamera = turn * Self.mapFromWorld * pose
            return try MapScene.frame(view)
        }
    }

    static func volume(
        _ frames: [MapFrame],
        _ parameters: OccupancyParameters = OccupancyParameters()
    ) throws -> OccupancyVolume {
        let marker = FrameMarker(cellMetres: parameters.resolutionMetres)
        var volume = try OccupancyVolume(parameters)
        for frame in frames { volume.apply(try #require(marker.marks(frame))) }
        return volume
    }

    /// From the frame `map` to the scene.
    static func world(_ x: Double, _ y: Double, _ z: Double) -> Vector3 { Vector3(x, z, -y) }

    /// True if a camera sees a place of the frame `map`, within what is mapped.
    func isSeen(_ x: Double, _ y: Double, _ z: Double) -> Bool {
        let point = Self.world(x, y, z)
        let camera = MapScene.camera.scaled(toWidth: width, height: height)
        return poses.contains { pose in
            let inside = pose.inverse * point
            guard inside.z < -0.05 else { return false }
            let column = camera.cx + camera.fx * inside.x / -inside.z
            let row = camera.cy - camera.fy * inside.y / -inside.z
            // The ray of a pixel may lie half a pixel, and the centre of a cell half a cell beside the place.
            let slack = 0.5 + camera.fx * 0.05 / -inside.z
            guard column > -slack, row > -slack, column < Double(width) - 1 + slack, row < Double(height) - 1 + slack
            else { return false }
            let way = point - pose.translation
            return scene.depth(from: pose.translation, along: way) > 0.98
        }
    }
}

extension OccupancyMap {
    /// The states of cells with their middles in metres.
    var places: [(state: Int8, x: Double, y: Double)] {
        cells.enumerated().map { index, state in
            let (x, y) = (index % width, index / width)
            return (
                state, origin.x + (Double(x) + 0.5) * resolutionMetres, origin.y + (Double(y) + 0.5) * resolutionMetres
            )
        }
    }

    /// The state at a place in metres; nil outside of the map.
    func state(x: Double, y: Double) -> Int8? {
        let column = ((x - origin.x) / resolutionMetres).rounded(.down)
        let row = ((y - origin.y) / resolutionMetres).rounded(.down)
        guard column >= 0, row >= 0, column < Double(width), row < Double(height) else { return nil }
        return cells[Int(row) * width + Int(column)]
    }
}
