import Maps
import Messages
import Recording
import Sessions

/// `/map`: the floor as nav2 and others have it, latched: free, occupied, unknown.
///
/// Nothing is published until a floor was seen; where none was in a whole pass, that is reported.
struct OccupancyGrids: MapView {
    static let kind = TopicKind.occupancy
    static let qos = QoS.latched
    static let isWhole = true
    /// More would exceed, as JSON, the 10 MB that rosbridge servers take.
    static let maximumCells = 2_500_000
    private let axes: FramePolicy
    /// False where the axes of the world are those of the first camera: which way is down is not known.
    private let isLevel: Bool
    private var pass = 0
    private var wasShown = false

    init(_ context: SourceContext) {
        axes = context.axes
        isLevel = context.summary.worldAlignment != .camera
    }

    static func set(_ header: Header, of content: inout OccupancyGrid) {
        content.header = header
        content.info.mapLoadTime = header.stamp
    }

    mutating func contents(of map: LiveMap, isLast: Bool) async -> [OccupancyGrid] {
        if pass != map.pass { (pass, wasShown) = (map.pass, false) }
        guard let volume = map.occupancy else { return [] }
        guard isLevel else {
            if isLast { map.note(Self.tilted) }
            return []
        }
        do {
            let grid = grid(try OccupancyMap(volume))
            wasShown = true
            return [grid]
        } catch {
            if isLast, !wasShown || !(error is MissingFloor) { map.note(Self.problem(error)) }
            return []
        }
    }

    private static let tilted = Problem(
        .floorNotFound,
        file: "map",
        expected: "a world that is level",
        found: "the axes of the first camera"
    )

    private static func problem(_ error: any Error) -> Problem {
        if let missing = error as? MissingFloor {
            return Problem(.floorNotFound, file: "map", expected: missing.expected, found: missing.found)
        }
        return Problem(.mapFull, file: "map", expected: "at most \(maximumCells) cells", found: "\(error)")
    }

    private func grid(_ map: OccupancyMap) -> OccupancyGrid {
        var message = OccupancyGrid()
        message.info.resolution = Float(map.resolutionMetres)
        message.info.width = UInt32(clamping: map.width)
        message.info.height = UInt32(clamping: map.height)
        let origin = map.origin
        let corner = Recording.Transform(rotation: .identity, translation: Recording.Vector3(origin.x, origin.y, 0))
        message.info.origin = pose(axes == .ros ? corner : Coordinates.mapFromWorld.inverse * corner)
        message.data = map.cells
        return message
    }
}
