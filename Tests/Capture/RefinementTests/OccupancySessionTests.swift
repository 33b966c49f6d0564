import Maps
import Perception
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

@Suite("Maps of the floor of whole sessions")
struct OccupancySessionTests {
    private static func mapper(jobs: Int) -> OccupancyMapper {
        let mapFromWorld = Transform(rotation: Quaternion(angleRadians: .pi / 2, axis: Vector3(1, 0, 0)))
        var mapper = OccupancyMapper { mapFromWorld * $0 }
        mapper.jobs = jobs
        return mapper
    }

    private static func session(_ folder: borrowing TemporaryDirectory, _ walk: SampleWalk) async throws -> any Session
    {
        var options = SampleOptions()
        options.durationSeconds = 6
        options.framesPerSecond = 10
        options.imageSize = GridSize(width: 256, height: 192)
        options.hasNoise = true
        options.walk = walk
        options.jobs = 2
        let path = folder.appending("\(walk)")
        try await SyntheticSession.write(to: path, options: options)
        return try SessionFormats.open(path: path.string).examined()
    }

    @Test("the same bytes with any number of workers")
    func workers() async throws {
        let folder = try TemporaryDirectory()
        let session = try await Self.session(folder, .loop)
        let (one, report) = try await Self.mapper(jobs: 1).map(session)
        let (four, other) = try await Self.mapper(jobs: 4).map(session)
        #expect(report.keyFrameCount > 20 && report.keyFrameCount == other.keyFrameCount && report.blockCount > 300)
        #expect(OctoMapFile(one).bytes == OctoMapFile(four).bytes)
        let (map, same) = (try OccupancyMap(one), try OccupancyMap(four))
        #expect(Nav2Map(map, .trinary).pgm == Nav2Map(same, .trinary).pgm)
        #expect(Nav2Map(map, .raw).pgm == Nav2Map(same, .raw).pgm)
        let heights = (HeightMapFile(map, description: ""), HeightMapFile(same, description: ""))
        #expect(heights.0.bytes != nil && heights.0.bytes == heights.1.bytes)
        #expect(map.floor.tiltDegrees <= 0.2 && map.squareMetres(of: OccupancyMap.free) > 8)
    }

    @Test("a span has its key-frames alone, and a wall has no floor")
    func spans() async throws {
        let folder = try TemporaryDirectory()
        let session = try await Self.session(folder, .wall)
        let (whole, report) = try await Self.mapper(jobs: 2).map(session)
        #expect(throws: MissingFloor.self) { try OccupancyMap(whole) }
        let summary = session.summary
        let half =
            summary
            .firstTime...Timestamp(
                nanoseconds: (summary.firstTime.nanoseconds + summary.lastTime.nanoseconds) / 2
            )
        let (_, part) = try await Self.mapper(jobs: 2).map(session, span: half)
        #expect(part.keyFrameCount < report.keyFrameCount && part.keyFrameCount > 2)
    }
}
