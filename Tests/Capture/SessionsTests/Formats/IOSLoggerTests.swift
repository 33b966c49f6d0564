import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// ios_logger: a real recording read a second time, column by column.
@Suite struct IOSLoggerTests {
    static let capture = "ioslogger-walk"

    private static func rows(_ file: String) throws -> [[Double]] {
        let text = try String(contentsOfFile: Captures.path(capture).appending(file).string, encoding: .utf8)
        return text.components(separatedBy: .newlines).filter { !$0.isEmpty }
            .map { line in line.components(separatedBy: ",").map { Double($0) ?? .nan } }
    }

    @Test(.enabled(if: Captures.have(capture), Comment(rawValue: Captures.absence)))
    func realRecording() async throws {
        let walk = try ReadSession(TemporaryDirectory(), path: Captures.path(Self.capture))
        let poses = try Self.rows("ARposes.txt")
        #expect(walk.frames.count == 2617 && poses.count == 2617)
        #expect(walk.summary.format == "ios_logger" && !walk.summary.hasDepth && !walk.summary.hasImages)
        for (frame, row) in zip(walk.frames, poses) {
            #expect(abs(frame.time.seconds - row[0]) < 1e-6)
            let moved = frame.worldFromCamera.translation - Vector3(row[1], row[2], row[3])
            #expect(moved.length < 1e-9)
            let q = frame.worldFromCamera.rotation
            let same = abs(q.w * row[4] + q.x * row[5] + q.y * row[6] + q.z * row[7])
            #expect(same > 1 - 1e-5)
        }
        let cameras = try Self.rows("Frames.txt")
        for frame in walk.frames {
            let row = try #require(cameras.last { $0[0] <= frame.time.seconds + 1e-6 } ?? cameras.first)
            #expect(abs(frame.intrinsics.fx - row[2]) < 1e-6 && abs(frame.intrinsics.cy - row[5]) < 1e-6)
        }
        // What CoreMotion separated adds up to what the accelerometer measured.
        let accelerometer = try Self.rows("Accel.txt")
        #expect(walk.motion.count > 4000)
        for sample in walk.motion.prefix(400) {
            let sum = sample.gravity + sample.userAcceleration
            let isMeasured = accelerometer.contains { (Vector3($0[1], $0[2], $0[3]) - sum).length < 3e-6 }
            #expect(isMeasured)
        }
        var gravity = GravityCheck()
        for record in walk.records { gravity.add(record) }
        #expect(gravity.agrees && gravity.count > 4000, "\(gravity.medianDegrees ?? -1)")
        let fixes = try Self.rows("GPS.txt")
        #expect(walk.locations.count == Set(fixes.map { $0[0] }).count)
        for fix in walk.locations {
            let row = try #require(fixes.first { abs($0[0] - fix.time.seconds) < 1e-6 })
            #expect(fix.latitudeDegrees == row[1] && fix.longitudeDegrees == row[2])
            #expect(fix.horizontalAccuracyMetres == row[3] && fix.altitudeMetres == row[4])
            #expect(fix.unixNanoseconds == fix.time.nanoseconds && fix.courseDegrees == (row[7] < 0 ? nil : row[7]))
        }
        // True and magnetic north lie nine degrees apart where it was recorded, magnetic to the west.
        let headings = walk.records.compactMap { record -> HeadingSample? in
            if case .heading(let sample) = record { sample } else { nil }
        }
        #expect(headings.count > 1000)
        for sample in headings {
            let difference = try #require(sample.magneticDegrees) - (try #require(sample.trueDegrees))
            #expect(abs(difference - 9) < 0.2 || abs(difference + 351) < 0.2)
        }
        #expect(zip(walk.records, walk.records.dropFirst()).allSatisfy { $0.time <= $1.time })
        let report = try await SessionCheck(path: Captures.path(Self.capture).string).run()
        // Its video is not there.
        #expect(report.findings.map(\.kind) == [.streamMissing], "\(report.findings)")
    }

    /// Small tables, one line of each kind wrong.
    @Test func damagedLines() throws {
        var relaid = Relaid()
        let poses = (0..<30).map { "\(1_700_000_000 + Double($0) / 10),0.1,0.2,0.3,1,0,0,0" }
        let cameras = (0..<15).map { "\(1_700_000_000 + Double($0) / 5),\($0),1450,1450,960,720" }
        var text = poses
        text[4] = "1700000000.4,0.1,0.2,0.3,2,0,0,0"
        text[5] = "1700000000.5,0.1,0.2"
        text[6] = "x,0.1,0.2,0.3,1,0,0,0"
        var frames = cameras
        frames[3] = "1700000000.6,3,1,1450,960,720"
        relaid.put(text.joined(separator: "\r\n"), "ARposes.txt")
        relaid.put(frames.joined(separator: "\r\n"), "Frames.txt")
        relaid.put("1700000001,91,0,5,10,5,0,-1,-1\r\n1700000002,48,11,5,10,5,0,90,1", "GPS.txt")
        relaid.put("1700000001,-1,105,12\r\n1700000002,96", "Head.txt")
        relaid.put("1700000001,0,0,0,0,0,-1,0,0,0,7\r\n1700000002,0,0,0,0,0,-1,0,0", "MotARH.txt")
        let directory = try TemporaryDirectory()
        let session = try ReadSession(directory, path: relaid.write(into: directory, as: "2026-01-02T03-04-05"))
        #expect(session.frames.count == 27 && session.locations.count == 1 && session.motion.count == 1)
        #expect(
            session.kinds == [
                .badTransform: 1, .badField: 2, .badIntrinsics: 1, .badLocation: 1, .cutLastLine: 2, .streamMissing: 1,
            ],
            "\(session.diagnostics.entries)"
        )
        #expect(session.locations[0].courseDegrees == 90 && session.locations[0].speedMetresPerSecond == 1)
    }

    /// Lines without an end between them, and cells of no number: the fixes are lost, and counted.
    @Test(arguments: [" ", ",", "", "\r", "\t"])
    func linesRunTogether(between: String) throws {
        var relaid = Relaid()
        relaid.put((0..<30).map { "\(1_700_000_000 + $0),0.1,0.2,0.3,1,0,0,0" }.joined(separator: "\n"), "ARposes.txt")
        relaid.put("1700000000,-1,1450,1450,960,720", "Frames.txt")
        let fixes = (1..<5).map { "170000000\($0),48.00000\($0),11,5,10,5,0,90,1" }
        let together = [fixes[0] + between + fixes[1], fixes[2], fixes[3]]
        relaid.put(together.joined(separator: "\r\n"), "GPS.txt")
        relaid.put("", "MotARH.txt")
        relaid.put("1700000001,0,0,0", "Accel.txt")
        let directory = try TemporaryDirectory()
        let session = try ReadSession(directory, path: relaid.write(into: directory))
        #expect(session.locations.count == 2 && session.kinds == [.badLocation: 1, .lostStream: 1])
        #expect(session.only(.lostStream)?.file == "MotARH.txt")
    }

    /// Flipped, cut, doubled and inserted bytes in the tables.
    @Test(arguments: ["ARposes.txt", "Frames.txt", "GPS.txt", "Head.txt", "MotARH.txt"])
    func mutatedTables(file: String) throws {
        var relaid = Relaid()
        relaid.put(
            (0..<12).map { "170000000\($0 / 10).\($0 % 10),0.1,0.2,0.3,1,0,0,0" }.joined(separator: "\r\n"),
            "ARposes.txt"
        )
        relaid.put("1700000000.0,0,1450,1450,960,720\r\n1700000000.5,1,1451,1451,960,720", "Frames.txt")
        relaid.put("1700000000.2,48,11,5,10,5,0,90,1", "GPS.txt")
        relaid.put("1700000000.3,96,105,12", "Head.txt")
        relaid.put("1700000000.1,0,0,0,0,0,-1,0,0,0,7\r\n1700000000.4,0,0,0,0,0,-1,0,0,0,7", "MotARH.txt")
        let directory = try TemporaryDirectory()
        let root = try relaid.write(into: directory)
        let original = try #require(relaid.files[file])
        var numbers = SeededRandomNumbers(seed: 11)
        var sessions = 0
        for _ in 0..<300 {
            let bytes = mutated(
                original,
                words: ["1e999", "nan", ",", ",,", "-", "\n", "99999999999999999999"],
                using: &numbers
            )
            try SessionBuilder.write(bytes, to: root.appending(file))
            if try ReadSession.orRefused(directory, path: root) != nil { sessions += 1 }
        }
        #expect(sessions > 150, "\(sessions)")
    }
}
