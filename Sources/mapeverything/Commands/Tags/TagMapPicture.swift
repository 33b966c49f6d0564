import HTMLReports
import Maps
import Recording
import Translation

/// A map of tags from above: walks as they were recorded and as they are in the map, tags, named places.
enum TagMapPicture {
    private static let size = SIMD2(1000.0, 760.0)

    static func svg(_ map: SolvedTagMap, _ walks: [RawTagMap], names: [String], title: String) -> SVG {
        var svg = SVG(
            width: size.x,
            height: size.y,
            title: title,
            description: "\(map.tags.count) tags and \(map.walks.count) walks from above, in metres of the frame map"
        )
        let solved = map.walks.map { $0.poses.map(ground) }
        let recorded = map.walks.map { walk in
            let poses = walks[walk.index].poses
            guard let first = walk.poses.first, let start = poses.first else { return [SIMD2<Double>]() }
            let motion = first * start.worldFromCamera.inverse
            return poses.map { ground(motion * $0.worldFromCamera) }
        }
        let tags = map.tags.map { ground($0.worldFromTag) }
        let all = solved.flatMap(\.self) + (map.keptPoses ? [] : recorded.flatMap(\.self)) + tags
        let view = PlanView(
            all + map.waypoints.map { ground($0.worldFromWaypoint) },
            in: (50, 50 + 18 * Double(map.walks.count), size.x - 20, size.y - 30)
        )
        view.drawGrid(on: &svg)
        svg.text(title, SIMD2(20, 24), "head")
        if map.tags.contains(where: { $0.rejected > 0 }) {
            svg.text("red: tags of which sightings were rejected", SIMD2(size.x - 20, 24), "warn", .end)
        }
        for (place, walk) in map.walks.enumerated() {
            let style = "s\(place % SVG.seriesCount)"
            if !map.keptPoses { svg.path(recorded[place].map(view.pixel), "soft dash") }
            svg.path(solved[place].map(view.pixel), style)
            if let start = solved[place].first { svg.circle(view.pixel(start), radius: 4, style, hint: "start") }
            let y = 44 + 18 * Double(place)
            svg.line(SIMD2(20, y - 4), SIMD2(44, y - 4), style)
            svg.text(names[walk.index] + (map.keptPoses ? "" : " (as recorded: dashed)"), SIMD2(52, y), "")
        }
        for tag in map.tags { draw(tag, edgeMetres: map.edgeMetres[tag.key.id] ?? 0.15, view, on: &svg) }
        for waypoint in map.waypoints {
            let place = view.pixel(ground(waypoint.worldFromWaypoint))
            let corners = [SIMD2(0.0, -6), SIMD2(6, 0), SIMD2(0, 6), SIMD2(-6, 0)]
            svg.path(corners.map { place + $0 }, "thick", closes: true)
            svg.text(waypoint.name, place + SIMD2(10, 4), "head")
        }
        return svg
    }

    /// A bar along the tag with a line out of its front, seen from above; one on the floor is a circle.
    private static func draw(_ tag: SolvedTagMap.Tag, edgeMetres: Double, _ view: PlanView, on svg: inout SVG) {
        let place = view.pixel(ground(tag.worldFromTag))
        let front = tag.worldFromTag.rotation.rotating(Vector3(0, 0, 1))
        // On the page y is down, and the world's z points to its bottom.
        let normal = SIMD2(front.x, front.z)
        let length = (normal * normal).sum().squareRoot()
        let style = tag.rejected > 0 ? "warn" : ""
        var label = SIMD2(0.0, -8)
        if length > 0.3 {
            let out = normal / length
            let half = max(5, edgeMetres * view.scale / 2)
            let along = SIMD2(-out.y, out.x) * half
            svg.line(place - along, place + along, "thick \(style)")
            svg.line(place, place + out * 9, style)
            label = -out * 12
        } else {
            svg.circle(place, radius: 4, style.isEmpty ? "ink" : style)
        }
        svg.text("\(tag.key)", place + label + SIMD2(0, 4), style, .middle)
    }

    /// To the right and up on the page: x and y of the frame `map`.
    private static func ground(_ pose: Transform) -> SIMD2<Double> {
        let place = Coordinates.mapFromWorld * pose.translation
        return SIMD2(place.x, place.y)
    }
}
