import Foundation
import Perception
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// The "All Data" export of 3D Scanner App: a real one, beside the same recording in the native layout.
@Suite struct ScannerTests {
    static let capture = "3dsa-chair"
    static let twin = "logger-chair"

    /// Poses, cameras, pictures, depth and confidence are those of the native twin, which has every third pose; the
    /// twin's depth is the same millimetres as 32-bit floats.
    @Test(.enabled(if: Captures.have(capture, twin), Comment(rawValue: Captures.absence)))
    func equalsItsNativeTwin() throws {
        let scan = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.capture))
        let native = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.twin))
        #expect(scan.frames.count == 70 && native.frames.count == 24)
        #expect(scan.diagnostics.isEmpty, "\(scan.diagnostics.entries)")
        #expect(scan.session.orphans().isEmpty)
        let summary = scan.summary
        #expect(summary.format == "3D Scanner App" && summary.sensorSize == GridSize(width: 1920, height: 1440))
        #expect(summary.depthSize == GridSize(width: 256, height: 192) && summary.hasConfidence)
        #expect(scan.frames.filter(\.hasImage).count == 24)
        #expect(scan.frames.allSatisfy { $0.depthSize != nil })
        let loaders = (scan.session.makeLoader(), native.session.makeLoader())
        var diagnostics = Diagnostics()
        var matched = 0
        let builder = CloudBuilder()
        for other in native.frames {
            let same = scan.frames.min {
                abs($0.time.seconds(since: other.time)) < abs($1.time.seconds(since: other.time))
            }
            let frame = try #require(same)
            #expect(abs(frame.time.seconds(since: other.time)) < 1e-6)
            matched += 1
            let moved = frame.worldFromCamera.inverse * other.worldFromCamera
            #expect(moved.translation.length < 1e-6 && moved.rotation.angleRadians < 1e-6)
            #expect(
                abs(frame.intrinsics.fx - other.intrinsics.fx) < 1e-4
                    && abs(frame.intrinsics.cx - other.intrinsics.cx) < 1e-4
            )
            #expect(
                abs(frame.intrinsics.fy - other.intrinsics.fy) < 1e-4
                    && abs(frame.intrinsics.cy - other.intrinsics.cy) < 1e-4
            )
            #expect((frame.intrinsics.width, frame.intrinsics.height) == (1920, 1440))
            let images = (loaders.0.image(of: frame, &diagnostics), loaders.1.image(of: other, &diagnostics))
            #expect(images.0?.bytes == images.1?.bytes && images.0?.orientation == images.1?.orientation)
            let depth = try #require(loaders.0.depth(of: frame, &diagnostics))
            let otherDepth = try #require(loaders.1.depth(of: other, &diagnostics))
            #expect(depth.confidence == otherDepth.confidence && depth.confidence != nil)
            #expect(zip(depth.metres, otherDepth.metres).allSatisfy { abs($0 - $1) < 1e-6 })
            let clouds = try (Self.cloud(builder, frame, depth), Self.cloud(builder, other, otherDepth))
            #expect(clouds.0.count == clouds.1.count && clouds.0.count > 300)
        }
        #expect(matched == 24 && diagnostics.isEmpty, "\(diagnostics.entries)")
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

    /// 13 fixes with Unix times: the clock is the largest of their differences, by hand 1637167086.999945 - 402897.xxx.
    @Test(.enabled(if: Captures.have(capture), Comment(rawValue: Captures.absence)))
    func fixesAndWallClock() throws {
        let scan = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.capture))
        #expect(scan.locations.count == 13 && scan.summary.location.count == 13)
        let naive = try NaiveScan(folder: Captures.path(Self.capture))
        #expect(naive.offsets.count == 13)
        let offset = try #require(scan.summary.wallClock.locationOffsetNanoseconds)
        let largest = try #require(naive.offsets.max())
        #expect(abs(Double(offset) / 1e9 - largest) < 1e-6)
        for fix in scan.locations {
            let unix = try #require(fix.unixNanoseconds)
            #expect(abs(unix - fix.time.nanoseconds - offset) < 2)
            #expect(abs(fix.latitudeDegrees - 29.9672) < 0.001 && abs(fix.longitudeDegrees + 90.0449) < 0.001)
            #expect((fix.horizontalAccuracyMetres ?? 0) > 1 && (fix.verticalAccuracyMetres ?? 0) > 1)
        }
        #expect(zip(scan.records, scan.records.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    /// Nothing is wrong with it: clouds of neighbouring frames lie on one another.
    @Test(.enabled(if: Captures.have(capture), Comment(rawValue: Captures.absence)))
    func isSound() async throws {
        let report = try await SessionCheck(path: Captures.path(Self.capture).string).run()
        #expect(report.findings.allSatisfy { $0.severity == .note }, "\(report.findings)")
        #expect(report.examined.frames == 70 && report.examined.images == 24)
        #expect(report.examined.depthMaps == 70 && report.examined.confidenceMaps == 70)
    }

    private func edited(_ change: (inout [String: Any], Int) -> Void) async throws -> Relaid {
        let truth = try await RelaidTruth.standard.value
        var relaid = try await RelaidFormat.scanner.laid
        for number in truth.frames.indices {
            let file = "frame_\(RelaidFormat.padded(number, 5)).json"
            let data = Data(try #require(relaid.files[file]))
            var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            change(&object, number)
            relaid.files[file] = [UInt8](try JSONSerialization.data(withJSONObject: object))
        }
        return relaid
    }

    /// Poses by columns are no rigid motion by rows: only that at the origin, where the two are alike, gets through.
    @Test func transposedPosesAreRefused() async throws {
        let relaid = try await edited { object, _ in
            guard let m = object["cameraPoseARFrame"] as? [Double] else { return }
            object["cameraPoseARFrame"] = (0..<16).map { m[4 * ($0 % 4) + $0 / 4] }
        }
        let session = try relaid.read()
        #expect(session.frames.map(\.index) == [0] && session.kinds == [.badTransform: 19])
        let problem = try #require(session.diagnostics.entries.first?.examples.first)
        #expect(problem.file == "frame_00001.json" && problem.field == "cameraPoseARFrame")
        #expect(problem.found == "a last row other than 0 0 0 1")
    }

    /// K of a picture of half the size is known by the projection; without that it stands out.
    @Test func intrinsicsOfAnotherSize() async throws {
        func halved(_ keepsProjection: Bool) async throws -> Relaid {
            try await edited { object, _ in
                guard var k = object["intrinsics"] as? [Double] else { return }
                for place in [0, 2, 4, 5] { k[place] /= 2 }
                object["intrinsics"] = k
                if !keepsProjection { object["projectionMatrix"] = nil }
            }
        }
        let told = try await halved(true).read()
        #expect(told.diagnostics.isEmpty && told.summary.sensorSize == GridSize(width: 960, height: 720))
        let directory = try TemporaryDirectory()
        let path = try (try await halved(false)).write(into: directory).string
        let report = try await SessionCheck(path: path, jobs: 2).run()
        #expect(report.count(of: .intrinsicsOfAnotherSize) == 20, "\(report.findings)")
    }

    /// Names of frames and what is in them are two numbers: where they differ, it is not known which files belong together.
    @Test func exchangedFrames() async throws {
        var relaid = try await RelaidFormat.scanner.laid
        let (third, seventh) = ("frame_00003.json", "frame_00007.json")
        (relaid.files[third], relaid.files[seventh]) = (relaid.files[seventh], relaid.files[third])
        relaid.files["depth_00099.png"] = relaid.files["depth_00003.png"]
        let session = try relaid.read()
        // The files of a frame that is left out were counted with it.
        #expect(session.frames.count == 18 && session.kinds == [.badField: 2, .lostFrame: 1])
        #expect(session.only(.lostFrame)?.file == "depth_00099.png" && session.session.orphans().isEmpty)
    }

    /// A fix keeps its own time, however late it came; one from nowhere is seen by a check.
    @Test func fixesAreFiledAtTheirOwnTimes() async throws {
        let relaid = try await edited { object, number in
            guard number % 5 == 0, let time = object["time"] as? Double else { return }
            object["hasGPS"] = true
            object["latitude"] = 48.1
            object["longitude"] = 11.5
            object["altitude"] = 500
            object["horizontalAccuracy"] = 5
            object["gpsTime"] = time + 1_700_000_000 - 0.1 - Double(number) / 50
        }
        let session = try relaid.read(as: "2026_01_13_14_47_59")
        #expect(session.locations.count == 4)
        let offset = try #require(session.summary.wallClock.locationOffsetNanoseconds)
        #expect(abs(Double(offset) / 1e9 - 1_699_999_999.9) < 1e-5)
        for fix in session.locations {
            let unix = try #require(fix.unixNanoseconds)
            #expect(abs(unix - fix.time.nanoseconds - offset) < 2)
        }
        let date = try #require(session.summary.wallClock.nameDate?.date)
        #expect(date == CalendarDate(year: 2026, month: 1, day: 13, hour: 14, minute: 47, second: 59))
    }
}

/// The files of frames read once more, by Foundation.
private struct NaiveScan {
    var offsets: [Double] = []

    init(folder: FilePath) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
        for name in names where name.hasPrefix("frame_") && name.hasSuffix(".json") {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.appending(name).string))
            let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            guard let unix = object["gpsTime"] as? Double, let time = object["time"] as? Double else { continue }
            offsets.append(unix - time)
        }
    }
}
