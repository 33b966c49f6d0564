import Foundation
import Perception
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Stray Scanner: a real recording, and the generations of its tables.
@Suite struct StrayTests {
    static let capture = "stray-eyeq1"

    /// Clouds of frames 0.2 s apart lie on one another, gravity is where the poses have it, and at rest it is one g.
    @Test(.enabled(if: Captures.have(capture), Comment(rawValue: Captures.absence)))
    func realRecording() async throws {
        let scan = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.capture))
        #expect(scan.frames.count == 120 && scan.session.orphans().isEmpty)
        // Its video is not there.
        #expect(scan.kinds == [.streamMissing: 1] && scan.only(.streamMissing)?.found == "none of 120")
        #expect(scan.summary.depthSize == GridSize(width: 256, height: 192) && scan.summary.hasConfidence)
        #expect(!scan.summary.hasImages && scan.summary.motionSource.rawValue == "imu.csv")
        #expect(abs(scan.frames[0].time.seconds - 260_186.946_850_75) < 1e-6)
        #expect(
            abs(scan.frames[0].intrinsics.fx - 1333.9379) < 1e-9 && abs(scan.frames[0].intrinsics.cx - 962.2834) < 1e-9
        )
        let loader = scan.session.makeLoader()
        var diagnostics = Diagnostics()
        let meter = OverlapMeter()
        for place in stride(from: 0, to: 108, by: 12) {
            let views = try [scan.frames[place], scan.frames[place + 12]].map { frame in
                DepthView(
                    depth: try #require(loader.depth(of: frame, &diagnostics)),
                    intrinsics: frame.intrinsics,
                    worldFromCamera: frame.worldFromCamera
                )
            }
            let overlap = try #require(meter.measure(views[0], views[1]))
            // Where the scene is far away, the points that are tried lie farther apart than that.
            let limit = max(0.026, overlap.spacingMetres)
            #expect(overlap.medianMetres <= limit && overlap.sharedCount > 1000, "\(place): \(overlap)")
        }
        let forces = scan.motion.map { ($0.gravity + $0.userAcceleration).length * 9.80665 }.sorted()
        #expect(scan.motion.count > 150 && abs(forces[forces.count / 2] - 9.81) <= 0.1)
        var gravity = GravityCheck()
        for record in scan.records { gravity.add(record) }
        #expect(try #require(gravity.medianDegrees) < 4 && gravity.count > 100)
        let report = try await SessionCheck(path: Captures.path(Self.capture).string).run()
        #expect(report.findings.filter { $0.severity == .error }.map(\.count) == [1], "\(report.findings)")
        #expect(report.examined.depthMaps == 120 && report.examined.confidenceMaps == 120)
    }

    enum Generation: String, CaseIterable, Sendable {
        case withoutHeader, withoutTimes, arrays, inG, withCameras
    }

    /// Columns are found by their names, whatever else is there; units and codings by what they are.
    @Test(arguments: Generation.allCases)
    func generations(_ generation: Generation) async throws {
        var truth = try await RelaidTruth.standard.value
        var relaid = try await RelaidFormat.stray.laid
        let table = String(decoding: try #require(relaid.files["odometry.csv"]), as: UTF8.self)
        var rows: [[String]] = table.split(separator: "\n").map { $0.components(separatedBy: ", ") }
        switch generation {
        case .withoutHeader, .withoutTimes:
            rows = rows.map { cells in Array(cells.dropFirst(2)) }
            if generation == .withoutHeader { rows.removeFirst() }
            for place in truth.frames.indices {
                truth.frames[place].time = Timestamp(nanoseconds: Int64(place) * 1_000_000_000 / 60)
            }
            relaid.files["imu.csv"] = nil
        case .arrays:
            for (place, frame) in truth.frames.enumerated() {
                let stem = "depth/" + String(repeating: "0", count: 6 - "\(place)".count) + "\(place)"
                relaid.files["\(stem).png"] = nil
                relaid.files["\(stem).npy"] = Self.array(frame)
            }
        case .inG:
            let lines = String(decoding: try #require(relaid.files["imu.csv"]), as: UTF8.self).split(separator: "\n")
            let scaled = try lines.dropFirst().map { line in
                let cells = line.components(separatedBy: ", ")
                let a = try cells[1...3].map { "\(try #require(Double($0)) / 9.81)" }
                return ([cells[0]] + a + cells[4...]).joined(separator: ", ")
            }
            relaid.put(([String(lines[0])] + scaled).joined(separator: "\n"), "imu.csv")
        case .withCameras:
            // Two more columns behind are empty, and the shared camera is another one.
            rows[0] += ["fx", "fy", "cx", "cy", "distortion_center_x", "distortion_center_y"]
            for (place, frame) in truth.frames.enumerated() {
                rows[place + 1] += [frame.camera.fx, frame.camera.fy, frame.camera.cx, frame.camera.cy].map { "\($0)" }
                rows[place + 1] += ["", ""]
            }
            relaid.put("1000, 0, 900\n0, 1000, 700\n0, 0, 1", "camera_matrix.csv")
        }
        relaid.put(rows.map { $0.joined(separator: ", ") }.joined(separator: "\n"), "odometry.csv")
        let directory = try TemporaryDirectory()
        let session = try ReadSession(directory, path: relaid.write(into: directory))
        try FormatTests.expect(session, truth)
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
        guard relaid.files["imu.csv"] != nil else { return }
        #expect(session.motion.count > 300)
        let forces = session.motion.map { ($0.gravity + $0.userAcceleration).length }
        let expected = truth.motion.map { ($0.gravity + $0.userAcceleration).length }
        for (a, b) in zip(forces.sorted(), expected.sorted()) { #expect(abs(a - b) < 1e-3) }
    }

    /// A table of IMU samples none of which reads is an error that counts them, and one of very many is not read to its end.
    @Test func brokenMotion() async throws {
        var relaid = try await RelaidFormat.stray.laid
        let table = String(decoding: try #require(relaid.files["imu.csv"]), as: UTF8.self)
        let end = try #require(table.firstIndex(of: "\n"))
        let (header, samples) = (String(table[...end]), String(table[end...].dropFirst()))
        for (text, found) in [
            (header + String(repeating: "x,y\n", count: 200), "200 that do not read"),
            (header + String(repeating: "x,y\n", count: 200_000) + samples, "100001 that do not read"),
        ] {
            relaid.put(text, "imu.csv")
            let session = try relaid.read()
            let problem = session.diagnostics.entries.first { $0.kind == .badMotionSample }?.examples.first
            #expect(problem?.file == "imu.csv" && problem?.found == found, "\(session.diagnostics.entries)")
            #expect(session.motion.isEmpty && session.frames.count == 20)
        }
    }

    /// NumPy's header, version 1, padded so that the data begin at a multiple of 64.
    private static func array(_ frame: RelaidTruth.Frame) -> [UInt8] {
        var header = Array(
            "{'descr': '<u2', 'fortran_order': False, 'shape': (\(frame.depth.height), \(frame.depth.width)), }".utf8
        )
        while (10 + header.count + 1) % 64 != 0 { header.append(0x20) }
        header.append(0x0A)
        let start: [UInt8] = [
            0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, UInt8(header.count & 255), UInt8(header.count >> 8),
        ]
        return start + header + frame.millimetres.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    @Test(arguments: [
        ("a, b, c\n1, 2, 3\n", ProblemKind.missingField), ("timestamp, frame, x, y, z, qx, qy, qz\n", .missingField),
    ])
    func headersOfOtherTables(text: String, kind: ProblemKind) async throws {
        var relaid = try await RelaidFormat.stray.laid
        relaid.put(text, "odometry.csv")
        let directory = try TemporaryDirectory()
        let root = try relaid.write(into: directory).string
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: root) }
        guard case .noUsableFrame(_, _, _, let problem?) = error else { throw error }
        #expect(problem.kind == kind && problem.file == "odometry.csv" && problem.expected.contains("qw"))
    }
}
