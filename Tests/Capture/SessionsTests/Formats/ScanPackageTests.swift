import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// ScanPackage, whose list has the name of the native one.
@Suite struct ScanPackageTests {
    private func lay(_ truth: RelaidTruth) -> Relaid {
        var relaid = Relaid()
        var lines: [String] = []
        for (place, frame) in truth.frames.enumerated() {
            let stem = "frame_\(RelaidFormat.padded(place, 6))"
            let k = frame.camera
            let rows = frame.rows.map { "[\($0.map { "\($0)" }.joined(separator: ", "))]" }.joined(separator: ", ")
            lines.append(
                "{\"frame_id\": \"\(stem)\", \"timestamp\": \(frame.time.seconds), \"image_path\": \"images/\(stem).jpg\", "
                    + "\"depth_path\": \"depth/\(stem).float32\", \"confidence_path\": \"confidence/\(stem).uint8\", "
                    + "\"image_width\": 1920, \"image_height\": 1440, \"depth_width\": \(frame.depth.width), "
                    + "\"depth_height\": \(frame.depth.height), \"camera_to_world\": [\(rows)], "
                    + "\"intrinsics\": [[\(k.fx), 0, \(k.cx)], [0, \(k.fy), \(k.cy)], [0, 0, 1]]}"
            )
            relaid.files["images/\(stem).jpg"] = frame.image
            relaid.files["depth/\(stem).float32"] = frame.depth.metres.flatMap { metres in
                (0..<4).map { UInt8(truncatingIfNeeded: metres.bitPattern >> (8 * $0)) }
            }
            relaid.files["confidence/\(stem).uint8"] = frame.depth.confidence ?? []
        }
        relaid.put(lines.joined(separator: "\n") + "\n", "frames.jsonl")
        relaid.put("{\"package_version\": 1}", "metadata.json")
        return relaid
    }

    /// Poses, cameras, pictures and confidence as they are, depth bit by bit.
    @Test func givesTheTruth() async throws {
        let truth = try await RelaidTruth.standard.value
        let session = try lay(truth).read()
        try FormatTests.expect(session, truth, metres: 0)
        #expect(session.summary.format == "ScanPackage" && session.summary.hasConfidence)
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
        let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
        #expect(report.isSound, "\(report.findings)")
    }

    /// A broken first line decides nothing, and a native list stays one.
    @Test func isToldByItsKeys() async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = lay(truth)
        let text = String(decoding: try #require(relaid.files["frames.jsonl"]), as: UTF8.self)
        relaid.put("{\"frame_id\": \n" + text, "frames.jsonl")
        let session = try relaid.read()
        #expect(session.summary.format == "ScanPackage" && session.frames.count == 20)
        #expect(session.diagnostics.count(of: .unreadableLine) == 1)
    }

    private func edited(_ change: (String, Int) -> String) async throws -> Relaid {
        var relaid = lay(try await RelaidTruth.standard.value)
        let text = String(decoding: try #require(relaid.files["frames.jsonl"]), as: UTF8.self)
        let lines = text.split(separator: "\n").enumerated().map { change(String($1), $0) }
        relaid.put(lines.joined(separator: "\n") + "\n", "frames.jsonl")
        return relaid
    }

    /// A line that is gone leaves files that no line names, as a line that does not read does.
    @Test(arguments: [[3], [3, 4, 19]])
    func linesThatAreGone(_ places: [Int]) async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = lay(truth)
        let text = String(decoding: try #require(relaid.files["frames.jsonl"]), as: UTF8.self)
        let lines = text.split(separator: "\n").enumerated().filter { !places.contains($0.offset) }.map { $0.element }
        relaid.put(lines.joined(separator: "\n") + "\n", "frames.jsonl")
        let session = try relaid.read()
        #expect(session.kinds == [.lostFrame: places.count], "\(session.diagnostics.entries)")
        #expect(session.diagnostics.lostCount == places.count)
        // One that does not read is counted as that.
        relaid.put((lines + ["nothing"]).joined(separator: "\n") + "\n", "frames.jsonl")
        let other = try relaid.read()
        #expect(other.diagnostics.lostCount == places.count, "\(other.diagnostics.entries)")
        #expect(other.kinds[.lostFrame, default: 0] == places.count - 1)
    }

    /// Without the picture's camera that of the depth counts, which is of the same field of view.
    @Test func depthCamera() async throws {
        let truth = try await RelaidTruth.standard.value
        func matrix(_ place: Int) -> String {
            let k = truth.frames[place].camera
            // Pixels of 256x192 are 7.5 times as large, counted from the centre of the first.
            let (cx, cy) = ((k.cx + 0.5) / 7.5 - 0.5, (k.cy + 0.5) / 7.5 - 0.5)
            return "[[\(k.fx / 7.5), 0, \(cx)], [0, \(k.fy / 7.5), \(cy)], [0, 0, 1]]"
        }
        let without = try await edited { line, place in
            let camera = place == 4 ? "" : ", \"intrinsics_depth\": \(matrix(place))"
            return line.replacing(#/, "intrinsics": .*}/#, with: camera + "}")
        }
        let session = try without.read()
        #expect(session.frames.count == 19)
        #expect(session.only(.badIntrinsics)?.place == "frames.jsonl:5:intrinsics")
        var seen = truth
        seen.frames.remove(at: 4)
        try FormatTests.expect(session, seen, metres: 0)
        let both = try await edited { line, _ in
            line.replacing("{\"fr", with: "{\"intrinsics_depth\": [[9, 0, 9], [0, 9, 9], [0, 0, 1]], \"fr")
        }
        try FormatTests.expect(try both.read(), truth, metres: 0)
    }

    /// The number of a frame is that in its name: a line that was written twice is one frame, with the later line's files.
    @Test func framesByTheirNames() async throws {
        let relaid = try await edited { line, place in
            place == 7 ? line + "\n\n" + line.replacing("images/frame_000007", with: "images/frame_000008") : line
        }
        let session = try relaid.read()
        #expect(session.frames.map(\.index) == Array(0..<20) && session.kinds[.duplicateFrame] == 1)
        #expect(session.frames[7].line == 10)
        let images = session.loadAll().map { $0.image?.bytes }
        #expect(images[7] == images[8] && images[9] == relaid.files["images/frame_000009.jpg"])
        let odd = try await edited { line, place in
            place == 2 ? line.replacing("\"frame_000002\"", with: "\"frame_x\"") : line
        }
        #expect(try odd.read().frames.map(\.index) == [0, 1, -3] + Array(3..<20))
        // Digits at the end of other names are no numbers.
        let others = try await edited { line, place in
            line.replacing(#/"frame_id": "frame_\d+"/#, with: "\"frame_id\": \"8c1d\(place)e-7f\(place % 2)0\"")
        }
        #expect(try others.read().frames.map(\.index) == Array(0..<20))
    }

    /// What is missing, cut or outside of the folder costs itself.
    @Test func damage() async throws {
        var relaid = lay(try await RelaidTruth.standard.value)
        relaid.files["depth/frame_000003.float32"]?.removeLast(5)
        relaid.files["confidence/frame_000004.uint8"] = [1, 2]
        relaid.files["images/frame_000005.jpg"] = nil
        let text = String(decoding: try #require(relaid.files["frames.jsonl"]), as: UTF8.self)
        relaid.put(text.replacing("depth/frame_000006.float32", with: "../x"), "frames.jsonl")
        let session = try relaid.read()
        let loaded = session.loadAll()
        #expect(loaded.enumerated().filter { $0.element.depth == nil }.map(\.offset) == [3, 6])
        #expect(loaded[4].depth?.confidence == nil && loaded[5].image == nil)
        let kinds = Set(session.diagnostics.entries.map(\.kind))
        #expect(kinds == [.brokenDepth, .brokenConfidence, .missingImage, .missingDepth], "\(kinds)")
    }
}
