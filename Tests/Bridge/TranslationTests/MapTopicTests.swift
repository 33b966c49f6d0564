import Maps
import Messages
import Perception
import Playback
import Recording
import Sessions
import Synthetic
import TestSupport
import Testing
import Text
import Translation

/// `/mapping/map`, `/mapping/mesh_snapshot` and `/mapping/surfels`, held against the room that was seen.
@Suite struct MapTopicTests {
    private static var options: SampleOptions {
        var options = SampleOptions()
        options.durationSeconds = 5
        options.framesPerSecond = 6
        options.imageSize = GridSize(width: 96, height: 72)
        options.jobs = 2
        return options
    }

    private let sample: Sample
    private let room = Room(seed: options.seed)

    init() async throws { sample = try await Sample(Self.options) }

    private func play(_ change: (inout ReplayPlan) -> Void = { _ in }) async throws -> Replayed {
        try await Replayed(sample.path, change)
    }

    /// From `map` (z up) to the room's own axes (y up).
    private func distance(_ p: Recording.Vector3) -> Double {
        room.distanceToSurface(Recording.Vector3(p.x, p.z, -p.y))
    }

    /// What a display shows after it has taken the messages: markers by their ids.
    private func shown(_ messages: [MarkerArray]) -> [Int32: Marker] {
        var shown: [Int32: Marker] = [:]
        for marker in messages.flatMap(\.markers) {
            switch marker.action {
            case Marker.deleteAll: shown = [:]
            case Marker.delete: shown[marker.id] = nil
            default: shown[marker.id] = marker
            }
        }
        return shown
    }

    @Test func markersTogetherAreTheMesh() async throws {
        let replayed = try await play { $0.profile.map.minimumComponentSquareMetres = 0 }
        let messages: [MarkerArray] = replayed.all("/mapping/map")
        #expect(messages.count > 3)
        #expect(messages[0].markers.first?.action == Marker.deleteAll)
        let markers = shown(messages)
        #expect(markers.count > 10)
        for marker in markers.values {
            #expect(marker.type == Marker.triangleList && marker.pose.orientation.w == 1 && marker.scale.x == 1)
            #expect(marker.points.count.isMultiple(of: 3) && marker.colors.count == marker.points.count)
            #expect(marker.header.frameID == "map" && marker.lifetime == DurationMessage())
        }
        let snapshot = try #require(replayed.all("/mapping/mesh_snapshot", MeshSnapshot.self).last)
        #expect(markers.values.reduce(0) { $0 + $1.points.count } == 3 * Int(snapshot.triangleCount))
        let distances = markers.values.flatMap(\.points).map { distance(Recording.Vector3($0)) }.sorted()
        #expect(distances[distances.count / 2] < 0.008 && distances[distances.count * 95 / 100] < 0.03)
    }

    /// A message is small enough for a rosbridge server, and nothing is sent that did not change.
    @Test func aMessageOfMarkersHoldsWhatChanged() async throws {
        let replayed = try await play()
        let messages: [MarkerArray] = replayed.all("/mapping/map")
        let times = replayed.messages.filter { $0.topic.name == "/mapping/map" }.map(\.timeNanoseconds)
        for (message, time) in zip(messages, times) {
            // The last ones are as few as a moment holds.
            #expect(try message.encodedJSON().count < (time == times.last ? 9_500_000 : 1_600_000))
            let lists = message.markers.filter { $0.action != Marker.deleteAll }
            #expect(Set(lists.map(\.id)).count == lists.count)
        }
        // At the last stamp only what frames have seen since it was sent.
        let ids = messages.map { Set($0.markers.filter { $0.action != Marker.deleteAll }.map(\.id)) }
        #expect(ids.dropFirst().contains { $0.count < shown(messages).count })
    }

    @Test func theSnapshotIsPackedAsTheAppDoes() async throws {
        let replayed = try await play()
        let messages: [MeshSnapshot] = replayed.all("/mapping/mesh_snapshot")
        // At 0, 2 and 4 s, and at the end.
        #expect(messages.count == 4)
        #expect(Set(messages.map(\.snapshotID)).count == 4)
        for message in messages {
            #expect(message.schemaVersion == 2 && message.frameID == "map" && message.header.frameID == "map")
            #expect(message.compression == "mesh_snapshot_binary_base64")
            #expect(message.vertexEncoding == "float32_xyz_le_base64" && message.indexEncoding == "uint32_le_base64")
            #expect(message.vertexData.count == 12 * Int(message.vertexCount))
            #expect(message.indexData.count == 12 * Int(message.triangleCount))
            #expect(!message.isTruncated && message.originalTriangleCount == message.triangleCount)
            #expect(message.publishedPayloadBytes == message.originalPayloadBytes)
            let corners = words(message.indexData)
            #expect(corners.allSatisfy { $0 < message.vertexCount })
        }
        let last = try #require(messages.last)
        let values = words(last.vertexData).map { Double(Float(bitPattern: $0)) }
        let distances = stride(from: 0, to: values.count, by: 3)
            .map { distance(Recording.Vector3(values[$0], values[$0 + 1], values[$0 + 2])) }.sorted()
        #expect(distances.count > 5000 && distances[distances.count / 2] < 0.008)
        let metadata = try JSONValue.parse(last.metadataJSON)
        #expect(metadata["fallback_marker_topic"] == "/mapping/map" && metadata["voxel_size_m"] == 0.04)
    }

    @Test func aSnapshotThatIsTooLargeIsCutAndSaysSo() async throws {
        let replayed = try await play {
            $0.profile.map.voxelSizeMetres = 0.015
            $0.profile.topics = $0.profile.topics.filter { $0.key == .meshSnapshot }
        }
        let last = try #require(replayed.all("/mapping/mesh_snapshot", MeshSnapshot.self).last)
        #expect(last.isTruncated)
        #expect(last.triangleCount < last.originalTriangleCount && last.vertexCount < last.originalVertexCount)
        #expect(last.originalPayloadBytes > 4_000_000 && last.publishedPayloadBytes <= 4_000_000)
        // Not cut down to next to nothing.
        #expect(last.publishedPayloadBytes > 2_000_000)
        #expect(words(last.indexData).allSatisfy { $0 < last.vertexCount })
        #expect(try last.encodedJSON().count < 4_100_000)
    }

    /// `ros2 bag play` queues ten messages of a topic, whatever the bag says.
    @Test func aPlayerOfDepthTenLosesNothing() async throws {
        let replayed = try await play {
            $0.profile.map.voxelSizeMetres = 0.01
            $0.profile.topics = $0.profile.topics.filter { [.meshMarkers, .occupancy, .session].contains($0.key) }
        }
        let times = replayed.messages.filter { $0.topic.name == "/mapping/map" }.map(\.timeNanoseconds)
        let ends = times.filter { $0 > (times.last ?? 0) - 1_000_000_000 }
        #expect(times.count > 8 && ends.count > 5, "\(times)")
        for time in times { #expect(times.count { (time..<time + 400_000_000).contains($0) } <= 8) }
        #expect(replayed.messages.last?.topic.name == "/mapping/session")
        let all = replayed.messages.map(\.timeNanoseconds)
        #expect(all == all.sorted())
        // Nor does a live viewer that is slow lose what is latched.
        let latched = replayed.setup.topics.filter(\.isLatched)
        #expect(latched.contains { $0.name == "/map" } && latched.allSatisfy { $0.delivery != .latest })
    }

    @Test func surfelsLieOnTheSurface() async throws {
        let messages: [PointCloud2] = try await play().all("/mapping/surfels")
        #expect(messages.count == 6)
        let cloud = try #require(messages.last)
        let names = ["x", "y", "z", "normal_x", "normal_y", "normal_z", "radius", "confidence", "rgb"]
        #expect(cloud.fields.map(\.name) == names + ["observation_count"])
        #expect(cloud.fields.map(\.offset) == (0..<10).map { 4 * $0 } && cloud.pointStep == 40)
        let values = words(cloud.data)
        #expect(values.count == 10 * Int(cloud.width) && cloud.width > 2000)
        var distances: [Double] = []
        for start in stride(from: 0, to: values.count, by: 10) {
            let floats = values[start..<start + 8].map { Double(Float(bitPattern: $0)) }
            distances.append(distance(Recording.Vector3(floats[0], floats[1], floats[2])))
            #expect(abs(Recording.Vector3(floats[3], floats[4], floats[5]).length - 1) < 1e-3)
            #expect(abs(floats[6] - 0.03) < 1e-6)
            let count = values[start + 9]
            #expect(count >= 1 && abs(floats[7] - min(1, 0.2 + 0.04 * Double(count - 1))) < 1e-6)
        }
        distances.sort()
        #expect(distances[distances.count / 2] < 0.01)
    }

    /// `/map` comes with the first key-frame that sees a floor, at its rate and at the end; its cells are those of the room.
    @Test func theFloorIsAMapOfTheRoom() async throws {
        let replayed = try await play { $0.profile.topics = $0.profile.topics.filter { $0.key == .occupancy } }
        let messages: [OccupancyGrid] = replayed.all("/map")
        #expect((3...4).contains(messages.count))
        let last = try #require(messages.last)
        let topic = try #require(replayed.messages.first { $0.topic.name == "/map" }?.topic)
        #expect(topic.isLatched && topic.type.typeName == "nav_msgs/msg/OccupancyGrid")
        #expect(last.header.frameID == "map" && last.info.mapLoadTime == last.header.stamp)
        #expect(last.info.resolution == 0.05 && last.data.count == Int(last.info.width) * Int(last.info.height))
        #expect(Set(last.data) == [-1, 0, 100] && last.info.origin.orientation.w == 1)
        var (occupied, far) = (0, 0)
        for (index, value) in last.data.enumerated() where value == 100 {
            let x = last.info.origin.position.x + 0.05 * (Double(index % Int(last.info.width)) + 0.5)
            let y = last.info.origin.position.y + 0.05 * (Double(index / Int(last.info.width)) + 0.5)
            let heights = stride(from: -1.3, through: 0.36, by: 0.02)
            occupied += 1
            if !heights.contains(where: { distance(Recording.Vector3(x, y, $0)) < 0.086 }) { far += 1 }
        }
        #expect(occupied > 300 && far == 0, "\(far) of \(occupied)")
        // In the app's axes the map is turned, not another one.
        let app = try await play {
            $0.profile.topics = $0.profile.topics.filter { $0.key == .occupancy }
            $0.profile.axes = .app
        }
        let turned = try #require(app.all("/map", OccupancyGrid.self).last)
        #expect(turned.data == last.data && abs(turned.info.origin.orientation.x + 0.5.squareRoot()) < 1e-9)
        #expect(abs(turned.info.origin.position.z + last.info.origin.position.y) < 1e-9)
    }

    @Test func withoutAFloorThereIsNoMapOfItAndThatIsSaid() async throws {
        var options = Self.options
        options.walk = .wall
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path) {
            $0.profile.topics = $0.profile.topics.filter { $0.key == .occupancy || $0.key == .transforms }
        }
        #expect(replayed.all("/map", OccupancyGrid.self).isEmpty)
        #expect(replayed.report.diagnostics.count(of: .floorNotFound) == 1)
    }

    @Test func theSameBytesWithAnyNumberOfWorkers() async throws {
        let kinds: Set<TopicKind> = [.meshMarkers, .meshSnapshot, .surfels, .occupancy, .transforms]
        let runs = try await [1, 3].asyncMap { jobs in
            try await play {
                $0.jobs = jobs
                $0.profile.topics = $0.profile.topics.filter { kinds.contains($0.key) }
            }.everything
        }
        #expect(runs[0].count > 20 && runs[0] == runs[1])
    }

    /// The second pass begins with an empty map and clears what the first one left.
    @Test func aLoopBeginsAnew() async throws {
        let replayed = try await play {
            $0.playback.loops = 2
            $0.profile.topics = $0.profile.topics.filter { $0.key == .meshMarkers || $0.key == .surfels }
        }
        let messages: [MarkerArray] = replayed.all("/mapping/map")
        let starts = messages.indices.filter { messages[$0].markers.contains { $0.action == Marker.deleteAll } }
        #expect(starts.count == 2 && starts[0] == 0)
        let passes = [Array(messages[..<starts[1]]), Array(messages[starts[1]...])].map(shown)
        #expect(
            passes[0].mapValues { $0.encodedCDR().dropFirst(12) }
                == passes[1].mapValues { $0.encodedCDR().dropFirst(12) }
        )
        let surfels: [PointCloud2] = replayed.all("/mapping/surfels")
        #expect(surfels.count == 12 && surfels[5].data == surfels[11].data)
    }

    @Test func aMapThatIsFullIsSaid() async throws {
        let replayed = try await play { $0.profile.map.maximumBytes = 400_000 }
        #expect(replayed.report.diagnostics.count(of: .mapFull) == 1)
        #expect(replayed.report.lostAnything)
        #expect(replayed.all("/mapping/surfels", PointCloud2.self).last.map { $0.width > 100 } == true)
    }

    /// Key-frames that only feed the map publish no transforms.
    @Test func otherTopicsAreAsWithoutTheMap() async throws {
        let ofMap: Set<String> = ["/mapping/map", "/mapping/mesh_snapshot", "/mapping/surfels", "/map"]
        func others(_ replayed: Replayed) -> [StampedMessage] {
            replayed.messages.filter { !ofMap.contains($0.topic.name) }
        }
        let with = others(
            try await play { $0.selection.excluded = ["/mapping/session", "/mapping/status", "/mapping/odom"] }
        )
        let without = others(
            try await play {
                $0.selection.excluded = ["/mapping/session", "/mapping/status", "/mapping/odom"] + ofMap.sorted()
            }
        )
        #expect(with.map(\.topic.name) == without.map(\.topic.name))
        #expect(zip(with, without).allSatisfy { $0.message.encodedCDR() == $1.message.encodedCDR() })
    }

    @Test func withoutDepthThereIsNoMap() async throws {
        var options = Self.options
        options.hasLidar = false
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path)
        #expect(
            replayed.names.isDisjoint(with: ["/mapping/map", "/mapping/mesh_snapshot", "/mapping/surfels", "/map"])
        )
        let reasons = replayed.setup.absent.filter { $0.name == "/mapping/surfels" }.map(\.reason)
        #expect(reasons == ["the session has no depth"])
    }

    @Test func theDryRunEstimatesTheTopics() async throws {
        let inspection = try await Inspection.run(Replayed.setup(sample.path))
        let replayed = try await play()
        for name in ["/mapping/map", "/mapping/mesh_snapshot", "/mapping/surfels", "/map"] {
            let line = try #require(inspection.topics.first { $0.statistics.name == name })
            let real = replayed.messages.filter { $0.topic.name == name }
            let bytes = real.reduce(0) { $0 + $1.message.encodedCDRSize }
            #expect(line.isEstimated && line.frameIDs == ["map"])
            #expect(abs(line.statistics.count - real.count) <= real.count / 2, "\(name)")
            #expect(line.statistics.bytes > bytes / 3 && line.statistics.bytes < bytes * 3, "\(name)")
        }
    }

    private func words(_ bytes: [UInt8]) -> [UInt32] {
        stride(from: 0, to: bytes.count, by: 4)
            .map { start in (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) } }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
