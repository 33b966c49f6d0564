import Foundation
import Perception
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Record3D: a real export beside the same recording in the native layout, and what older versions leave out.
@Suite struct Record3DTests {
    static let capture = "record3d-door"
    static let twin = "logger-door-60fps"

    /// The twin begins at 5000 s, and has the bytes of the pictures; its depth is the export's own.
    @Test(.enabled(if: Captures.have(capture, twin), Comment(rawValue: Captures.absence)))
    func equalsItsNativeTwin() throws {
        let scan = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.capture))
        let native = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.twin))
        #expect(scan.frames.count == 345 && scan.summary.lineCount == 345)
        // Pictures and depth of the first 24 are there.
        #expect(scan.kinds == [.missingImage: 321, .missingDepth: 321])
        #expect(scan.summary.depthSize == GridSize(width: 256, height: 192) && !scan.summary.hasConfidence)
        #expect(scan.summary.sensorSize == GridSize(width: 1920, height: 1440))
        #expect(scan.summary.orientations == ["portrait": 345])
        let loaders = (scan.session.makeLoader(), native.session.makeLoader())
        var diagnostics = Diagnostics()
        let builder = CloudBuilder()
        for (frame, other) in zip(scan.frames, native.frames).prefix(24) {
            #expect(abs(frame.time.seconds + 5000 - other.time.seconds) < 1e-6)
            let moved = frame.worldFromCamera.inverse * other.worldFromCamera
            #expect(moved.translation.length < 1e-6 && moved.rotation.angleRadians < 1e-6)
            let (k, same) = (frame.intrinsics, other.intrinsics)
            #expect((k.width, k.height) == (1920, 1440))
            #expect(abs(k.fx - same.fx) < 1e-3 && abs(k.fy - same.fy) < 1e-3 && abs(k.cx - same.cx) < 1e-3)
            // Which of two neighbouring pixels is the mirror of the other is not known of the app.
            #expect(abs(k.cy - same.cy) < 1.001)
            let images = (loaders.0.image(of: frame, &diagnostics), loaders.1.image(of: other, &diagnostics))
            #expect(images.0?.bytes == images.1?.bytes && images.0?.orientation == .portrait)
            let depth = try #require(loaders.0.depth(of: frame, &diagnostics))
            let otherDepth = try #require(loaders.1.depth(of: other, &diagnostics))
            #expect(zip(depth.metres, otherDepth.metres).allSatisfy { abs($0 - $1) < 0.002 })
            let clouds = try (Self.cloud(builder, frame, depth), Self.cloud(builder, frame, otherDepth))
            #expect(clouds.0.count == clouds.1.count && clouds.0.count > 50)
        }
        #expect(diagnostics.isEmpty, "\(diagnostics.entries)")
    }

    private static func cloud(_ builder: CloudBuilder, _ frame: FrameReference, _ depth: DepthMap) throws -> PointCloud
    {
        try builder.build(
            depth: depth,
            intrinsics: frame.intrinsics,
            mapFromCamera: frame.worldFromCamera,
            image: nil,
            orientation: .landscapeRight,
            imageScale: 8,
            parameters: CloudParameters()
        )
    }

    private func edited(_ change: (inout [String: Any]) -> Void) async throws -> Relaid {
        var relaid = try await RelaidFormat.record3DFolder.laid
        let data = Data(try #require(relaid.files["metadata.json"]))
        var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        change(&object)
        relaid.files["metadata.json"] = [UInt8](try JSONSerialization.data(withJSONObject: object))
        return relaid
    }

    /// Old files have the size, one rate, one camera and the poses.
    @Test func smallestMetadata() async throws {
        let relaid = try await edited { object in
            for key in ["frameTimestamps", "perFrameIntrinsicCoeffs", "dw", "dh", "initPose", "cameraType"] {
                object[key] = nil
            }
            object["fps"] = 30
        }
        let session = try relaid.read(as: "2020-10-28--15-01-03")
        #expect(session.frames.count == 20 && session.diagnostics.isEmpty)
        #expect(session.frames[3].time.nanoseconds == 100_000_000)
        let date = try #require(session.summary.wallClock.nameDate?.date)
        #expect(date == CalendarDate(year: 2020, month: 10, day: 28, hour: 15, minute: 1, second: 3))
    }

    /// A rate that no camera has makes no times: with some of these they would not fit into a number.
    @Test(arguments: [1e-300, 1e-12, 0.001, 1e300, 0, -1])
    func impossibleRates(rate: Double) async throws {
        let relaid = try await edited { object in
            object["frameTimestamps"] = nil
            object["fps"] = rate
        }
        let error = #expect(throws: SessionError.self) { try relaid.read() }
        guard case .noUsableFrame(_, _, 20, let problem?)? = error else { throw error ?? CancellationError() }
        #expect(problem.field == "frameTimestamps[0]" && problem.expected.contains("fps from 0.01 to 1000"))
    }

    @Test func firstPoseThatIsNone() async throws {
        let relaid = try await edited { object in
            var poses = object["poses"] as? [[Double]] ?? []
            poses[0] = [0, 0, 0, 1, 0, 0, 0]
            object["poses"] = poses
        }
        #expect(try relaid.read().summary.worldAlignment == .camera)
        #expect(try await edited { _ in }.read().summary.worldAlignment == nil)
    }

    /// The front camera is not tracked; nothing may be published as if it were.
    @Test func noPoseAtAll() async throws {
        let relaid = try await edited { object in
            object["poses"] = [[Double]](repeating: [0, 0, 0, 1, 0, 0, 0], count: 20)
        }
        let session = try relaid.read()
        #expect(session.frames.count == 20 && session.frames.allSatisfy { $0.tracking == .notAvailable })
    }

    @Test func badElementsCostTheirFrames() async throws {
        let relaid = try await edited { object in
            var poses = object["poses"] as? [Any] ?? []
            poses[2] = [0, 0, 0, 0, 0, 0, 0]
            poses[3] = "none"
            object["poses"] = poses
            var times = object["frameTimestamps"] as? [Any] ?? []
            times[5] = "x"
            times.removeLast()
            object["frameTimestamps"] = times
            var cameras = object["perFrameIntrinsicCoeffs"] as? [Any] ?? []
            cameras[7] = [1, 1, 1, 1]
            cameras[8] = NSNull()
            object["perFrameIntrinsicCoeffs"] = cameras
        }
        let session = try relaid.read()
        #expect(session.frames.map(\.index) == [0, 1, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18])
        #expect(session.kinds == [.badTransform: 2, .badField: 2, .badIntrinsics: 1], "\(session.diagnostics.entries)")
        #expect(session.only(.badIntrinsics)?.field == "perFrameIntrinsicCoeffs[7]")
    }

    /// Sizes that a header claims take no memory.
    @Test func absurdSizes() async throws {
        let relaid = try await edited { object in
            object["dw"] = 2_000_000_000
            object["dh"] = 2048
        }
        #expect(try relaid.read().kinds == [.badOptionalField: 1])
        let none = try await edited { $0["w"] = -1 }
        #expect(throws: Problem.self) { try none.read() }
    }
}
