import Codecs
import Foundation
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// A recording of the generator in memory, to be written in the layout of another app: what its reader must give again.
struct RelaidTruth: Sendable {
    struct Frame: Sendable {
        var time: Timestamp
        var worldFromCamera: Transform
        /// Of the sensor's image of 1920x1440; the picture itself is small.
        var camera: CameraIntrinsics
        var image: [UInt8]
        var depth: DepthMap

        /// World from camera, by rows.
        var rows: [[Double]] {
            let m = worldFromCamera.columnMajor
            return (0..<4).map { row in (0..<4).map { m[4 * $0 + row] } }
        }

        /// In whole millimetres.
        var millimetres: [UInt16] {
            depth.metres.map { $0.isFinite && $0 > 0 ? UInt16(($0 * 1000).rounded()) : 0 }
        }
    }

    var frames: [Frame] = []
    var motion: [MotionSample] = []

    /// Twenty frames in four seconds; images small, depth as a phone has it.
    static let standard = Task {
        var options = SampleOptions()
        options.durationSeconds = 4
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 96, height: 72)
        return try await RelaidTruth(options)
    }

    /// The same with pictures that are PNG.
    static let standardPNG = Task {
        var truth = try await standard.value
        for place in truth.frames.indices {
            truth.frames[place].image = try PNG.encode(JPEGDecoder().decode(truth.frames[place].image))
        }
        return truth
    }

    /// The same with the phone held upright: pictures are turned.
    static let portrait = Task {
        var options = SampleOptions()
        options.durationSeconds = 4
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 96, height: 72)
        options.orientation = .fixed(.portrait)
        return try await RelaidTruth(options)
    }

    /// What a reader can know of it: Record3D counts its times from the first frame, others have smaller pictures.
    func seen(by format: RelaidFormat) -> RelaidTruth {
        switch format {
        case .scanner, .stray: return self
        case .record3DFolder, .record3DContainer:
            var seen = self
            for place in frames.indices {
                let time = frames[place].time.nanoseconds - frames[0].time.nanoseconds
                seen.frames[place].time = Timestamp(nanoseconds: time)
            }
            return seen
        case .polycam: return withCameras(of: GridSize(width: 1024, height: 768))
        case .arkitScenes: return withCameras(of: GridSize(width: 640, height: 480))
        }
    }

    /// The same with the cameras of pictures of another size.
    func withCameras(of size: GridSize) -> RelaidTruth {
        var scaled = self
        for place in frames.indices {
            scaled.frames[place].camera = frames[place].camera.scaled(toWidth: size.width, height: size.height)
        }
        return scaled
    }

    /// The same with the camera axes of OpenCV: x right, y down, z forward.
    var inOpenCVAxes: RelaidTruth {
        var turned = self
        for place in frames.indices {
            turned.frames[place].worldFromCamera.rotation =
                frames[place].worldFromCamera.rotation * Quaternion(x: 1, y: 0, z: 0, w: 0)
        }
        return turned
    }

    init(_ options: SampleOptions) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("native")
        try await SyntheticSession.write(to: path, options: options)
        let read = try ReadSession(directory, path: path)
        for (frame, payloads) in zip(read.frames, read.loadAll()) {
            frames.append(
                Frame(
                    time: frame.time,
                    worldFromCamera: frame.worldFromCamera,
                    camera: frame.intrinsics.scaled(toWidth: 1920, height: 1440),
                    image: try #require(payloads.image).bytes,
                    depth: try #require(payloads.depth)
                )
            )
        }
        motion = read.motion
    }
}

/// The files of a recording in some app's layout.
struct Relaid: Sendable {
    var files: [String: [UInt8]] = [:]

    @discardableResult
    func write(into directory: TemporaryDirectory, as name: String = "recording") throws -> FilePath {
        try write(to: directory.appending(name))
    }

    /// - Parameter prefix: folders around it, each with its slash.
    @discardableResult
    func write(to root: FilePath, under prefix: String = "") throws -> FilePath {
        for (file, bytes) in files {
            let path = root.appending(FilePath(prefix + file).components)
            try FileManager.default.createDirectory(
                atPath: path.removingLastComponent().string,
                withIntermediateDirectories: true
            )
            try SessionBuilder.write(bytes, to: path)
        }
        return root
    }

    /// The session that these files are, opened and read to its end.
    func read(as name: String = "recording") throws -> ReadSession {
        let directory = try TemporaryDirectory()
        return try ReadSession(directory, path: write(into: directory, as: name))
    }

    mutating func put(_ text: String, _ file: String) { files[file] = Array(text.utf8) }
}
