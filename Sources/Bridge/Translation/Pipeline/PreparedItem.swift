package import Maps
package import Perception
package import Recording
package import Sessions

/// The data from which the messages of a frame are made, and which the parallel stage has to prepare.
package struct PayloadNeeds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The stored image's bytes.
    package static let image = PayloadNeeds(rawValue: 1)
    /// The coloured metric cloud.
    package static let lidarCloud = PayloadNeeds(rawValue: 2)
    /// The calibration and the relative cloud.
    package static let relativeCloud = PayloadNeeds(rawValue: 4)
    /// The depth map and its confidence, as they are.
    package static let depth = PayloadNeeds(rawValue: 8)
    /// The data that is fused into the map.
    package static let mapFrame = PayloadNeeds(rawValue: 16)
    /// The depth map as fine as the image.
    package static let denseDepth = PayloadNeeds(rawValue: 64)
    /// The tags in the image.
    package static let tags = PayloadNeeds(rawValue: 32)
}

/// A record on its way to the workers: what is due of it.
package struct WorkItem: Sendable {
    /// How many sources there may be; a bit beyond it would be 0, and its source never due.
    package static let sourceLimit = UInt64.bitWidth

    package var record: Record
    /// A bit for each source that is due, by its place in the list of at most ``sourceLimit``.
    package var dueSources: UInt64
    package var needs: PayloadNeeds
    /// The picture of a frame, where it comes from a video.
    package var picture: VideoPicture?
    /// The trusted frame before the record, for velocities and places.
    package var previousFrame: FrameReference?
    /// A frame nearby that has a picture, where the record is one that has none.
    package var picturedFrame: FrameReference?
    /// How the recording did up to here.
    package var health = RecordingHealth()
}

/// A record with everything that its messages need.
package struct PreparedItem: Sendable {
    package var record: Record
    package var dueSources: UInt64
    package var previousFrame: FrameReference?
    package var image: StoredImage?
    /// How the frame's picture is stored, and with it the depth of its messages.
    package var turn = ImageOrientation.landscapeRight
    package var cloud: PointCloud?
    package var relative: RelativeResult?
    package var depth: DepthMap?
    package var denseDepth: DepthMap?
    package var mapFrame: MapFrame?
    package var tags: FoundTags?
    /// Problems of the payloads; those of lines are kept by the `RecordCursor`.
    package var diagnostics = Diagnostics()
    package var health: RecordingHealth
    package var remarks = ReplayCounts()

    init(_ item: WorkItem) {
        health = item.health
        record = item.record
        dueSources = item.dueSources
        previousFrame = item.previousFrame
    }

    /// The frame, where the record is one.
    package var frame: FrameReference? {
        if case .frame(let frame) = record { frame } else { nil }
    }
}

/// A relative cloud and how it becomes metric.
package struct RelativeResult: Sendable {
    package var calibration: RelativeDepthCalibration
    /// Where clouds are made of the calibrated depth.
    package var grid: GridCalibration?
    package var cloud: PointCloud
    package var gridSize: GridSize
}

/// The counts of items that were left out by rule rather than by damage.
package struct ReplayCounts: Sendable, Hashable {
    /// Frames whose tracking was limited or lost.
    package var limitedTracking = 0
    /// Relative depth maps to which no trustworthy line could be fitted, by reason.
    package var refusedCalibrations: [String: Int] = [:]
    /// Clouds of which nothing was left.
    package var emptyClouds = 0
    /// Clouds whose image could not be used.
    package var colourlessClouds = 0
    /// Clouds of frames without a picture, which have their colours from that of a frame nearby.
    package var borrowedColours = 0
    /// The counts of the pixels of the metric clouds, including clouds of which nothing was left.
    package var lidarClouds = CloudCounts()
    /// The same of the relative clouds.
    package var relativeClouds = CloudCounts()

    package init() {}

    package mutating func append(_ other: ReplayCounts) {
        limitedTracking += other.limitedTracking
        refusedCalibrations.merge(other.refusedCalibrations, uniquingKeysWith: +)
        emptyClouds += other.emptyClouds
        colourlessClouds += other.colourlessClouds
        borrowedColours += other.borrowedColours
        lidarClouds.append(other.lidarClouds)
        relativeClouds.append(other.relativeClouds)
    }
}
