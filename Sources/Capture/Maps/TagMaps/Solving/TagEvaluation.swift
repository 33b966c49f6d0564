import Perception
import Platform
package import Recording

/// How far tags of a map are from where they truly are, after one rigid motion of the whole map.
package struct TruthComparison: Sendable {
    package struct Tag: Sendable {
        package var id: Int64
        package var errorMetres: Double
    }

    /// The tags in the order of their numbers.
    package let tags: [Tag]
    /// Tags of the map that the truth does not have, and the other way round.
    package let withoutTruth: [Int64]
    package let withoutMap: [Int64]
    /// The mean difference of distances between two tags, in metres and as a share of the true distance.
    package let pairErrorMetres: Double
    package let pairErrorShare: Double

    /// Nil with fewer than three tags in both.
    package init?(_ places: [Int64: Vector3], _ truth: TagTruth) {
        let common = places.keys.filter { truth.places[$0] != nil }.sorted()
        let pairs = common.compactMap { id in places[id].flatMap { place in truth.places[id].map { (place, $0) } } }
        guard let motion = RigidAlignment.transform(pairs.map(\.0), to: pairs.map(\.1)) else { return nil }
        tags = zip(common, pairs).map { Tag(id: $0, errorMetres: (motion * $1.0 - $1.1).length) }
        withoutTruth = places.keys.filter { truth.places[$0] == nil }.sorted()
        withoutMap = truth.places.keys.filter { places[$0] == nil }.sorted()
        var (sum, share, count) = (0.0, 0.0, 0.0)
        for first in pairs.indices {
            for second in pairs.indices.dropFirst(first + 1) {
                let distance = (pairs[first].1 - pairs[second].1).length
                guard distance > 0 else { continue }
                let error = abs((pairs[first].0 - pairs[second].0).length - distance)
                sum += error
                share += error / distance
                count += 1
            }
        }
        pairErrorMetres = count > 0 ? sum / count : 0
        pairErrorShare = count > 0 ? share / count : 0
    }

    package var rootMeanSquareMetres: Double {
        (tags.reduce(0) { $0 + $1.errorMetres * $1.errorMetres } / Double(tags.count)).squareRoot()
    }

    package var medianMetres: Double { tags.map(\.errorMetres).median ?? 0 }
    package var worst: Tag { tags.max { $0.errorMetres < $1.errorMetres } ?? Tag(id: 0, errorMetres: 0) }
}

/// The agreement of a raw map with itself: how near repeated detections of a tag are.
package struct TagConsistency: Sendable {
    package struct Tag: Sendable {
        package var id: Int64
        package var detections: Int
        /// The spread of the places about their mean, and of the directions of the normal about theirs.
        package var spreadMetres: Double
        package var spreadDegrees: Double
        /// The length of an edge as the corners and the poses say it; nil without corners.
        package var edgeMetres: Double?
    }

    /// The tags in the order of their numbers.
    package let tags: [Tag]
    /// World from tag by its first detection, as the phone app shows it.
    package let first: [Int64: Transform]

    package init(_ map: RawTagMap) {
        var seen: [Int64: [RawTagMap.Detection]] = [:]
        for detection in map.detections { seen[detection.tag, default: []].append(detection) }
        func world(_ detection: RawTagMap.Detection) -> Transform {
            map.poses[detection.pose].worldFromCamera * detection.cameraFromTag
        }
        first = seen.compactMapValues { $0.first.map(world) }
        tags = seen.sorted { $0.key < $1.key }.map { id, detections in
            let poses = detections.map(world)
            let mean = poses.reduce(.zero) { $0 + $1.translation } / Double(poses.count)
            let squares = poses.map { dot($0.translation - mean, $0.translation - mean) }
            let normals = poses.map { $0.rotation.rotating(Vector3(0, 0, 1)) }
            let middle = normals.reduce(.zero, +)
            let angles = normals.map { arcTangent(cross(middle, $0).length, dot(middle, $0)) }
            return Tag(
                id: id,
                detections: detections.count,
                spreadMetres: (squares.reduce(0, +) / Double(squares.count)).squareRoot(),
                spreadDegrees: (angles.reduce(0) { $0 + $1 * $1 } / Double(angles.count)).squareRoot() * 180 / .pi,
                edgeMetres: detections.compactMap { TagSquare($0)?.edgeMetres }.median
            )
        }
    }

    /// Over all detections of tags that were seen more than once; nil where there are none.
    package var spreadMetres: Double? {
        let repeated = tags.filter { $0.detections > 1 }
        let count = repeated.reduce(0) { $0 + $1.detections }
        guard count > 0 else { return nil }
        let sum = repeated.reduce(0) { $0 + $1.spreadMetres * $1.spreadMetres * Double($1.detections) }
        return (sum / Double(count)).squareRoot()
    }
}

extension [Double] {
    /// The mean of the two in the middle where their number is even; nil without values.
    var median: Double? { meanMedian }
}

/// The square of a detection: where the rays of its corners meet its plane.
struct TagSquare {
    /// The length of each edge, in metres.
    let edges: [Double]

    /// Nil where a corner's ray does not meet the plane in front of the camera.
    init?(_ detection: RawTagMap.Detection) {
        let pose = detection.cameraFromTag
        guard detection.corners.count == 4, let camera = detection.camera else { return nil }
        let normal = pose.rotation.rotating(Vector3(0, 0, 1))
        var points: [Vector3] = []
        for corner in detection.corners {
            let ray = camera.ray(corner)
            let slope = dot(normal, ray)
            guard abs(slope) > 1e-9 else { return nil }
            let distance = dot(normal, pose.translation) / slope
            guard distance > 0, distance < 1000 else { return nil }
            points.append(ray * distance)
        }
        edges = (0..<4).map { (points[$0] - points[($0 + 1) % 4]).length }
    }

    var edgeMetres: Double { edges.reduce(0, +) / 4 }

    /// True if the corners are an exact square: corners that were measured never are.
    var isComputed: Bool { edges.allSatisfy { abs($0 / edgeMetres - 1) < 1e-6 } }
}
