import Maps
import Recording
import Testing
import Text

/// Raw maps, sound and damaged.
@Suite struct RawTagMapTests {
    private static let identity = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"
    /// A tag 2 m in front of the camera and 0.5 m to its right: row-major, OpenCV's axes, facing the camera.
    private static let inFront = "[1,0,0,0.5,0,-1,0,0.25,0,0,-1,2,0,0,0,1]"

    private func detection(_ tag: Int, _ pose: Int, _ matrix: String = inFront, _ more: String = "") -> String {
        #"{"tag_id":\#(tag),"pose_id":\#(pose),"tag_pose":\#(matrix)\#(more)}"#
    }

    private func map(_ poses: [String], _ tags: [String], _ more: String = "") throws -> RawTagMap {
        let text =
            #"{"map_id":"m","pose_data":[\#(poses.joined(separator: ","))],"tag_data":["#
            + tags.map { "[\($0)]" }.joined(separator: ",") + "]\(more)}"
        return try RawTagMap(parsing: Array(text.utf8))
    }

    private func pose(_ id: Int, _ matrix: String = identity) -> String {
        #"{"id":\#(id),"timestamp":\#(Double(id) / 2),"pose":\#(matrix),"planes":[]}"#
    }

    @Test("a tag in front of the camera is where ARKit's axes have it, and faces the camera")
    func axes() throws {
        let map = try map([pose(0)], [detection(7, 0)])
        let tag = try #require(map.detections.first)
        // Right stays right, down becomes negative y, forward negative z.
        #expect((tag.cameraFromTag.translation - Vector3(0.5, -0.25, -2)).length < 1e-12)
        let normal = tag.cameraFromTag.rotation.rotating(Vector3(0, 0, 1))
        #expect((normal - Vector3(0, 0, 1)).length < 1e-12)
        #expect(map.problems.count == 1 && map.problems.counts[.corners] == 1)
    }

    @Test("poses are column-major, and a tag's place in the world follows")
    func columns() throws {
        // 3 m up and turned by 90 degrees to the left: the camera looks along -x.
        let turned = pose(4, "[0,0,-1,0, 0,1,0,0, 1,0,0,0, 0,3,0,1]")
        let consistency = TagConsistency(try map([turned], [detection(7, 4)]))
        let place = try #require(consistency.first[7]?.translation)
        #expect((place - Vector3(-2, 2.75, -0.5)).length < 1e-9, "\(place)")
    }

    @Test("corners tell the length of the edge, and whether they were measured")
    func corners() throws {
        // Edge 0.16 at 2 m, f 1000: 80 pixels; bottom left first.
        let signs: [(Double, Double)] = [(-1, 1), (1, 1), (1, -1), (-1, -1)]
        var exact: [Double] = []
        for (x, y) in signs { exact += [1210 + 40 * x, 845 + 40 * y] }
        let noise: [Double] = [0.31, -0.2, 0.15, 0.4, -0.3, 0.1, 0.2, -0.35]
        let measured: [Double] = zip(exact, noise).map { $0 + $1 }
        for (corners, isComputed) in [(exact, true), (measured, false)] {
            let more = #","tag_corners_pixel_coordinates":\#(corners),"camera_intrinsics":[1000,1000,960,720]"#
            let map = try map([pose(0)], [detection(7, 0, Self.inFront, more)])
            let edge = try #require(TagConsistency(map).tags.first?.edgeMetres)
            #expect(abs(edge - 0.16) < (isComputed ? 1e-9 : 0.002))
            #expect(map.problems.counts[.madeCorners] == (isComputed ? 1 : nil))
        }
    }

    @Test("damage is counted with its place, and the rest is read")
    func damage() throws {
        let poses = [
            pose(0), pose(0), #"{"id":1,"pose":\#(Self.identity)}"#, #"{"id":2,"timestamp":1,"pose":[1,2,3]}"#,
            pose(3, "[2,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"), pose(5),
        ]
        let tags = [detection(7, 0), detection(8, 1), #"{"tag_id":9}"#, detection(10, 5, "[1,0]"), detection(11, 5)]
        let more = #","location_ data":[{"name":"door","pose_id":6,"transform":\#(Self.identity)},{"name":"x"}]"#
        let map = try map(poses, tags, more)
        #expect(map.poses.map(\.id) == [0, 5] && map.detections.map(\.tag) == [7, 11])
        #expect(map.problems.counts == [.repeatedPose: 1, .field: 3, .pose: 3, .unknownPose: 1, .corners: 2])
        #expect(map.problems.examples[.unknownPose] == ["tag_data[1][0]: expected a pose_id of pose_data, found 1"])
        // The app counts on before it writes the number of a place's pose.
        #expect(map.waypoints.map(\.name) == ["door"] && map.waypoints.map(\.pose) == [1])
    }

    @Test(
        "numbers at the ends of their range are read and written again",
        arguments: [Int64.min, -1, 0, .max - 1, .max]
    )
    func extremeNumbers(id: Int64) throws {
        let pose = #"{"id":\#(id),"timestamp":0,"pose":\#(Self.identity)}"#
        let seen = #"{"tag_id":\#(id),"pose_id":\#(id),"tag_pose":\#(Self.inFront)}"#
        let more = #","location_data":[{"name":"door","pose_id":\#(id),"transform":\#(Self.identity)}]"#
        let read = try map([pose], [seen], more)
        #expect(read.detections.map(\.tag) == [id] && read.waypoints.map(\.pose) == [0])
        let again = try RawTagMap(parsing: Array(read.json.text().utf8))
        #expect(again.poses.count == 1 && again.detections.map(\.tag) == [id])
        #expect(again.detections.map(\.pose) == [0] && again.waypoints.map(\.pose) == [0])
        #expect(TagMapper().maps(of: [again]).first?.tags.map(\.key.id) == [id])
    }

    @Test func othersAreNoMaps() {
        for text in ["", "[]", "{}", #"{"pose_data":[]}"#, "{", #"{"tag_vertices":[]}"#] {
            #expect(throws: TagMapError.self) { try RawTagMap(parsing: Array(text.utf8)) }
        }
        #expect(throws: TagMapError.self) { try TagTruth(parsing: "rpy 1 0 0\n") }
        #expect(throws: TagMapError.self) { try TagTruth(parsing: "# nothing\n") }
    }
}
