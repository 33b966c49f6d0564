import Perception
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Every reader against a recording whose truth is known, and against what can happen to its files.
@Suite struct FormatTests {
    static let formats = RelaidFormat.allCases

    /// Poses and cameras to single precision, depth to half a millimetre, everything else exactly.
    @Test(arguments: formats)
    func givesTheTruth(_ format: RelaidFormat) async throws {
        let truth = try await format.truth
        let session = try await format.laid.read()
        let hasConfidence = format != .record3DFolder
        try Self.expect(session, truth.seen(by: format), metres: format.depthStep, hasConfidence: hasConfidence)
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
        #expect(session.summary.format == format.name && session.summary.frameCount == truth.frames.count)
        #expect(session.session.orphans().isEmpty)
        let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
        #expect(report.findings.allSatisfy { $0.severity == .note }, "\(report.findings)")
    }

    static func expect(
        _ session: ReadSession,
        _ truth: RelaidTruth,
        metres: Float = 0.000_51,
        hasConfidence: Bool = true
    ) throws {
        #expect(session.frames.count == truth.frames.count)
        var images = 0
        for ((frame, payloads), expected) in zip(zip(session.frames, session.loadAll()), truth.frames) {
            #expect(abs(frame.time.seconds(since: expected.time)) < 2e-6)
            let moved = frame.worldFromCamera.inverse * expected.worldFromCamera
            #expect(moved.translation.length < 1e-5 && moved.rotation.angleRadians < 1e-5)
            let (k, other) = (frame.intrinsics, expected.camera)
            #expect((k.width, k.height) == (other.width, other.height))
            for (a, b) in [(k.fx, other.fx), (k.fy, other.fy), (k.cx, other.cx), (k.cy, other.cy)] {
                #expect(abs(a - b) < 1e-3)
            }
            let depth = try #require(payloads.depth)
            #expect(depth.confidence == (hasConfidence ? expected.depth.confidence : nil))
            #expect(depth.metres.count == expected.depth.metres.count)
            #expect(
                zip(depth.metres, expected.depth.metres).allSatisfy { a, b in
                    b.isFinite && b > 0 ? abs(a - b) <= metres : !(a > 0)
                }
            )
            guard let image = payloads.image else { continue }
            images += 1
            #expect(image.bytes == expected.image && payloads.decoded != nil)
        }
        #expect(images >= truth.frames.count / 3)
    }

    /// Archives with and without folders around the recording, and with what macOS leaves in them.
    @Test(arguments: formats, ["", "walk/", "A title/All_Data/"])
    func inArchivesAndFolders(_ format: RelaidFormat, prefix: String) async throws {
        let truth = try await format.truth
        let relaid = try await format.laid
        let directory = try TemporaryDirectory()
        let junk = [
            HandmadeArchives.Entry(name: "__MACOSX/\(prefix)._x.json", content: [0, 5, 22, 7]),
            .init(name: "\(prefix)._frame_00000.json", content: [1, 2, 3]),
        ]
        let entries = HandmadeArchives.entries(relaid.files, under: prefix, isDeflated: true) + junk
        for (name, bytes) in [("a.zip", HandmadeArchives.zip(entries)), ("a.tar", HandmadeArchives.tar(entries))] {
            try SessionBuilder.write(bytes, to: directory.appending(name))
            let session = try ReadSession(directory, path: directory.appending(name))
            #expect(session.frames.count == truth.frames.count && session.diagnostics.isEmpty)
            #expect(session.loadAll().allSatisfy { $0.depth != nil })
            #expect(SessionFormats.likeness(of: directory.appending(name).string) == .session)
        }
        let folder = directory.appending("outer")
        try relaid.write(to: folder, under: prefix)
        #expect(SessionFormats.likeness(of: folder.string) == .session)
        #expect(try ReadSession(directory, path: folder).frames.count == truth.frames.count)
    }

    @Test(arguments: formats)
    func severalInOneFolderAreNamed(_ format: RelaidFormat) async throws {
        let relaid = try await format.laid
        let directory = try TemporaryDirectory()
        try relaid.write(into: directory, as: "b")
        try relaid.write(into: directory, as: "a")
        let error = try #require(throws: SessionError.self) { try SessionFormats.open(path: directory.path.string) }
        guard case .ambiguous(_, ["a", "b"]) = error else { throw error }
    }

    enum Damage: String, CaseIterable, Sendable {
        case missing, empty, cut, zeros, exchanged, ofAnotherSize
    }

    /// A damaged file costs what is in it, and is counted; what an app may leave out is no damage.
    @Test(arguments: formats, Damage.allCases)
    func damagedPayloads(_ format: RelaidFormat, _ damage: Damage) async throws {
        let truth = try await format.truth
        let whole = try await format.laid
        for (place, (third, seventh)) in format.payloads(truth).enumerated() {
            let isPicture = place == 0
            var relaid = whole
            let bytes = try #require(relaid.files[third])
            switch damage {
            case .missing: relaid.files[third] = nil
            case .empty: relaid.files[third] = []
            case .cut: relaid.files[third] = Array(bytes.prefix(bytes.count / 2))
            case .zeros: relaid.files[third] = [UInt8](repeating: 0, count: bytes.count)
            case .exchanged:
                relaid.files[third] = relaid.files[seventh]
                relaid.files[seventh] = bytes
            case .ofAnotherSize:
                relaid.files[third] =
                    isPicture
                    ? bytes : HandmadePNG.gray16(width: 4, height: 3, Array(repeating: 900, count: 12))
            }
            let session = try relaid.read()
            let loaded = session.loadAll()
            #expect(session.frames.count == 20)
            switch damage {
            case .exchanged: #expect(session.diagnostics.isEmpty)
            case .missing:
                // The app stores pictures of some frames only.
                let isFree = format == .scanner && isPicture
                #expect(session.diagnostics.isEmpty == isFree, "\(session.diagnostics.entries)")
            default:
                if damage == .ofAnotherSize, isPicture { continue }
                #expect(session.diagnostics.lostCount == 1, "\(third) \(damage): \(session.diagnostics.entries)")
                let example = try #require(session.diagnostics.entries.first?.examples.first)
                #expect(example.file == third)
            }
            #expect(loaded.enumerated().allSatisfy { $0.offset == 3 || $0.element.depth != nil })
        }
    }

    /// A text that is missing or cut is said, whether it costs the session, frames or samples.
    @Test(arguments: formats, [0, 1, 2, 3])
    func damagedTexts(_ format: RelaidFormat, quarters: Int) async throws {
        let truth = try await format.truth
        let whole = try await format.laid
        for text in format.texts(truth) {
            var relaid = whole
            let bytes = try #require(relaid.files[text])
            // Before a separator, as a number that is cut reads as another one.
            let part = bytes.prefix(bytes.count * quarters / 4)
            let end = try part.isEmpty ? 0 : #require(part.lastIndex { $0 == UInt8(ascii: ",") || $0 == 0x20 })
            relaid.files[text] = quarters == 0 ? nil : Array(part[..<end])
            let directory = try TemporaryDirectory()
            guard let session = try ReadSession.orRefused(directory, path: relaid.write(into: directory)) else {
                continue
            }
            session.loadAll()
            let problems = session.diagnostics.entries + session.session.orphans().entries
            #expect(!problems.isEmpty, "\(text) \(quarters)")
        }
    }

    /// Flipped, cut, doubled and inserted bytes in the texts: always a session or a documented error.
    @Test(arguments: formats)
    func mutatedTexts(_ format: RelaidFormat) async throws {
        let truth = try await format.truth
        let whole = try await format.laid
        var numbers = SeededRandomNumbers(seed: 7)
        let directory = try TemporaryDirectory()
        let root = try whole.write(into: directory)
        for text in format.texts(truth) {
            let original = try #require(whole.files[text])
            var sessions = 0
            for _ in 0..<150 {
                let words = ["1e999", "-", "null", "[", "}", ",", "NaN", "99999999999999999999", "\n", "\""]
                try SessionBuilder.write(mutated(original, words: words, using: &numbers), to: root.appending(text))
                if try ReadSession.orRefused(directory, path: root) != nil { sessions += 1 }
            }
            // What holds one value for all frames has no line that could be left out.
            let least = text == "camera_matrix.csv" ? 5 : text.hasPrefix("metadata") ? 20 : 75
            #expect(sessions > least, "\(text): \(sessions)")
            try SessionBuilder.write(original, to: root.appending(text))
        }
    }

    /// The camera axes of OpenCV look like any rigid motion: only the clouds tell.
    @Test(arguments: formats)
    func wrongAxesAreFound(_ format: RelaidFormat) async throws {
        let truth = try await format.truth.inOpenCVAxes
        let session = try format.lay(truth).read()
        let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
        #expect(report.count(of: .cloudsDisagree) == 1, "\(report.findings)")
        let examined = try session.examined()
        #expect(!examined.summary.hasDepth && examined.summary.depthRefusal?.kind == .cloudsDisagree)
        #expect(examined.diagnostics.count(of: .depthWithheld) == 1)
        let cursor = try examined.records(RecordRequest())
        while let record = try cursor.next() {
            if case .frame(let frame) = record { #expect(frame.depthSize == nil) }
        }
    }

    /// Depth in another unit cannot be used; one exchanged file among many is no reason to leave all of it out.
    @Test(arguments: formats)
    func depthIsExaminedOnOpening(_ format: RelaidFormat) async throws {
        let truth = try await format.truth
        #expect(try await format.laid.read().examined().summary.hasDepth)
        var scaled = truth
        for place in scaled.frames.indices {
            scaled.frames[place].depth.metres = truth.frames[place].depth.metres.map { $0 / 100 }
        }
        #expect(try format.lay(scaled).read().examined().summary.depthRefusal?.kind == .depthUnits)
        var exchanged = truth
        (exchanged.frames[3].depth, exchanged.frames[7].depth) = (truth.frames[7].depth, truth.frames[3].depth)
        #expect(try format.lay(exchanged).read().examined().summary.hasDepth)
    }

    /// A start in the middle gives what a walk from the beginning gives there, and ends at the end of the span.
    @Test(arguments: formats)
    func jumps(_ format: RelaidFormat) async throws {
        let session = try await format.laid.read()
        let times = session.records.map(\.time)
        for (first, last) in [
            (0, times.count - 1), (times.count / 3, times.count / 2), (times.count - 1, times.count - 1),
        ] {
            let span = times[first]...times[last]
            let cursor = try session.session.records(RecordRequest(span: span, jumps: true))
            var found: [Timestamp] = []
            while let record = try cursor.next() { found.append(record.time) }
            #expect(found == times.filter(span.contains))
        }
    }

    /// Only what the program could write itself is mended.
    @Test(arguments: formats)
    func repairIsRefused(_ format: RelaidFormat) async throws {
        let session = try await format.laid.read()
        let error = await #expect(throws: SessionError.self) {
            try await SessionRepair(path: session.path.string).repair(to: session.directory.appending("out"))
        }
        guard case .onlyNativeIsRepaired(_, format.name)? = error else { throw error ?? CancellationError() }
    }

    /// A list longer than what is kept in memory, upside down, and with numbers that come twice.
    @Test func longListsInAnyOrder() async throws {
        var relaid = try await RelaidFormat.stray.laid
        let lines = (0..<5000).map { number in
            "\(1000 + Double(number) / 60), \(String(repeating: "0", count: 6 - "\(number)".count))\(number), "
                + "0, 0, 0, 1, 0, 0, 0"
        }
        let twice = "1080.5, 000003, 0, 0, 0, 1, 0, 0, 0"
        relaid.put(
            (["timestamp, frame, x, y, z, qx, qy, qz, qw"] + lines.reversed() + [twice]).joined(separator: "\n"),
            "odometry.csv"
        )
        relaid.files["imu.csv"] = nil
        let session = try relaid.read()
        #expect(session.frames.count == 5000 && session.summary.frameCount == 5000)
        #expect(zip(session.frames, session.frames.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(Set(session.frames.map(\.index)).count == 5000)
        #expect(session.frames.first { $0.index == 3 }?.time.seconds == 1080.5)
        #expect(session.diagnostics.count(of: .duplicateFrame) == 1)
        #expect(session.diagnostics.count(of: .timeStepsBack) == 4999)
    }
}
