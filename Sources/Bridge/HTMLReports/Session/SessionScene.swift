import Recording
import Sessions
package import Text
package import Translation

/// Makes the whole scene of a session for the live page, in the background: the way at once, then points, coarse first.
package struct SessionScene: Sendable {
    /// The frames of which points are shown first.
    private static let coarse = 12
    private static let cloudColumns = 64

    private let setup: ReplaySetup

    /// - Parameter setup: What is played.
    package init(_ setup: ReplaySetup) { self.setup = setup }

    /// - Parameter show: Is given all there is, each time that there is more.
    @concurrent
    package func make(show: @Sendable (JSONValue) async -> Void) async throws {
        // Depth that is made of images takes seconds for each: the room is where LiDAR saw it.
        let session = (setup.session as? DepthSession)?.recorded ?? setup.session
        let request = RecordRequest(span: setup.span, streams: [.frames, .location])
        let walk = try RecordWalk(session, request, places: WholeScene.places)
        var scene = WholeScene(walk.way)
        scene.isYUp = setup.plan.profile.axes == .app
        let begin = setup.anchor.stamp(session.summary.firstTime)
        scene.offsetSeconds = Double(begin &- setup.stampSpan.lowerBound) / 1e9
        scene.fixes = walk.fixes.items.map {
            WholeScene.Fix(
                latitude: $0.latitudeDegrees,
                longitude: $0.longitudeDegrees,
                errorMetres: $0.horizontalAccuracyMetres
            )
        }
        await show(scene.json)
        for items in Self.rounds(walk) where !items.isEmpty {
            let frames = FrameWalk(session, frames: items.map(\.frame), withPicture: items.map(\.wantsImage))
            try await frames.forEachFrame(jobs: 1, takesPicture: false) {
                PictureMaker(session)
            } prepare: { maker, walked in
                maker.make(items[walked.number - 1], nil)
            } deliver: { made in
                if let cloud = made.cloud {
                    scene.points.add(cloud, confidence: made.cloudConfidence, at: made.seconds / walk.seconds)
                }
                // What is played comes first.
                await Task.yield()
            }
            await show(scene.json)
        }
    }

    /// The frames of which points are taken: a few from everywhere, then the others.
    private static func rounds(_ walk: RecordWalk) -> [[PictureItem]] {
        guard let first = walk.frames.items.first else { return [] }
        let frames = walk.frames.items.filter { $0.depthSize != nil && $0.tracking.isNormal }.evenly(WholeScene.clouds)
        let items = frames.map { frame in
            var frame = frame
            frame.hasImage = false
            let seconds = frame.time.seconds(since: first.time)
            return PictureItem(frame, seconds: seconds, cloud: true, cloudColumns: cloudColumns)
        }
        let coarse = Set(Array(items.indices).evenly(Self.coarse))
        return [true, false].map { isCoarse in
            items.indices.filter { coarse.contains($0) == isCoarse }.map { items[$0] }
        }
    }
}
