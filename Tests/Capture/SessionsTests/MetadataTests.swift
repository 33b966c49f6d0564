import Recording
import Sessions
import TestSupport
import Testing

@Suite struct MetadataTests {
    @Test func absentMetadataIsMadeUpFromTheFrames() throws {
        var builder = try SessionBuilder()
        builder.metadata = nil
        for line in 0..<4 { builder.lines[line]["depth_resolution"] = line == 2 ? "[16,12]" : nil }
        let read = try ReadSession(builder)
        #expect(read.diagnostics.isEmpty)
        #expect(read.summary.deviceModel == nil && read.summary.osVersion == nil)
        #expect(read.summary.frameCount == 4 && read.summary.sensorSize == GridSize(width: 64, height: 48))
        #expect(read.summary.firstTime.nanoseconds == 1_000_000_000_000)
        #expect(read.summary.lastTime.nanoseconds == 1_000_600_000_000)
        #expect(read.frames.allSatisfy { $0.depthSize == SessionBuilder.depthSize })
    }

    @Test(arguments: [("1", "2"), ("1e6", "2e6"), ("1000.7", "1001"), ("990", "999.9")])
    func metadataOfOtherTimesIsIgnored(start: String, end: String) throws {
        var builder = try SessionBuilder()
        builder.metadata?["startTimestamp"] = start
        builder.metadata?["endTimestamp"] = end
        let read = try ReadSession(builder)
        let problem = try #require(read.only(.metadataOfAnotherSession))
        #expect(problem.place == "metadata.json:startTimestamp")
        #expect(problem.expected.contains("1000.0 to 1000.6"))
        #expect(read.summary.deviceModel == nil && read.frames.count == 4)
        #expect(problem.kind.severity == .notice)
    }

    /// Somebody renamed the folder: the times still say that it is the same session.
    @Test func anotherNameAloneIsBelieved() throws {
        let read = try ReadSession(SessionBuilder(), as: "garden")
        #expect(read.diagnostics.isEmpty)
        #expect(read.summary.name == "garden" && read.summary.deviceModel == "iPhone15,2")
    }

    @Test(arguments: ["3", "5", "0", "-7", "1000000"])
    func otherFrameCountIsReported(count: String) throws {
        var builder = try SessionBuilder()
        builder.metadata?["frameCount"] = count
        let read = try ReadSession(builder)
        let problem = try #require(read.only(.frameCountDiffers))
        #expect(problem.place == "metadata.json:frameCount")
        #expect(problem.expected == "4" && problem.found == count)
        #expect(read.frames.count == 4 && read.summary.deviceModel != nil)
    }

    @Test(arguments: ["", "{", "[]", "null", "{\"sessionID\":\"x\"", "\u{1}", "{\"a\":1}}"])
    func unreadableMetadataIsAsGoodAsNone(text: String) throws {
        var builder = try SessionBuilder()
        builder.files["metadata.json"] = Array(text.utf8)
        let read = try ReadSession(builder)
        #expect(read.frames.count == 4)
        #expect(read.kinds == [.metadataUnreadable: 1])
        #expect(try #require(read.only(.metadataUnreadable)).file == "metadata.json")
    }

    @Test func hugeMetadataIsNotRead() throws {
        var builder = try SessionBuilder()
        builder.metadata?["comment"] = "\"" + String(repeating: "x", count: 2 << 20) + "\""
        let read = try ReadSession(builder)
        #expect(read.kinds == [.metadataUnreadable: 1] && read.frames.count == 4)
    }

    /// ARKit counts its alignments; files name them.
    @Test(arguments: ["1", "\"north\""])
    func alignmentsAreNamed(value: String) throws {
        var builder = try SessionBuilder()
        builder.metadata?["world_alignment"] = value
        let read = try ReadSession(builder)
        let problem = try #require(read.only(.badOptionalField))
        #expect(read.summary.worldAlignment == nil && problem.place == "metadata.json:world_alignment")
        #expect(problem.expected == #"one of the texts "gravity", "gravity_and_heading", "camera""#)
        #expect(problem.found == value)
    }

    @Test(
        arguments: [
            "sessionID", "deviceModel", "osVersion", "startTimestamp", "endTimestamp", "frameCount", "depthResolution",
            "hasDepth", "rgbResolution", "startUnixTime", "relative_depth",
        ],
        ["null", "NaN", "-Infinity", "1e300", "[]", "{}", "\"\""]
    )
    func wrongValuesCostOnlyThemselves(key: String, value: String) throws {
        var builder = try SessionBuilder()
        builder.metadata?[key] = value
        let read = try ReadSession(builder)
        #expect(read.frames.count == 4 && read.loadAll().allSatisfy { $0.depth != nil })
        guard Self.isWrong(value, for: key) else {
            #expect(read.diagnostics.isEmpty, "\(read.diagnostics.entries)")
            return
        }
        let problem = try #require(read.only(.badOptionalField), "\(read.diagnostics.entries)")
        #expect(problem.place == "metadata.json:\(key)" && problem.found == value && !problem.expected.isEmpty)
    }

    /// Whether the value does not read: `null` is as good as absent, and keys that nothing is read from have none.
    private static func isWrong(_ value: String, for key: String) -> Bool {
        switch (key, value) {
        case (_, "null"), ("hasDepth", _), ("rgbResolution", _): false
        case ("sessionID", "\"\""), ("deviceModel", "\"\""), ("osVersion", "\"\""): false
        case ("relative_depth", "{}"): false
        default: true
        }
    }
}
