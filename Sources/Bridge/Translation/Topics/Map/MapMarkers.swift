import Maps
import Messages
import Recording

/// `/mapping/map`: the mesh in triangle lists, one for each group of blocks, of which a message holds those that changed.
///
/// A list replaces the one of the same id. It is sent again when a quarter more frames have seen its blocks, as the mean
/// moves ever less, and once more at the end of the session.
struct MapMarkers: MapView {
    static let kind = TopicKind.meshMarkers
    // Each message holds only what changed: none may be dropped.
    static let isWhole = false
    private var groups = MarkerGroups()
    private var pass = 0

    init(_ context: SourceContext) {}

    static func set(_ header: Header, of content: inout MarkerArray) {
        for index in content.markers.indices { content.markers[index].header = header }
    }

    mutating func contents(of map: LiveMap, isLast: Bool) async -> [MarkerArray] {
        var messages: [MarkerArray] = []
        var first: [Marker] = []
        if pass != map.pass {
            pass = map.pass
            groups = MarkerGroups()
            first = [MarkerGroups.clearing]
        }
        groups.note(map.history)
        let due = groups.due(isLast: isLast)
        guard !due.isEmpty, let extractor = await map.extractor() else { return messages }
        let parts = await extractor.parts(of: due.map { groups.keys($0) })
        var left = Array(zip(due, parts.triangles))[...]
        let bytes = parts.triangles.reduce(0) { $0 + $1.count } * MarkerGroups.bytesPerTriangle
        let limit = isLast ? MarkerGroups.lastBytes(ofAll: bytes) : MarkerGroups.maximumBytes
        repeat {
            let markers = first + groups.takeMarkers(&left, parts.points, maximumBytes: limit)
            first = []
            if !markers.isEmpty { messages.append(MarkerArray(markers: markers)) }
            // What has no room waits for the next time, but at the end.
        } while isLast && !left.isEmpty
        return messages
    }
}

/// Groups of 2x2x2 blocks, and how many frames had seen each when its marker was sent last.
struct MarkerGroups {
    private struct Group {
        var keys: [BlockKey] = []
        var seen = 0
        var sent = 0
        var isShown = false
    }

    static let namespace = "map"
    /// As the app has it; rosbridge servers take 10 MB a message.
    static let maximumBytes = 1_500_000
    private static let mostBytes = 9_000_000
    /// The most that a triangle takes as JSON: three points and three colours.
    static let bytesPerTriangle = 3 * (46 + 56)

    /// The size of the last messages: as few as one moment holds, as far as servers take them.
    static func lastBytes(ofAll bytes: Int) -> Int {
        min(mostBytes, max(maximumBytes, bytes / (ClosingMoment.mostMessages - 1)))
    }

    private var numbers: [SIMD3<Int32>: Int] = [:]
    /// In the order in which they were first seen, which is their markers' id.
    private var groups: [Group] = []

    func keys(_ group: Int) -> [BlockKey] { groups[group].keys }

    mutating func note(_ history: [(key: BlockKey, use: BlockUse)]) {
        for index in groups.indices { (groups[index].keys, groups[index].seen) = ([], 0) }
        for (key, use) in history {
            let place = key.place &>> 1
            let number = numbers[place] ?? groups.count
            if number == groups.count {
                numbers[place] = number
                groups.append(Group())
            }
            groups[number].keys.append(key)
            groups[number].seen += Int(use.frameCount)
        }
    }

    /// Deletes whatever an earlier pass, or an earlier run, has left on a screen.
    static var clearing: Marker {
        var marker = Marker()
        marker.ns = namespace
        marker.action = Marker.deleteAll
        return marker
    }

    /// The groups that are to be sent, those first that were sent least.
    func due(isLast: Bool) -> [Int] {
        groups.indices
            .filter { number in
                let group = groups[number]
                return isLast ? group.seen > group.sent : 4 * group.seen > 5 * group.sent
            }
            .sorted { (groups[$0].sent, $0) < (groups[$1].sent, $1) }
    }

    /// The markers of the first groups, as many as a message may hold and at least one.
    mutating func takeMarkers(
        _ due: inout ArraySlice<(Int, [SurfaceMesh.Triangle])>,
        _ points: [SurfacePoint],
        maximumBytes: Int
    ) -> [Marker] {
        var markers: [Marker] = []
        var bytes = 0
        while let (number, triangles) = due.first {
            bytes += triangles.count * Self.bytesPerTriangle
            if bytes > maximumBytes, !markers.isEmpty { break }
            due.removeFirst()
            groups[number].sent = groups[number].seen
            guard !triangles.isEmpty || groups[number].isShown else { continue }
            groups[number].isShown = !triangles.isEmpty
            markers.append(Self.marker(number, points, triangles))
        }
        return markers
    }

    /// A list of triangles; without any, what removes it.
    static func marker(
        _ number: Int,
        _ points: [SurfacePoint],
        _ triangles: [SurfaceMesh.Triangle]
    ) -> Marker {
        var marker = Marker()
        marker.ns = namespace
        marker.id = Int32(clamping: number)
        marker.type = Marker.triangleList
        guard !triangles.isEmpty else {
            marker.action = Marker.delete
            return marker
        }
        (marker.scale.x, marker.scale.y, marker.scale.z) = (1, 1, 1)
        marker.color = colour(0xFF_FFFF)
        let corners = triangles.flatMap { [$0.a, $0.b, $0.c] }.map { points[Int($0)] }
        marker.points = corners.map(place)
        marker.colors = corners.map { colour($0.colour) }
        return marker
    }

    /// To a tenth of a millimetre, which is fewer digits than a Float's own.
    private static func place(_ corner: SurfacePoint) -> Point {
        point((Recording.Vector3(corner.position) * 10_000).rounded(.toNearestOrAwayFromZero) / 10_000)
    }

    /// 0x00RRGGBB as parts of 1, in steps of a hundredth of a percent.
    private static func colour(_ value: UInt32) -> ColorRGBA {
        func part(_ shift: UInt32) -> Float { (Float(value >> shift & 255) / 255 * 10_000).rounded() / 10_000 }
        var colour = ColorRGBA()
        (colour.r, colour.g, colour.b, colour.a) = (part(16), part(8), part(0), 1)
        return colour
    }
}
