import Foundation
import Recording
import Sessions
import TestSupport
import Testing

/// What only the raw data of Polycam has.
@Suite struct PolycamTests {
    private func file(_ kind: String, _ place: Int) async throws -> String {
        RelaidFormat.polycamFile(kind, try await RelaidTruth.standard.value.frames[place])
    }

    /// The recording with its cameras changed, each by its place.
    private func edited(_ change: (inout [String: Any], Int) -> Void) async throws -> Relaid {
        let truth = try await RelaidTruth.standard.value
        var relaid = try await RelaidFormat.polycam.laid
        for (place, frame) in truth.frames.enumerated() {
            let file = RelaidFormat.polycamFile("cameras", frame)
            let data = Data(try #require(relaid.files[file]))
            var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            change(&object, place)
            relaid.files[file] = [UInt8](try JSONSerialization.data(withJSONObject: object))
        }
        return relaid
    }

    /// What newer versions write besides is neither a frame nor an orphan; corrected poses are not read.
    @Test func otherFilesOfTheApp() async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = try await RelaidFormat.polycam.laid
        for frame in truth.frames.prefix(5) {
            let time = RelaidFormat.polycamTime(frame)
            relaid.files["keyframes/depth/\(time).Clean.png"] = [1]
            relaid.files["keyframes/confidence/\(time).Clean.png"] = [1]
            relaid.files["keyframes/corrected_images/\(time).jpg"] = [1]
            relaid.put("{\"t_00\": 9, \"fx\": 1}", "keyframes/corrected_cameras/\(time).json")
        }
        relaid.put("{}", "keyframes/cameras/sfm_stats.json")
        relaid.files["polycam.mp4"] = [2]
        let session = try relaid.read()
        try FormatTests.expect(session, truth.seen(by: .polycam))
        #expect(session.diagnostics.isEmpty && session.session.orphans().isEmpty)
        #expect(session.frames.map(\.index) == truth.frames.map(RelaidFormat.polycamTime))
    }

    /// The grey of the documents and that of files, and the limits between the levels.
    @Test func confidenceByThresholds() async throws {
        var relaid = try await RelaidFormat.polycam.laid
        let stored: [UInt8] = [0, 1, 54, 127, 200, 201, 255]
        let cells = (0..<256 * 192).map { stored[$0 % stored.count] }
        relaid.files[try await file("confidence", 0)] = HandmadePNG.gray8(width: 256, height: 192, cells)
        let session = try relaid.read()
        let confidence = try #require(session.loadAll()[0].depth?.confidence)
        #expect(Array(confidence.prefix(7)) == [0, 1, 1, 1, 1, 2, 2])
        #expect(session.diagnostics.isEmpty)
    }

    /// Without a size K is for the pictures, here of 96x72: whichever of them reads first.
    @Test func sizeOfThePictures() async throws {
        let truth = try await RelaidTruth.standard.value
        let small = GridSize(width: 96, height: 72)
        var relaid = try await edited { camera, place in
            camera["width"] = nil
            if place % 2 == 0 { camera["height"] = nil }
            let k = truth.frames[place].camera.scaled(toWidth: small.width, height: small.height)
            (camera["fx"], camera["fy"], camera["cx"], camera["cy"]) = (k.fx, k.fy, k.cx, k.cy)
        }
        let session = try relaid.read()
        try FormatTests.expect(session, truth.withCameras(of: small))
        #expect(session.diagnostics.isEmpty)
        relaid.files[try await file("images", 0)] = [1, 2, 3]
        relaid.files[try await file("images", 1)] = nil
        let damaged = try relaid.read()
        #expect(damaged.frames.count == 20 && damaged.kinds == [.missingImage: 1])
        #expect(damaged.frames.allSatisfy { ($0.intrinsics.width, $0.intrinsics.height) == (96, 72) })
        relaid.files = relaid.files.filter { !$0.key.hasSuffix(".jpg") }
        let error = #expect(throws: SessionError.self) { try relaid.read() }
        guard case .noUsableFrame(_, _, 20, let problem?)? = error else { throw error ?? CancellationError() }
        #expect(problem.place == "\(try await file("cameras", 0)):width" && problem.found == "neither")
    }

    /// Of stretches that tracking did not join the longest is kept, of equal ones the first; others are counted.
    @Test(arguments: [
        ([12, 8], 0..<12), ([8, 12], 8..<20), ([10, 10], 0..<10), ([6, 11, 3], 6..<17),
    ])
    func stretches(lengths: [Int], kept: Range<Int>) async throws {
        let truth = try await RelaidTruth.standard.value
        let numbers = lengths.enumerated().flatMap { Array(repeating: $0 + 3, count: $1) }
        let relaid = try await edited { camera, place in
            camera["tracking_segment"] = numbers[place]
            // Worlds that have nothing to do with one another.
            camera["t_03"] = (camera["t_03"] as? Double ?? 0) + Double(50 * numbers[place])
        }
        let session = try relaid.read()
        #expect(session.frames.map(\.index) == truth.frames[kept].map(RelaidFormat.polycamTime))
        #expect(session.kinds == [.otherWorld: 20 - kept.count] && session.summary.lineCount == 20)
        // Files of frames that are left out have a camera.
        #expect(session.session.orphans().isEmpty)
        let examples = try #require(session.diagnostics.entries.first?.examples)
        let mine = numbers[kept.lowerBound]
        #expect(examples.count == lengths.count - 1)
        #expect(examples.allSatisfy { $0.field == "tracking_segment" })
        #expect(examples.allSatisfy { $0.expected == "\(mine), as \(kept.count) frames have" })
        let others = Set(lengths.enumerated().map { "\($0 + 3) in \($1) frames" }.filter { !$0.hasPrefix("\(mine) ") })
        #expect(Set(examples.map(\.found)) == others)
    }

    /// What is wrong with one camera costs one frame, or nothing.
    @Test(arguments: [
        ("t_12", "null", ProblemKind.badField, "t_12"), ("t_12", "7", .badTransform, "t_00"),
        ("t_03", "1e9", .badTransform, "t_00"), ("fx", "0", .badIntrinsics, "fx"), ("cy", "\"a\"", .badField, "cy"),
        ("timestamp", "4321300000", .badField, "timestamp"), ("timestamp", "4321.9", .badOptionalField, "timestamp"),
        ("tracking_segment", "true", .otherWorld, "tracking_segment"), ("height", "16385", .badIntrinsics, "fx"),
    ])
    func damagedFields(key: String, value: String, kind: ProblemKind, field: String) async throws {
        var relaid = try await RelaidFormat.polycam.laid
        let file = try await file("cameras", 3)
        let text = String(decoding: try #require(relaid.files[file]), as: UTF8.self)
        let changed = text.replacing(try Regex("\"\(key)\" : [^,}\n]+"), with: "\"\(key)\" : \(value)")
        #expect(changed != text)
        relaid.put(changed, file)
        let session = try relaid.read()
        #expect(session.frames.count == (kind == .badOptionalField ? 20 : 19))
        let problem = try #require(session.only(kind), "\(session.diagnostics.entries)")
        #expect(problem.field == field && !problem.expected.isEmpty)
        #expect(problem.file == (kind == .otherWorld ? "keyframes/cameras/N.json" : file))
    }

    /// Cameras of two frames exchanged: each names the time of the other, and neither pose goes with a wrong picture.
    @Test func exchangedCameras() async throws {
        var relaid = try await RelaidFormat.polycam.laid
        let (third, seventh) = (try await file("cameras", 3), try await file("cameras", 7))
        (relaid.files[third], relaid.files[seventh]) = (relaid.files[seventh], relaid.files[third])
        let session = try relaid.read()
        #expect(session.frames.count == 18 && session.kinds == [.badField: 2])
    }

    /// A name that is no time of a clock.
    @Test func impossibleNames() async throws {
        var relaid = try await RelaidFormat.polycam.laid
        relaid.files["keyframes/cameras/999999999999999999.json"] = relaid.files[try await file("cameras", 3)]
        let session = try relaid.read()
        #expect(session.frames.count == 20)
        #expect(try #require(session.only(.badField)).found == "999999999999999999")
    }

    /// What most people export: it is said what to export.
    @Test(arguments: ["raw.glb", "scan/poly.usdz", "cloud.PLY"])
    func meshesAreAnswered(_ mesh: String) throws {
        var relaid = Relaid()
        relaid.files[mesh] = [1, 2, 3]
        relaid.put("{\"faces\": 1}", "mesh_info.json")
        let error = #expect(throws: SessionError.self) { try relaid.read() }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains(mesh))
        #expect(text.contains("Polycam: developer mode before the capture, then Export, Raw Data"))
    }
}
