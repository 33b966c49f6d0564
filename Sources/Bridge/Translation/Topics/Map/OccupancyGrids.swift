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
        let origin = map.origin
        let corner = Recording.Transform(rotation: .identity, translation: Recording.Vector3(origin.x, origin.y, 0))
        return occupancyGrid(
            map.cells,
            width: map.width,
            height: map.height,
            resolutionMetres: map.resolutionMetres,
            corner: axes == .ros ? corner : Coordinates.mapFromWorld.inverse * corner
        )
    }
}

/// An OccupancyGrid without its times.
///
/// - Parameters:
///   - cells: Row by row from the least y: 0 to 100, -1 where nothing is known.
///   - corner: Where the first cell begins, and how the grid is turned.
func occupancyGrid(
    _ cells: [Int8],
    width: Int,
    height: Int,
    resolutionMetres: Double,
    corner: Recording.Transform
) -> OccupancyGrid {
    var message = OccupancyGrid()
    message.info.resolution = Float(resolutionMetres)
    message.info.width = UInt32(clamping: width)
    message.info.height = UInt32(clamping: height)
    message.info.origin = pose(corner)
    message.data = cells
    return message
}
