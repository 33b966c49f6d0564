package import Recording
package import Sessions
package import Tags
import Work

/// A frame of a session, and which tags it shows.
///
/// A class, as poses must not live in the frames of async functions (decision 014).
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

/// What became of the frames of a session that was searched for tags.
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
    /// By tag: the size that its pose was made with, and those that LiDAR measured.
    private var edges: [Int: (given: Double, measured: [Double])] = [:]

    package init() {}

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
        let walk = try TaggedFrameWalk(session, span, keepsLimitedTracking: keepsLimitedTracking)
        let (parameters, measurer) = (parameters, measurer)
        // What the library refuses it refuses here, before there are workers.
        _ = try TagDetector(parameters)
        try await forEachOrdered(workers: jobs, window: jobs * 3) {
            try walk.next()
        } makeWorker: {
            FrameSearcher(session, parameters, measurer)
        } transform: { searcher, item in
            searcher.search(item.frame, item.picture)
        } deliver: { found in
            walk.counts.add(found)
            try await deliver(found)
        }
        return walk.finish()
    }
}

/// The frames of a session on their way to the workers.
private final class TaggedFrameWalk {
    final class Item: Sendable {
        let frame: FrameReference

        let picture: VideoPicture?

        init(_ frame: FrameReference, _ picture: VideoPicture?) {
            self.frame = frame
            self.picture = picture
        }
    }

    private let cursor: any RecordCursor
    private let video: VideoPass?
    private let keepsLimitedTracking: Bool
    var counts = SessionTagCounts()

    init(_ session: any Session, _ span: ClosedRange<Timestamp>, keepsLimitedTracking: Bool) throws {
        cursor = try session.records(RecordRequest(span: span, streams: [.frames]))
        video = session.makeVideoPass()
        self.keepsLimitedTracking = keepsLimitedTracking
        counts.diagnostics = session.diagnostics
    }

    func next() throws -> Item? {
        while let record = try cursor.next() {
            guard case .frame(let frame) = record else { continue }
            if keepsLimitedTracking || frame.tracking.isNormal { return Item(frame, video?.picture(of: frame)) }
        }
        return nil
    }

    func finish() -> SessionTagCounts {
        counts.limitedTracking = keepsLimitedTracking ? 0 : cursor.limitedTrackingCount
        counts.diagnostics.append(cursor.diagnostics)
        return counts
    }
}

/// Loads and searches frames; one for each worker.
private final class FrameSearcher {
    private let loader: any PayloadLoader
    private let frameFile: String
    private let detector: TagDetector?
    private let decoder = ImageDecoder()
    private let measurer: TagMeasurer
    private var image = GrayImage(width: 0, height: 0, pixels: [])

    init(_ session: any Session, _ parameters: TagDetectorParameters, _ measurer: TagMeasurer) {
        loader = session.makeLoader()
        frameFile = session.summary.frameFile
        detector = try? TagDetector(parameters)
        self.measurer = measurer
    }

    func search(_ frame: FrameReference, _ picture: VideoPicture?) -> FrameTags {
        var diagnostics = Diagnostics()
        guard frame.hasImage, let stored = loader.image(of: frame, picture, &diagnostics), let detector else {
            return FrameTags(frame, frame.intrinsics, [], rejected: nil, withoutSize: 0, diagnostics)
        }
        let found: TagDetections
        do {
            try decoder.brightness(stored, into: &image)
            found = try detector.detect(image)
        } catch {
            diagnostics.record(
                Problem(
                    .brokenImage,
                    file: frameFile,
                    line: frame.line,
                    expected: "an image to search",
                    found: "\(error)"
                )
            )
            return FrameTags(frame, frame.intrinsics, [], rejected: nil, withoutSize: 0, diagnostics)
        }
        // Poses and depth are those of the sensor's grid, however the image was turned before it was stored.
        let size = stored.orientation.storedSize(sensorWidth: image.width, sensorHeight: image.height)
        let camera = frame.intrinsics.scaled(toWidth: size.width, height: size.height)
        let depth = found.tags.isEmpty ? nil : loader.depth(of: frame, &diagnostics)
        let sightings = found.tags.compactMap { tag -> TagSighting? in
            var tag = tag
            tag.corners = tag.corners.map { corner in
                let point = stored.orientation.sensorPoint(
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
            rejected: found.rejected,
            withoutSize: found.tags.count - sightings.count,
            diagnostics
        )
    }
}
