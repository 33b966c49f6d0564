import Exports
import Messages
import Platform
import SystemPackage
import TestSupport
import Testing

/// Tables, trajectories and tracks of messages, against what their formats say.
@Suite struct MessageExportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func text(_ path: FilePath) throws -> String {
        String(decoding: try RegularFile.part(of: path, at: 0, byteCount: 1 << 20), as: UTF8.self)
    }

    @Test("commas, quotes and line breaks are quoted as RFC 4180 has it; numbers read back")
    func commaSeparated() throws {
        let path = directory.appending("t.csv")
        let columns = [TableColumn("a,b", .text), TableColumn("n", .float64), TableColumn("u", .uint64)]
        let file = try CSVFile(creating: path, columns)
        try file.append([.text("say \"no\""), .float64(0.1), .unsigned(.max)])
        try file.append([.text("two\nlines"), .float64(-.infinity), .unsigned(0)])
        try file.append([.text("plain"), .float64(.nan), .unsigned(7)])
        try file.finish()
        let expected = [
            "\"a,b\",n,u", "\"say \"\"no\"\"\",0.1,18446744073709551615", "\"two\nlines\",-inf,0", "plain,nan,7", "",
        ]
        #expect(try text(path) == expected.joined(separator: "\n"))
    }

    /// Where the footer begins follows from the last eight bytes alone.
    @Test("a Parquet file has its magic at both ends and the length of its footer before the last")
    func parquet() throws {
        let path = directory.appending("t.parquet")
        let file = try ParquetFile(creating: path, [TableColumn("flag", .bool), TableColumn("n", .int8)])
        for number in 0..<9 { try file.append([.bool(number % 2 == 0), .integer(Int64(-number))]) }
        try file.finish()
        let bytes = try RegularFile.part(of: path, at: 0, byteCount: 1 << 20)
        #expect(bytes.count == file.byteCount && bytes.prefix(4) == ArraySlice("PAR1".utf8))
        #expect(bytes.suffix(4) == ArraySlice("PAR1".utf8))
        let length = bytes.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let footer = Array(bytes.dropLast(8).suffix(length))
        // Thrift's compact protocol: field 1, an i32, zigzag of version 2; the struct ends with 0.
        #expect(length > 0 && length < bytes.count - 12 && Array(footer.prefix(2)) == [0x15, 0x04] && footer.last == 0)
    }

    private static func line(
        _ form: TrajectorySink.Form,
        _ pose: PoseStamped,
        into path: FilePath
    ) async throws -> String {
        let topic = Topic(name: "/pose", type: PoseStamped.self)
        let folder = try OutputFolder(creating: path)
        let sink = TrajectorySink(folder, form: form)
        try await sink.open([topic])
        try await sink.write(StampedMessage(topic: topic, timeNanoseconds: 5, message: pose))
        let report = try await sink.finish()
        #expect(report.topics.map(\.written) == [1])
        let text = try RegularFile.part(of: folder.file(TrajectorySink.fileName), at: 0, byteCount: 1 << 20)
        return String(String(decoding: text, as: UTF8.self).split(separator: "\n").last ?? "")
    }

    /// A quarter turn about z takes x to y and y to -x, and its length does not matter.
    @Test("KITTI has the rows of the matrix, TUM the header's stamp and the quaternion as it is")
    func trajectories() async throws {
        var pose = PoseStamped()
        pose.header.stamp = Time(nanosecondsSinceEpoch: 12_000_000_034)
        (pose.pose.position.x, pose.pose.position.y, pose.pose.position.z) = (1, 2, 3)
        (pose.pose.orientation.z, pose.pose.orientation.w) = (1, 1)
        let matrix = try await Self.line(.kitti, pose, into: directory.appending("kitti"))
        let numbers = matrix.split(separator: " ").compactMap { Double($0) }
        let expected: [Double] = [0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3]
        #expect(numbers.count == 12 && zip(numbers, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(matrix)")
        let row = try await Self.line(.tum, pose, into: directory.appending("tum")).split(separator: " ")
        #expect(row.first == "12.000000034")
        #expect(row.dropFirst().compactMap { Double($0) } == [1, 2, 3, 0, 0, 1, 1])
    }

    private static func fix(_ latitude: Double, _ longitude: Double) -> NavSatFix {
        var fix = NavSatFix()
        (fix.latitude, fix.longitude, fix.altitude) = (latitude, longitude, .nan)
        return fix
    }

    private static func track(_ fixes: [NavSatFix], title: String = "t") async -> (TrackExport, SinkReport) {
        let topic = Topic(name: "/fix", type: NavSatFix.self)
        let sink = FixSink(title: title)
        await sink.open([topic])
        for fix in fixes { await sink.write(StampedMessage(topic: topic, timeNanoseconds: 0, message: fix)) }
        return (await sink.export, await sink.report())
    }

    private static func bytes(_ name: String, _ export: TrackExport) throws -> [UInt8] {
        guard case .track(let file) = try #require(Product.named(name)).making else { return [] }
        return file.bytes(export, "1")
    }

    /// From 179 to -179 at a constant slope the map's edge is crossed half-way (RFC 7946, clause 3.1.9).
    @Test("a line over the antimeridian is cut there")
    func antimeridian() async throws {
        let (export, _) = await Self.track([Self.fix(10, 179), Self.fix(20, -179)])
        let text = String(decoding: try Self.bytes("geojson", export), as: UTF8.self).filter { $0 != " " }
        #expect(text.contains("\"MultiLineString\""))
        let number = /-?\d+(\.\d+)?/
        let place = try #require(text.firstRange(of: "\"coordinates\":"))
        let coordinates = text[place.upperBound...].prefix { $0 != "}" }
        let values = coordinates.matches(of: number).compactMap { Double($0.output.0) }
        #expect(values == [179, 10, 180, 15, -180, 15, -179, 20])
    }

    @Test("what is no fix is counted and left out, and names do not end an element")
    func noFix() async throws {
        var lost = Self.fix(1, 2)
        lost.status.status = -1
        let fixes = [lost, Self.fix(91, 0), Self.fix(.nan, 0), Self.fix(1, 2)]
        let (export, report) = await Self.track(fixes, title: "a<b&\"c\"")
        #expect(export.pointCount == 1 && report.topics.map(\.dropped) == [3])
        let text = String(decoding: try Self.bytes("gpx", export), as: UTF8.self)
        #expect(text.contains("<name>a&lt;b&amp;&quot;c&quot;</name>") && !text.contains("<ele>"))
        #expect(text.contains("<trkpt lat=\"1.0\" lon=\"2.0\">"))
    }
}
