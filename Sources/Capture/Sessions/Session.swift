package import Perception
package import Recording

/// A recording that was opened: its small files were read once, its images and depth stay on disk.
///
/// A recording format is a type that conforms to this protocol, with a ``RecordCursor`` and a ``PayloadLoader`` of its
/// own, and a line in ``RecordingFormat/all``; most formats are a list of poses with files beside them, and need no more
/// than a ``FrameListSession``. Everything above reads sessions through these three protocols only; a repair looks at
/// files, and is the native format's own (``SessionRepair``).
package protocol Session: Sendable {
    var summary: SessionSummary { get }

    /// The problems of the small files; problems of images and depth are found when those are loaded.
    var diagnostics: Diagnostics { get }

    /// The map tiles that came with the recording.
    var tiles: TileStore { get }

    /// The better poses that its frames have; `nil` where they are those that were recorded.
    var correction: PoseCorrection? { get }

    /// The records of a time span in time order.
    func records(_ request: RecordRequest) throws -> any RecordCursor

    /// Loads images and depth; one loader for each worker.
    func makeLoader() -> any PayloadLoader

    /// The pictures of one pass over the frames, where they are in a video; `nil` where each image has a file.
    ///
    /// The walk through the frames takes the pictures in that order, and gives them to the workers with the frames: a
    /// loader that is given none decodes the video by itself, from its start.
    func makeVideoPass() -> VideoPass?

    /// Counts files that no record of the session names. Reads folder listings only.
    func orphans() -> Diagnostics

    /// The same session without its depth where a few frames show that depth and poses contradict each other.
    func examined() throws -> any Session

    /// Returns the findings of a check in the lines by themselves, beyond those counted when the session was opened.
    func examineLines() throws -> LineExamination
}

extension Session {
    package var correction: PoseCorrection? { nil }

    package func makeVideoPass() -> VideoPass? { nil }

    package func examineLines() throws -> LineExamination { try LineExamination(self) }

    /// Native sessions are not examined on opening; `check` and `inspect` report depth that contradicts the poses.
    package func examined() throws -> any Session { self }

    /// The first thing that a few frames show to be wrong with depth and poses as a whole; `nil` where nothing is.
    package func contradiction() throws -> Problem? {
        try DepthExamination.problem(of: self)
    }

    package var tiles: TileStore { TileStore() }

    package func orphans() -> Diagnostics { Diagnostics() }
}

/// Walks through a session's records in time order: the merge of its streams.
///
/// At equal times records come in the order of ``RecordStream``.
package protocol RecordCursor: AnyObject {
    /// The problems of the records up to here, beyond those counted when the session was opened.
    var diagnostics: Diagnostics { get }

    /// Frames of the span up to here whose tracking was limited or lost, whether they were wanted or not.
    var limitedTrackingCount: Int { get }

    /// The time of the next location fix, before it is handed out.
    var upcomingLocationTime: Timestamp? { get }

    /// The next record of the span, or `nil` at the end.
    ///
    /// - Parameter isFrameWanted: asked with a frame's time before the frame is read as a whole; frames that are not
    ///   wanted cost next to nothing. A frame that turns out to be broken is passed over as if it were not there.
    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record?
}

extension RecordCursor {
    /// The next record of the span, with every frame wanted.
    package func next() throws -> Record? { try next { _ in true } }
}

/// Loads the payloads of frames and checks them.
///
/// Each worker has its own, so that buffers are used again. A payload that is damaged gives `nil` and records a problem.
package protocol PayloadLoader: AnyObject {
    /// Reads and checks the image.
    ///
    /// - Parameter picture: that of the frame, where it comes from a video and was taken from a ``VideoPass``.
    func image(
        of frame: FrameReference,
        _ picture: VideoPicture?,
        _ diagnostics: inout Diagnostics
    ) -> StoredImage?

    /// Decodes an image at an eighth of its size, or at full size, turned as it is stored.
    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage?

    /// Where the depth of a frame is read from, as problems name it.
    func depthFile(of frame: FrameReference) -> String

    /// The depth that clouds and maps are made of and, where there is any, its confidence.
    func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap?

    /// Depth as it was recorded, whatever ``depth(of:_:)`` gives.
    func lidarDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap?

    /// How relative depth became the depth that clouds are made of; `nil` where they are made of other depth.
    func gridCalibration(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> GridCalibration?

    /// Depth as fine as the image; `nil` where none is asked for.
    func denseDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap?

    /// The same of other LiDAR depth of the frame.
    func denseDepth(from lidar: DepthMap, of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap?

    /// Relative depth, which covers the sensor's landscape image however the phone was held.
    func relativeDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> RelativeDepthMap?
}

extension PayloadLoader {
    package func image(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> StoredImage? {
        image(of: frame, nil, &diagnostics)
    }

    package func relativeDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> RelativeDepthMap? { nil }

    package func lidarDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        depth(of: frame, &diagnostics)
    }

    package func gridCalibration(
        of frame: FrameReference,
        _ diagnostics: inout Diagnostics
    ) -> GridCalibration? { nil }

    package func denseDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? { nil }

    package func denseDepth(
        from lidar: DepthMap,
        of frame: FrameReference,
        _ diagnostics: inout Diagnostics
    ) -> DepthMap? { nil }

    package func depthFile(of frame: FrameReference) -> String { "the depth of frame \(frame.index)" }
}

/// Which records are wanted.
package struct RecordRequest: Sendable {
    /// On the session's own clock, both ends included.
    package var span: ClosedRange<Timestamp>
    package var streams: Set<RecordStream>
    /// True if the payloads that exist for a frame are looked up; without, frames are as they were recorded.
    package var resolvesPayloads: Bool
    /// True if records far before the span and behind it may be left unread: their problems are then not counted.
    package var jumps: Bool

    package init(
        span: ClosedRange<Timestamp> = Timestamp(nanoseconds: .min)...Timestamp(nanoseconds: .max),
        streams: Set<RecordStream> = Set(RecordStream.allCases),
        resolvesPayloads: Bool = true,
        jumps: Bool = false
    ) {
        self.span = span
        self.streams = streams
        self.resolvesPayloads = resolvesPayloads
        self.jumps = jumps
    }
}
