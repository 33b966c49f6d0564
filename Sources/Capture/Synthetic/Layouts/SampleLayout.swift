import Codecs
import Files
import Recording
import SystemPackage

/// How one app lays out a recording: names and encodings of the files of a frame, and the lists beside them.
///
/// Written from what is known of the formats, not from the readers, which it judges.
protocol SampleLayout: Sendable {
    var schedule: SampleSchedule { get }
    /// Folders below the recording, the outer ones first.
    var folders: [String] { get }
    /// Which files a frame has, and how they are made.
    var files: SampleFiles { get }
    /// Writes what is no file of a frame; says how many samples there are.
    func writeLists(_ folder: SessionFolder) throws -> SampleCounts
}

extension SampleLayout {
    var options: SampleOptions { schedule.options }
    /// The camera of the pictures, before they are turned.
    var camera: CameraIntrinsics { SyntheticSession.intrinsics(options.imageSize) }
    /// The camera of the picture that the phone takes, which some formats mean whatever size their pictures have.
    var sensorCamera: CameraIntrinsics { camera.scaled(toWidth: 1920, height: 1440) }
    /// The camera of the depth grid.
    var depthCamera: CameraIntrinsics {
        camera.scaled(toWidth: LidarModel.grid.width, height: LidarModel.grid.height)
    }
}

/// The files of a frame: each kind has a name, relative to the recording, and an encoding; or the layout has none.
struct SampleFiles: Sendable {
    struct File<Content>: Sendable {
        var name: @Sendable (SampleFrame) -> String
        var encode: @Sendable (Content) throws(CodecError) -> [UInt8]
    }

    /// Pictures of 0x00BBGGRR as PNG; `nil` where they are JPEGs.
    var picture: (@Sendable (SampleFrame) -> String)?
    var isPNG = false
    /// Of the sensor's landscape grid, in metres.
    var depth: File<[Float]>?
    /// Of the same grid: 0, 1 and 2.
    var confidence: File<[UInt8]>?
    var relativeDepth: File<[Float]>?

    /// 16-bit millimetres; 0 is none.
    static func millimetrePNG(_ metres: [Float]) throws(CodecError) -> [UInt8] {
        let millimetres = metres.map { $0.isFinite && $0 > 0 ? UInt16(min(65_535, ($0 * 1000).rounded())) : 0 }
        return try PNG16.encode(width: LidarModel.grid.width, height: LidarModel.grid.height, samples: millimetres)
    }

    static func greyPNG(_ values: [UInt8]) throws(CodecError) -> [UInt8] {
        try PNG.encode(grey: values, size: LidarModel.grid)
    }
}

/// How many samples the lists have.
struct SampleCounts {
    var motion = 0
    var locations = 0
    var observations = 0
}

/// What a layout leaves in a folder, so that it can be removed without touching anything else.
struct SampleLeavings: Sendable {
    /// Files by their names.
    var files: [String]
    /// Files of frames: folder, what stands before the number, which may have a point, and what stands behind it.
    var numbered: [(folder: String, prefix: String, suffix: String)] = []
    /// Folders that go when they are empty, the inner ones first.
    var folders: [String] = []
}
