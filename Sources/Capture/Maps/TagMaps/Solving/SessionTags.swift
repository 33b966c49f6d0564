package import Perception
import Platform
package import Recording
package import Sessions

/// A frame of a session, and which tags it shows.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
package final class FrameTags: Sendable {
    package let frame: FrameReference
    /// For the sensor's image at the size that was searched.
    package let camera: CameraIntrinsics
    package let sightings: [TagSighting]
    /// Nil where there is no image that could be searched.
    package let rejected: TagRejections?
    /// Tags whose size is not known.
    package let withoutSize: Int
    package let diagnostics: Diagnostics

    init(
        _ frame: FrameReference,
        _ camera: CameraIntrinsics,
        _ sightings: [TagSighting],
        rejected: TagRejections?,
        withoutSize: Int,
        _ diagnostics: Diagnostics
    ) {
        self.frame = frame
        self.camera = camera
        self.sightings = sightings
        self.rejected = rejected
        self.withoutSize = withoutSize
        self.diagnostics = diagnostics
    }
}

/// The counts of the frames of a session that was searched for tags.
package struct SessionTagCounts: Sendable {
    package var frames = 0
    package var limitedTracking = 0
    package var withoutImage = 0
    package var sightings = 0
    package var withoutSize = 0
    package var otherPlanes = 0
    package var bySource: [TagSighting.Source: Int] = [:]
    package var rejected = TagRejections()
    package var diagnostics = Diagnostics()
    /// For each tag: the size that its pose was made with, and the sizes that LiDAR measured.
    private var edges: [Int: (given: Double, measured: [Double])] = [:]

    /// Tags whose size was given as another than LiDAR measures, by more than a twentieth in the median of five or more.
    package var wrongSizes: [(tag: Int, given: Double, measured: Double)] {
        edges.sorted { $0.key < $1.key }.compactMap { tag, edges in
            guard edges.measured.count >= 5, let median = edges.measured.median, abs(median / edges.given - 1) > 0.05
            else { return nil }
            return (tag, edges.given, median)
        }
    }

    mutating func add(_ frame: FrameTags) {
        frames += 1
        diagnostics.append(frame.diagnostics)
        withoutSize += frame.withoutSize
        guard let rejected = frame.rejected else { return withoutImage += 1 }
        self.rejected += rejected
        sightings += frame.sightings.count
        for sighting in frame.sightings {
            bySource[sighting.source, default: 0] += 1
            if sighting.hasOtherPlane { otherPlanes += 1 }
            guard let edge = sighting.measuredEdgeMetres else { continue }
            edges[sighting.tag.id, default: (sighting.edgeMetres, [])].measured.append(edge)
        }
    }
}

/// Searches the frames of a session for tags.
package struct SessionTags: Sendable {
    package var parameters = TagDetectorParameters()
    package var measurer: TagMeasurer
    /// Frames whose tracking was limited have poses that say little.
    package var keepsLimitedTracking = false
    package var jobs = 1

    package init(sizes: TagSizes) {
        measurer = TagMeasurer(sizes: sizes)
    }

    /// Gives every frame in the order of time, whatever the number of workers.
    @concurrent
    package func search(
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        _ deliver: @Sendable (FrameTags) async throws -> Void
    ) async throws -> SessionTagCounts {
        // What the library refuses it refuses here, before there are workers.
        _ = try TagDetector(parameters)
        var rule = FrameRule()
        rule.keepsLimitedTracking = keepsLimitedTracking
        let walk = try FrameWalk(session, span, rule)
        let (parameters, measurer) = (parameters, measurer)
        var counts = SessionTagCounts()
        try await walk.forEachFrame(jobs: jobs) {
            FrameWorker(session, tags: parameters)
        } prepare: { worker, walked in
            Self.search(walked, worker, measurer)
        } deliver: { found in
            counts.add(found)
            try await deliver(found)
        }
        counts.limitedTracking = walk.limitedTracking
        counts.diagnostics = walk.diagnostics(with: counts.diagnostics)
        return counts
    }

    private static func search(_ walked: WalkedFrame, _ worker: FrameWorker, _ measurer: TagMeasurer) -> FrameTags {
        let frame = walked.frame
        var diagnostics = Diagnostics()
        guard frame.hasImage, let stored = worker.loader.image(of: frame, walked.picture, &diagnostics),
            let found = worker.tags(in: stored, of: frame, &diagnostics)
        else { return FrameTags(frame, frame.intrinsics, [], rejected: nil, withoutSize: 0, diagnostics) }
        // Poses and depth are those of the sensor's grid, however the image was turned before it was stored.
        let size = found.orientation.storedSize(sensorWidth: found.size.width, sensorHeight: found.size.height)
        let camera = frame.intrinsics.scaled(toWidth: size.width, height: size.height)
        let tags = found.detections.tags
        let depth = tags.isEmpty ? nil : worker.loader.depth(of: frame, &diagnostics)
        let sightings = tags.compactMap { tag -> TagSighting? in
            var tag = tag
            tag.corners = tag.corners.map { corner in
                let point = found.orientation.sensorPoint(
                    storedX: corner.x,
                    storedY: corner.y,
                    sensorWidth: size.width,
                    sensorHeight: size.height
                )
                return SIMD2(point.x, point.y)
            }
            return measurer.sighting(of: tag, camera: camera, depth: depth)
        }
        return FrameTags(
            frame,
            camera,
            sightings,
            rejected: found.detections.rejected,
            withoutSize: tags.count - sightings.count,
            diagnostics
        )
    }
}

/// Makes the walk of a session, as the maps are made of, frame by frame.
package final class TagWalkBuilder {
    package private(set) var walk: RawTagMap
    /// For each pose, the line of its frame in the session's file.
    package private(set) var lines: [Int] = []

    package init(name: String) {
        walk = RawTagMap(name: name)
    }

    /// Noise of fixes lasts: one in this time says nearly all.
    private static let secondsOfFixes = 10.0

    /// Adds the fixes of the same session, when all of its frames are there: each to the pose that is nearest in time.
    package func add(_ track: FixTrack) {
        var last = -Double.infinity
        for place in track.places where walk.poses.count > 0 {
            let seconds = place.fix.time.seconds
            guard place.fix.horizontalSigmaMetres != nil, seconds - last >= Self.secondsOfFixes else { continue }
            let after = walk.poses.firstIndex { $0.seconds >= seconds } ?? walk.poses.count - 1
            let before = max(0, after - 1)
            let isBefore = seconds - walk.poses[before].seconds < abs(walk.poses[after].seconds - seconds)
            let pose = isBefore ? before : after
            guard abs(walk.poses[pose].seconds - seconds) <= 1 else { continue }
            walk.fixes.append(RawTagMap.Fix(pose: pose, sample: place.fix))
            last = seconds
        }
    }

    /// Adds a frame that was not searched for tags.
    package func add(_ frame: FrameReference) {
        lines.append(frame.line)
        walk.poses.append(
            RawTagMap.Pose(
                id: Int64(frame.index),
                seconds: frame.time.seconds,
                worldFromCamera: frame.worldFromCamera
            )
        )
    }

    package func add(_ found: FrameTags) {
        let pose = walk.poses.count
        add(found.frame)
        for sighting in found.sightings {
            let id = Int64(sighting.tag.id)
            var detection = RawTagMap.Detection(tag: id, pose: pose, cameraFromTag: sighting.cameraFromTag)
            detection.cameraFromTagBefore = sighting.poses.first?.cameraFromTag
            if sighting.source == .ambiguous { detection.cameraFromTagOther = sighting.poses.last?.cameraFromTag }
            detection.corners = sighting.tag.corners
            detection.camera = found.camera
            detection.covariance = sighting.covariance
            walk.detections.append(detection)
        }
    }
}
