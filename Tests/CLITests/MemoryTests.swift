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
            let (measured, outcome) = try await Measured.run(["bag", session, "-o", folder(name + "-bag")])
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
}
