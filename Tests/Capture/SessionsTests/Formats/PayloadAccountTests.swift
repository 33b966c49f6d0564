import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// What a recording should have and what it has: counted over all of it, and said where nothing is there.
@Suite struct PayloadAccountTests {
    /// Payloads only where no sample of the list's beginning, middle and end would look.
    @Test func payloadsAnywhereAreFound() async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = try await RelaidFormat.stray.laid
        let rows = (0..<1500).map { "\(1000 + Double($0) / 60), \(RelaidFormat.padded($0, 6)), 0, 0, 0, 1, 0, 0, 0" }
        relaid.put((["timestamp, frame, x, y, z, qx, qy, qz, qw"] + rows).joined(separator: "\n"), "odometry.csv")
        relaid.files["imu.csv"] = nil
        for (kind, third) in zip(["rgb", "depth", "confidence"], RelaidFormat.stray.payloads(truth).map(\.third)) {
            let ending = third.suffix(4)
            let bytes = try #require(relaid.files[third])
            relaid.files = relaid.files.filter { !$0.key.hasPrefix(kind + "/") }
            for number in 400..<404 { relaid.files["\(kind)/\(RelaidFormat.padded(number, 6))\(ending)"] = bytes }
        }
        let session = try relaid.read()
        let summary = session.summary
        #expect(summary.hasImages && summary.hasDepth && summary.hasConfidence)
        #expect(session.frames.filter(\.hasImage).map(\.index) == Array(400..<404))
        #expect(session.loadAll().filter { $0.image != nil && $0.depth?.confidence != nil }.count == 4)
        // Of this generation imu.csv is owed too.
        #expect(session.kinds == [.missingImage: 1496, .missingDepth: 1496, .streamMissing: 1])
        for kind in [PayloadKind.images, .depth] {
            let account = try #require(summary.payloads[kind])
            #expect(account.found == 4 && account.missing == 1496 && account.text == "4 of 1500")
        }
        #expect(summary.payloads[.confidence]?.missing == 0)
    }

    /// The folders of each kind of files, in the order of the format's payloads, and whether it must have them: depth whose
    /// confidence is there is owed.
    private static let promised: [RelaidFormat: [Bool]] = [
        .scanner: [true, true, false], .stray: [true, true, true], .record3DFolder: [true, true],
        .record3DContainer: [true, true, false], .polycam: [true, true, false], .arkitScenes: [true, true, false],
    ]

    /// None of all is one error, as one of all is; what an app may leave out is none.
    @Test(arguments: FormatTests.formats)
    func noneOfAll(_ format: RelaidFormat) async throws {
        let truth = try await format.truth
        let whole = try await format.laid
        for (place, (third, _)) in format.payloads(truth).enumerated() {
            let kind = PayloadKind.allCases[place]
            // The names of a kind differ in digits only.
            func stem(_ name: String) -> String { name.filter { !$0.isNumber && $0 != "." } }
            var relaid = whole
            relaid.files = whole.files.filter { stem($0.key) != stem(third) || $0.key.hasSuffix(".json") }
            let session = try relaid.read()
            #expect(session.frames.count == 20)
            session.loadAll()
            guard try #require(Self.promised[format])[place] else {
                #expect(session.kinds == [.noConfidence: 1], "\(format) \(kind): \(session.diagnostics.entries)")
                continue
            }
            let problem = try #require(session.only(.streamMissing), "\(kind): \(session.diagnostics.entries)")
            #expect(problem.file == kind.rawValue && problem.found == "none of 20")
            #expect(session.diagnostics.lostCount == 1 && session.session.summary.uncountedLosses.isEmpty)
            let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
            #expect(!report.isSound && report.count(of: .streamMissing) == 1)
        }
    }

    /// A pose that is lost costs its frame, although its picture and depth are there.
    @Test(arguments: [RelaidFormat.scanner, .polycam])
    func aLostPoseIsALostFrame(_ format: RelaidFormat) async throws {
        let truth = try await format.truth
        var relaid = try await format.laid
        let text = format.texts(truth)[0]
        relaid.files[text] = nil
        let session = try relaid.read()
        #expect(session.frames.count == 19 && session.kinds == [.lostFrame: 1])
        #expect(session.diagnostics.lostCount == 1 && session.only(.lostFrame)?.expected == text)
    }

    /// Rows that are cut off a table are lost as lines that do not read are: these are not counted a second time.
    @Test func rowsThatAreCutOff() async throws {
        let whole = try await RelaidFormat.stray.laid
        let lines = String(decoding: try #require(whole.files["odometry.csv"]), as: UTF8.self).split(separator: "\n")
        var cut = whole
        cut.put(lines.prefix(15).joined(separator: "\n"), "odometry.csv")
        let session = try cut.read()
        #expect(session.frames.count == 14 && session.kinds == [.lostFrame: 6])
        var broken = whole
        broken.put((lines.prefix(20) + ["nothing"]).joined(separator: "\n"), "odometry.csv")
        let other = try broken.read()
        #expect(other.frames.count == 19 && other.diagnostics.lostCount == 1)
        #expect(other.session.orphans().count(of: .orphanFile) == 3)
    }

    /// A row that is too long is a row: the pictures of the others stay theirs.
    @Test func aRowThatIsTooLongKeepsItsPicture() async throws {
        var relaid = try await RelaidFormat.stray.laid
        var lines = String(decoding: try #require(relaid.files["odometry.csv"]), as: UTF8.self).split(separator: "\n")
            .map { String($0) }
        lines[5] = String(repeating: "x", count: 2 << 20)
        relaid.put(lines.joined(separator: "\n"), "odometry.csv")
        let session = try relaid.read()
        #expect(session.frames.map(\.index) == (0..<20).filter { $0 != 4 })
        #expect(session.frames.map(\.videoRow) == session.frames.map(\.index))
    }

    /// A file without a sample is said; it is lost where another file has samples of the same stream.
    @Test func emptyStreams() async throws {
        var builder = try SessionBuilder()
        builder.files["gps.jsonl"] = []
        builder.files["imu.jsonl"] = []
        let session = try ReadSession(builder)
        let kinds = session.diagnostics.entries.filter { [.emptyStream, .lostStream].contains($0.kind) }
        let framesHaveMotion = session.summary.motionSource == .frames
        #expect(kinds.flatMap(\.examples).map(\.file) == ["gps.jsonl", "imu.jsonl"])
        #expect(session.diagnostics.count(of: .lostStream) == (framesHaveMotion ? 1 : 0))
        builder = try SessionBuilder(generation: .zero)
        builder.files["imu.jsonl"] = []
        let old = try ReadSession(builder)
        #expect(old.only(.lostStream)?.file == "imu.jsonl" && old.summary.motionSource == .table)

        var relaid = try await RelaidFormat.stray.laid
        relaid.files["imu.csv"] = []
        let stray = try relaid.read()
        #expect(stray.kinds == [.emptyStream: 1] && stray.diagnostics.lostCount == 0)
        #expect(stray.summary.motionSource == .none)
    }

    /// What metadata.json says of all frames counts where their lines say nothing.
    @Test func depthThatMetadataPromises() throws {
        var builder = try SessionBuilder(generation: .zero)
        builder.files = builder.files.filter { !$0.key.hasPrefix("depth/") && !$0.key.hasPrefix("confidence/") }
        let session = try ReadSession(builder)
        #expect(session.only(.streamMissing)?.file == "depth", "\(session.diagnostics.entries)")
        #expect(!session.summary.hasDepth && session.summary.payloads[.depth]?.isAbsent == true)
    }
}
