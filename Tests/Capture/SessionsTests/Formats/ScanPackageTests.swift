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
        #expect(kinds == [.brokenDepth, .brokenConfidence, .missingImage, .badOptionalField], "\(kinds)")
    }
}
