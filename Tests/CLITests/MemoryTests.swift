import Testing

/// Memory does not grow with the length of a session.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct MemoryTests {
    @Test func longBagsTakeNoMoreThanShortOnes() async throws {
        let folder = try Scratch()
        var peaks: [Int] = []
        for (name, seconds) in [("short", "20"), ("long", "100")] {
            let session = folder(name)
            let shape = ["--duration", seconds, "--fps", "30", "--images", "20"]
            try await Binary.succeed(["sample", "-o", session] + shape)
            let (measured, outcome) = try await Measured.run([
                "bag", session, "-o", folder(name + "-bag"), "--profile", "record",
            ])
            #expect(measured.status == 0, "\(outcome)")
            peaks.append(measured.peak_kilobytes)
        }
        #expect(peaks[1] - peaks[0] < 15 << 10, "\(peaks) kB")
        #expect(peaks.allSatisfy { $0 < 96 << 10 }, "\(peaks) kB")
    }

    /// Without points: the surface of a room grows until all of it was seen.
    @Test(arguments: ["ngp", "tum-rgbd", "parquet"])
    func longExportsTakeNoMoreThanShortOnes(format: String) async throws {
        let folder = try Scratch()
        var peaks: [Int] = []
        for (name, seconds) in [("short", "20"), ("long", "200")] {
            let session = folder(name)
            let shape = ["--duration", seconds, "--fps", "20", "--images", "10", "--size", "64x48", "--gps"]
            try await Binary.succeed(["sample", "-o", session] + shape)
            let (measured, outcome) = try await Measured.run(
                ["export", session, "--to", format, "-o", folder("\(name)-\(format)")]
            )
            #expect(measured.status == 0, "\(outcome)")
            peaks.append(measured.peak_kilobytes)
        }
        #expect(peaks[1] - peaks[0] < 15 << 10, "\(peaks) kB")
        #expect(peaks.allSatisfy { $0 < 128 << 10 }, "\(peaks) kB")
    }

    /// The layouts of all formats, each read for a bag; the native one, of which bags are tested above, is trimmed.
    @Test(
        arguments: [
            "stray-scanner", "3d-scanner-app", "record3d", "r3d", "polycam", "arkitscenes", "transforms-json",
            "scan-package", "ios-logger", "native",
        ]
    )
    func longRecordingsTakeNoMoreThanShortOnes(format: String) async throws {
        let folder = try Scratch()
        let command = format == "native" ? "trim" : "bag"
        // Streams of that format have one of three sizes.
        let size = format == "arkitscenes" ? "256x192" : "64x48"
        var peaks: [Int] = []
        for (name, seconds) in [("short", "20"), ("long", "120")] {
            let recording = folder(format == "r3d" ? name + ".r3d" : name)
            let shape = ["--duration", seconds, "--fps", "10", "--images", "10", "--size", size]
            try await Binary.succeed(["sample", "-o", recording, "--format", format] + shape)
            let (measured, outcome) = try await Measured.run([command, recording, "-o", folder(name + "-out")])
            #expect(measured.status == 0, "\(outcome)")
            peaks.append(measured.peak_kilobytes)
        }
        #expect(peaks[1] - peaks[0] < 12 << 10, "\(peaks) kB")
        #expect(peaks.allSatisfy { $0 < 96 << 10 }, "\(peaks) kB")
    }
}
