import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// Every layout, opened by the reader of its format, against the native session of the same options.
///
/// The layouts are written from what is known of the formats and share no code with the readers.
@Suite struct LayoutTests {
    /// A format whose reader has to give the truth again.
    struct Proof: Sendable, CustomTestStringConvertible {
        var format: SampleFormat
        /// As the reader calls it.
        var name: String
        /// By how much a depth may be wrong, in metres; `nil` where there is none.
        var depthStep: Double?
        /// By how much a time after the first frame may be wrong; `nil` where the format has no times.
        var timeStep: Double? = 1e-6

        var testDescription: String { format.rawValue }
    }

    /// One line a format.
    static let proofs = [
        Proof(format: .native, name: "native", depthStep: 0),
        Proof(format: .strayScanner, name: "Stray Scanner", depthStep: 0.000_501),
        Proof(format: .threeDScannerApp, name: "3D Scanner App", depthStep: 0.000_501),
        Proof(format: .record3D, name: "Record3D", depthStep: 0.002),
        Proof(format: .r3d, name: "Record3D", depthStep: 0),
        Proof(format: .transformsJSON, name: "nerfstudio", depthStep: 0.000_501, timeStep: nil),
        Proof(format: .nerfCapture, name: "NeRFCapture", depthStep: nil),
        Proof(format: .scanPackage, name: "ScanPackage", depthStep: 0),
        Proof(format: .polycam, name: "Polycam", depthStep: 0.000_501),
        Proof(format: .arkitScenes, name: "ARKitScenes", depthStep: 0.000_501, timeStep: 1e-3),
        Proof(format: .iosLogger, name: "ios_logger", depthStep: nil),
    ]

    private static func options(_ format: SampleFormat, _ orientation: ImageOrientation) -> SampleOptions {
        var options = SampleOptions()
        options.format = format
        options.durationSeconds = 1.5
        options.framesPerSecond = 4
        options.imageSize = format == .arkitScenes ? format.imageSize : GridSize(width: 160, height: 120)
        options.orientation = .fixed(orientation)
        options.imuRateHertz = format.hasMotion ? 100 : 0
        options.hasGPS = format.hasLocation
        options.drift = .percent(1)
        options.hasNoise = true
        return options
    }

    private static func native(like options: SampleOptions) -> SampleOptions {
        var native = options
        native.format = .native
        return native
    }

    private static func written(_ options: SampleOptions, _ name: String) async throws -> ReadLayout {
        let directory = try TemporaryDirectory()
        let path = directory.appending(name)
        try await SyntheticSession.write(to: path, options: options)
        return try ReadLayout(path)
    }

    @Test(arguments: proofs, [ImageOrientation.landscapeRight, .portrait])
    func readerGivesTheTruth(_ proof: Proof, orientation: ImageOrientation) async throws {
        let options = Self.options(proof.format, orientation)
        let truth = try await Self.written(Self.native(like: options), "native")
        let read = try await Self.written(options, proof.format.isFile ? "walk.r3d" : "walk")
        #expect(read.format == proof.name)
        if proof.timeStep == nil {
            #expect(read.problems.count == 1 && read.problems.first?.contains("timesAssumed") == true)
        } else {
            #expect(read.problems.isEmpty, "\(read.problems)")
        }
        try #require(read.frames.count == truth.frames.count && truth.frames.count == 6)
        for (frame, expected) in zip(read.frames, truth.frames) {
            if let step = proof.timeStep {
                #expect(abs(read.seconds(frame.time) - truth.seconds(expected.time)) <= step)
            }
            let moved = frame.worldFromCamera.inverse * expected.worldFromCamera
            // Native poses are in single precision.
            #expect(moved.translation.length < 1e-6 && moved.rotation.angleRadians < 1e-6)
            Self.expectSameCamera(frame.camera, expected.camera)
            try Self.expectSameCloud(frame, expected, proof.depthStep)
            try Self.expectSamePicture(frame, expected, options)
            #expect(
                frame.depth?.confidence == (proof.format.hasConfidence ? expected.depth?.confidence : nil)
            )
        }
        Self.expectSameSamples(read, truth, options)
    }

    /// In parts of the picture's size, as formats differ in what size theirs means.
    private static func expectSameCamera(_ a: CameraIntrinsics, _ b: CameraIntrinsics) {
        let (a, b) = (a.scaled(toWidth: 1920, height: 1440), b.scaled(toWidth: 1920, height: 1440))
        for (one, other) in [(a.fx, b.fx), (a.fy, b.fy), (a.cx, b.cx), (a.cy, b.cy)] {
            #expect(abs(one - other) < 1e-3)
        }
    }

    private static func expectSameCloud(_ a: ReadLayout.Frame, _ b: ReadLayout.Frame, _ step: Double?) throws {
        guard let step else {
            #expect(a.depth == nil)
            return
        }
        let (points, expected) = (a.points, b.points)
        try #require(points.count == 256 * 192 && expected.count == points.count)
        // A pixel's ray is at most 1.4 times as long as its depth; the rest is the single precision of poses.
        let farthest = zip(points, expected).reduce(0.0) { most, pair in
            switch pair {
            case (nil, nil): most
            case (let one?, let other?): max(most, (one - other).length)
            default: .infinity
            }
        }
        #expect(farthest <= 1.4 * step + 2e-5, "\(farthest) m")
        #expect(points.count(where: { $0 != nil }) > 45_000)
    }

    private static func expectSamePicture(
        _ a: ReadLayout.Frame,
        _ b: ReadLayout.Frame,
        _ options: SampleOptions
    ) throws {
        guard options.format.hasPictures else {
            #expect(a.image == nil)
            return
        }
        let (image, expected) = (try #require(a.image), try #require(b.image))
        // What other apps do not turn is another JPEG.
        if image.format == .jpeg, image.orientation == expected.orientation {
            #expect(image.bytes == expected.bytes)
        }
        let (pixels, others) = (try #require(a.pixels).inSensorGrid(a), try #require(b.pixels).inSensorGrid(b))
        try #require(pixels.count == others.count)
        let sum = zip(pixels, others).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(sum) / Double(pixels.count) < 6, "mean difference of a channel")
    }

    private static func expectSameSamples(_ read: ReadLayout, _ truth: ReadLayout, _ options: SampleOptions) {
        #expect(read.motion.count == truth.motion.count && options.format.hasMotion == (read.motion.count > 100))
        for (a, b) in zip(read.motion, truth.motion) {
            #expect(abs(read.seconds(a.time) - truth.seconds(b.time)) < 2e-6)
            let force = (a.userAcceleration + a.gravity) - (b.userAcceleration + b.gravity)
            #expect(force.length * 9.80665 < 1e-6 && (a.rotationRate - b.rotationRate).length < 1e-9)
        }
        #expect(
            read.locations.count == truth.locations.count && options.format.hasLocation == (read.locations.count > 0)
        )
        for (a, b) in zip(read.locations, truth.locations) {
            // 3D Scanner App has a fix with the frame after it, and so knows its age to a frame.
            #expect(abs(read.seconds(a.time) - truth.seconds(b.time)) < 1 / options.framesPerSecond)
            #expect(abs(a.latitudeDegrees - b.latitudeDegrees) < 1e-12)
            #expect(abs(a.longitudeDegrees - b.longitudeDegrees) < 1e-12)
            #expect(abs((a.altitudeMetres ?? 0) - (b.altitudeMetres ?? 0)) < 1e-9)
            #expect(a.horizontalAccuracyMetres == b.horizontalAccuracyMetres)
            #expect(a.verticalAccuracyMetres == b.verticalAccuracyMetres)
        }
    }

    @Test(arguments: SampleFormat.allCases)
    func sameBytesForAnyNumberOfWorkers(_ format: SampleFormat) async throws {
        var options = Self.options(format, .landscapeRight)
        options.imageCount = 3
        let one = try await WrittenSample(options).everythingBeside()
        options.jobs = 2
        let two = try await WrittenSample(options).everythingBeside()
        #expect(one.count > 1 && one == two)
    }

    /// A sample of any layout takes the place of one of any other, and what is not of a sample stays.
    @Test func forceRemovesOnlySamples() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("walk")
        for format in SampleFormat.allCases + [.native] where !format.isFile {
            var options = Self.options(format, .landscapeRight)
            options.durationSeconds = 0.5
            options.isForced = true
            try await SyntheticSession.write(to: path, options: options)
            let alone = try await WrittenSample(options).everything()
            if format == .native {
                try SessionBuilder.write([1], to: path.appending("mine.json"))
                continue
            }
            let mixed = try FileTreeContent(path).files
            #expect(mixed["mine.json"] == [1])
            #expect(Set(mixed.keys).subtracting(["mine.json"]) == Set(alone.keys), "\(format)")
        }
    }

    @Test func whatAFormatCannotHaveIsRefused() async throws {
        let refused: [(SampleFormat, String, @Sendable (inout SampleOptions) -> Void)] = [
            (.record3D, "gps", { $0.hasGPS = true }),
            (.threeDScannerApp, "imu-rate", { $0.imuRateHertz = 100 }),
            (.strayScanner, "relative-depth", { $0.hasRelativeDepth = true }),
            (.r3d, "orientation", { $0.orientation = .fixed(.landscapeLeft) }),
            (.polycam, "orientation", { $0.orientation = .mixed }),
            (.arkitScenes, "size", { $0.imageSize = GridSize(width: 640, height: 400) }),
            (.scanPackage, "no-lidar", { $0.hasLidar = false }),
        ]
        for (format, option, change) in refused {
            var options = Self.options(format, .landscapeRight)
            change(&options)
            let refusal = try #require(format.refusal(of: options))
            #expect(refusal.option == option && refusal.expected.contains(format.title))
        }
        for format in SampleFormat.allCases { #expect(format.refusal(of: Self.options(format, .portrait)) == nil) }
    }
}

extension RGBImage {
    /// Channels of the sensor's landscape picture, row by row.
    fileprivate func inSensorGrid(_ frame: ReadLayout.Frame) -> [UInt8] {
        let orientation = frame.image?.orientation ?? .landscapeRight
        var pixels: [SIMD3<UInt8>] = []
        for place in 0..<width * height {
            let first = 3 * place
            pixels.append(SIMD3(self.pixels[first], self.pixels[first + 1], self.pixels[first + 2]))
        }
        let turned = orientation.inSensorGrid(pixels, storedWidth: width, storedHeight: height).values
        return turned.flatMap { [$0.x, $0.y, $0.z] }
    }
}
