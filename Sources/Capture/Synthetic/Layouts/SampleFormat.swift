package import Recording

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
    /// Whether pictures, depth and poses are turned upright, as those of Record3D.
    package var turnsPictures: Bool { self == .record3D || self == .r3d }
    /// Whether it is written as one file instead of a folder.
    package var isFile: Bool { self == .r3d }

    /// The size of the pictures where none is asked for.
    package var imageSize: GridSize {
        switch self {
        case .polycam: GridSize(width: 1024, height: 768)
        case .arkitScenes: ARKitScenesLayout.streams[0].size
        default: GridSize(width: 1920, height: 1440)
        }
    }

    /// What recordings of the format do not have, of what the sample could have.
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

    /// What every layout may have left in a folder.
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
