import Codecs
import Platform
package import Recording
import SystemPackage

/// The recording formats in whose layout a sample can be written.
package enum SampleFormat: String, Hashable, Sendable, CaseIterable {
    case native
    case strayScanner = "stray-scanner"
    case threeDScannerApp = "3d-scanner-app"
    case record3D = "record3d"
    case r3d
    case polycam
    case arkitScenes = "arkitscenes"
    case transformsJSON = "transforms-json"
    case nerfCapture = "nerfcapture"
    case scanPackage = "scan-package"
    case iosLogger = "ios-logger"

    /// As people call it.
    package var title: String {
        switch self {
        case .native: "native"
        case .strayScanner: "Stray Scanner"
        case .threeDScannerApp: "3D Scanner App"
        case .record3D: "Record3D EXR + JPG"
        case .r3d: "Record3D .r3d"
        case .polycam: "Polycam raw"
        case .arkitScenes: "ARKitScenes"
        case .transformsJSON: "nerfstudio transforms.json"
        case .nerfCapture: "NeRFCapture"
        case .scanPackage: "ScanPackage"
        case .iosLogger: "ios_logger"
        }
    }

    package var hasMotion: Bool { [.native, .strayScanner, .iosLogger].contains(self) }
    package var hasLocation: Bool { [.native, .threeDScannerApp, .iosLogger].contains(self) }
    package var hasPictures: Bool { self != .iosLogger }
    package var hasDepth: Bool { ![.nerfCapture, .iosLogger].contains(self) }
    package var hasConfidence: Bool { hasDepth && ![.record3D, .transformsJSON].contains(self) }
    package var hasTimes: Bool { self != .transformsJSON }
    /// True if pictures, depth and poses are turned upright, as those of Record3D.
    package var turnsPictures: Bool { self == .record3D || self == .r3d }
    /// True if it is written as one file instead of a folder.
    package var isFile: Bool { self == .r3d }

    /// The size of the pictures where none is asked for.
    package var imageSize: GridSize {
        switch self {
        case .polycam: GridSize(width: 1024, height: 768)
        case .arkitScenes: ARKitScenesLayout.streams[0].size
        default: GridSize(width: 1920, height: 1440)
        }
    }

    /// The things that recordings of the format do not have, of those that the sample could have.
    package var absences: [String] {
        let parts = [
            (hasPictures, "pictures"), (hasDepth, "depth"), (hasDepth == hasConfidence, "confidence"),
            (hasMotion, "IMU samples"), (hasLocation, "GPS fixes"), (hasTimes, "times"),
        ]
        return parts.filter { !$0.0 }.map(\.1)
    }

    func layout(_ schedule: SampleSchedule) -> any SampleLayout {
        switch self {
        case .native: NativeLayout(schedule: schedule)
        case .strayScanner: StrayLayout(schedule: schedule)
        case .threeDScannerApp: ScannerLayout(schedule: schedule)
        case .record3D: Record3DLayout(schedule: schedule, isPackage: false)
        case .r3d: Record3DLayout(schedule: schedule, isPackage: true)
        case .polycam: PolycamLayout(schedule: schedule)
        case .arkitScenes: ARKitScenesLayout(schedule: schedule)
        case .transformsJSON: TransformsLayout(schedule: schedule, isCapture: false)
        case .nerfCapture: TransformsLayout(schedule: schedule, isCapture: true)
        case .scanPackage: ScanPackageLayout(schedule: schedule)
        case .iosLogger: IOSLoggerLayout(schedule: schedule)
        }
    }

    /// The leavings of every layout.
    static let leavings: [SampleLeavings] = [
        NativeLayout.leavings, StrayLayout.leavings, ScannerLayout.leavings, Record3DLayout.leavings,
        PolycamLayout.leavings, ARKitScenesLayout.leavings, TransformsLayout.leavings, ScanPackageLayout.leavings,
        IOSLoggerLayout.leavings,
    ]
}

extension SampleFormat {
    /// An option that a recording of this format cannot have.
    package struct Refusal: Hashable, Sendable {
        /// Without its dashes.
        package var option: String
        package var expected: String
    }

    /// The first option that the format has no place for.
    package func refusal(of options: SampleOptions) -> Refusal? {
        guard self != .native else { return nil }
        func refused(_ isAsked: Bool, _ option: String, _ what: String) -> Refusal? {
            isAsked ? Refusal(option: option, expected: "a format that has \(what), which \(title) has not") : nil
        }
        let streams: [Refusal?] = [
            refused(options.hasRelativeDepth, "relative-depth", "relative depth"),
            refused(options.hasTiles, "tiles", "map tiles"),
            refused(options.hasGPS && !hasLocation, "gps", "GPS fixes"),
            refused(options.hasObservations, "everything", "a compass and radios"),
            refused(options.imuRateHertz > 0 && !hasMotion, "imu-rate", "IMU samples"),
            refused(
                !options.hasLidar && [.strayScanner, .record3D, .r3d, .arkitScenes, .scanPackage].contains(self),
                "no-lidar",
                "recordings without depth"
            ),
        ]
        return streams.compactMap(\.self).first ?? orientationRefusal(options.orientation)
            ?? sizeRefusal(options.imageSize)
    }

    private func orientationRefusal(_ orientation: SampleOptions.Orientation) -> Refusal? {
        let upright: [SampleOptions.Orientation] = [.fixed(.portrait), .fixed(.landscapeRight)]
        if turnsPictures, !upright.contains(orientation) {
            return Refusal(option: "orientation", expected: "portrait or landscapeRight for \(title)")
        }
        guard case .fixed = orientation else {
            return Refusal(option: "orientation", expected: "one orientation for all of a recording of \(title)")
        }
        return nil
    }

    private func sizeRefusal(_ size: GridSize) -> Refusal? {
        let sizes = ARKitScenesLayout.streams.map(\.size)
        guard self == .arkitScenes, !sizes.contains(size) else { return nil }
        return Refusal(option: "size", expected: "256x192, 640x480 or 1920x1440 for \(title)")
    }
}

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
    /// The depth in the sensor's landscape grid, in metres.
    var depth: File<[Float]>?
    /// The confidence in the same grid: 0, 1 and 2.
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

/// The files of a layout in a folder, so that they can be removed without touching anything else.
struct SampleLeavings: Sendable {
    var files: [String]
    /// Files of frames: folder, what stands before the number, which may have a point, and what stands behind it.
    var numbered: [(folder: String, prefix: String, suffix: String)] = []
    /// Folders that go when they are empty, the inner ones first.
    var folders: [String] = []
}
