import Messages
import Recording
import Text
import Translation

/// The whole of a recording as the live page lays it behind what is played: the way, the fixes, and points.
struct WholeScene {
    /// How much of it there is at most: what a browser gets within a second, and draws beside all that is played.
    static let places = 2000
    static let points = 60_000
    static let clouds = 120
    private static let cubeMetres: Float = 0.04

    struct Fix {
        var latitude: Double
        var longitude: Double
        var errorMetres: Double?
    }

    /// That the way and the points are in.
    var frame = FrameName.map
    /// True if the way and the points have to be turned for a frame with y up, as the phone app has it.
    var isYUp = false
    /// From the first moment that is played to the one that times count from.
    var offsetSeconds = 0.0
    var way: CameraWay
    var points: PointCollector
    var fixes: [Fix] = []

    init(_ way: CameraWay, _ points: PointCollector = Self.collector) { (self.way, self.points) = (way, points) }

    static var collector: PointCollector { PointCollector(limit: points, cubeMetres: cubeMetres) }

    /// As live-whole.js reads it.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("frame", .string(frame)), ("offset", .number(offsetSeconds)), ("seconds", .number(way.seconds)),
            ("way", .string(way.base64)),
            (
                "fixes",
                .array(fixes.map { .array([.number($0.latitude), .number($0.longitude), .number($0.errorMetres)]) })
            ),
        ]
        if isYUp {
            let turn = Coordinates.mapFromWorld.rotation.inverse
            members.append(("turn", .array([turn.x, turn.y, turn.z, turn.w].map { .number($0) })))
        }
        var points = points
        points.colourByHeight(below: way.ceilingMetres)
        let (centre, edge) = Self.cube(points.points)
        members += [
            ("count", .integer(points.points.count)), ("metres", .number(Double(points.cubeMetres))),
            ("centre", .array(centre.map { .number($0) })), ("size", .number(edge)),
            ("points", .string(Base64.text(CloudSection.bytes(points.points, centre: centre, edge: edge)))),
        ]
        return .object(members)
    }

    /// The cube that has all points.
    private static func cube(_ points: [PointCollector.Point]) -> (centre: [Double], edge: Double) {
        var (centre, edge) = ([0.0, 0, 0], 0.1)
        for axis in 0..<3 {
            guard let low = points.map({ $0.place[axis] }).min(), let high = points.map({ $0.place[axis] }).max()
            else { break }
            centre[axis] = (Double(low) + Double(high)) / 2
            edge = max(edge, Double(high) - Double(low))
        }
        return (centre, edge)
    }
}

extension Array {
    /// At most so many, evenly spread.
    func evenly(_ limit: Int) -> [Element] {
        guard count > limit else { return self }
        return (0..<limit).map { self[(2 * $0 + 1) * count / (2 * limit)] }
    }
}
