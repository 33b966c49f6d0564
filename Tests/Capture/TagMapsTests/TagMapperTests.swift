import Maps
import Recording
import TestSupport
import Testing
import Text

/// Maps of walks whose truth is known.
@Suite struct TagMapperTests {
    @Test("a loop with a hundredth of drift is closed at the tags", arguments: [1, 2, 3, 4] as [UInt64])
    func loop(seed: UInt64) throws {
        let walk = SyntheticWalk(seed: seed, poses: 300, tags: 8)
        let map = try #require(TagMapper().maps(of: [walk.map]).first)
        #expect(!map.keptPoses && map.hasConverged && !map.isWorse)
        let before = walk.map.poses.last.map {
            ($0.worldFromCamera.translation - walk.truePoses[299].translation).length
        }
        #expect((before ?? 0) > 0.3)
        #expect((walk.tagErrors(map).max() ?? 1) < 0.1)
        #expect((map.after.spreadMetres ?? 1) < (map.before.spreadMetres ?? 0) / 2)
    }

    @Test("one wild detection changes nothing, and is said")
    func wildDetection() throws {
        var walk = SyntheticWalk(seed: 5, poses: 300, tags: 8)
        let sound = try #require(TagMapper().maps(of: [walk.map]).first)
        walk.change { map in
            let far = Transform(rotation: .identity, translation: Vector3(0, 0, -17))
            map.detections[map.detections.count / 2].cameraFromTag = far
        }
        let map = try #require(TagMapper().maps(of: [walk.map]).first)
        #expect(map.tags.reduce(0) { $0 + $1.rejected } == sound.tags.reduce(0) { $0 + $1.rejected } + 1)
        for (tag, other) in zip(map.tags, sound.tags) {
            #expect((tag.worldFromTag.translation - other.worldFromTag.translation).length < 0.005)
        }
    }

    @Test("poses that no tag contradicts are kept to the bit")
    func kept() throws {
        let walk = SyntheticWalk(seed: 6, poses: 100, tags: 8, drift: 0, sigmaMetres: 0.002, sigmaRadians: 0.002)
        let map = try #require(TagMapper().maps(of: [walk.map]).first)
        #expect(map.keptPoses)
        let moved = zip(map.walks[0].poses, walk.map.poses).map {
            ($0.translation - $1.worldFromCamera.translation).length
        }
        #expect((moved.max() ?? 1) < 1e-12)
    }

    @Test("walks in worlds of their own become one map by the tags that they share")
    func severalWalks() throws {
        let turned = Transform(
            rotation: Quaternion(angleRadians: 2.2, axis: Vector3(0, 1, 0)),
            translation: Vector3(40, 1, -7)
        )
        let first = SyntheticWalk(seed: 7, poses: 60, tags: 8)
        let second = SyntheticWalk(seed: 8, poses: 120, tags: 8, world: turned)
        var lonely = SyntheticWalk(seed: 9, poses: 30, tags: 8)
        lonely.change { map in for index in map.detections.indices { map.detections[index].tag += 100 } }
        let maps = TagMapper().maps(of: [first.map, lonely.map, second.map])
        #expect(maps.map { $0.walks.map(\.index) } == [[0, 2], [1]])
        #expect((first.tagErrors(maps[0]).max() ?? 1) < 0.1 && maps[0].tags.count == 8)
        // Poses of both lie in the world of the first.
        let last = try #require(maps[0].walks.first { $0.index == 2 }?.poses.first)
        #expect((last.translation - second.truePoses[0].translation).length < 0.1)
    }

    @Test("a number that hangs in two places is a conflict, and two tags where both are wanted")
    func duplicates() throws {
        var walk = SyntheticWalk(seed: 10, poses: 300, tags: 8)
        // Tag 4 hangs opposite of tag 0 and gets its number.
        walk.change { map in
            for index in map.detections.indices where map.detections[index].tag == 4 { map.detections[index].tag = 0 }
        }
        let map = try #require(TagMapper().maps(of: [walk.map]).first)
        let conflict = try #require(map.conflicts.first)
        #expect(map.conflicts.count == 1 && conflict.id == 0 && abs(conflict.metres - 12) < 0.5)
        var mapper = TagMapper()
        mapper.allowsDuplicates = true
        let both = try #require(mapper.maps(of: [walk.map]).first)
        #expect(both.tags.map(\.key.description) == ["0", "0_2", "1", "2", "3", "5", "6", "7"])
        let places = both.tags.prefix(2).map(\.worldFromTag.translation)
        #expect(abs((places[0] - places[1]).length - 12) < 0.2)
    }

    @Test("walks without tags, without poses or with one of each are maps, too")
    func small() {
        #expect(TagMapper().maps(of: []).isEmpty)
        #expect(TagMapper().maps(of: [RawTagMap(name: "")]).map(\.tags.count) == [0])
        var one = RawTagMap(name: "one")
        one.poses = [RawTagMap.Pose(id: 3, seconds: 1, worldFromCamera: .identity)]
        #expect(TagMapper().maps(of: [one]).map(\.tags.count) == [0])
        one.detections = [
            RawTagMap.Detection(
                tag: 7,
                pose: 0,
                cameraFromTag: Transform(rotation: .identity, translation: Vector3(0, 0, -1))
            )
        ]
        one.waypoints = [RawTagMap.Waypoint(name: "door", pose: 0, cameraFromWaypoint: .identity)]
        let map = TagMapper().maps(of: [one])
        #expect(map.first?.tags.map(\.key.id) == [7] && map.first?.waypoints.map(\.name) == ["door"])
    }

    @Test("a raw map that is written is read back as it was")
    func roundTrip() throws {
        var walk = SyntheticWalk(seed: 11, poses: 20, tags: 8).map
        walk.waypoints = [RawTagMap.Waypoint(name: "desk", pose: 4, cameraFromWaypoint: .identity)]
        walk.detections[0].cameraFromTagOther = walk.detections[1].cameraFromTag
        let read = try RawTagMap(parsing: Array(walk.json.text().utf8))
        #expect(read.poses.count == 20 && read.detections.count == walk.detections.count)
        #expect(read.waypoints.map(\.pose) == [4])
        #expect(read.detections.map { $0.cameraFromTagOther != nil } == walk.detections.indices.map { $0 == 0 })
        for (a, b) in zip(read.detections, walk.detections) {
            #expect((a.cameraFromTag.inverse * b.cameraFromTag).logarithm.translation.length < 1e-12)
            #expect(a.tag == b.tag && a.pose == b.pose && a.covariance == b.covariance)
        }
    }
}
