import ArgumentParser
import Messages
import Rosbridge
import Translation

/// What the phone app publishes by default, topic by topic, as a load to try a server with.
///
/// Names, sizes and rates of the large ones are those of the app's own benchmark, but for the cloud of the whole depth
/// image: that has 518 x 392 points of 16 bytes, fifteen times what the benchmark takes it for.
struct ThroughputProfile: Sendable {
    var name: String
    var kind: TopicKind
    var rateHertz: Double
    /// Bytes of data in a message, before they become text.
    var payloadBytes: Int

    static let all: [ThroughputProfile] = [
        ThroughputProfile(name: "pose", kind: .pose, rateHertz: 30, payloadBytes: 0),
        ThroughputProfile(name: "camera", kind: .cameraImage, rateHertz: 10, payloadBytes: 92_000),
        ThroughputProfile(name: "camera-info", kind: .cameraInfo, rateHertz: 10, payloadBytes: 0),
        ThroughputProfile(name: "lidar-point-cloud", kind: .lidarCloud, rateHertz: 5, payloadBytes: 110_000),
        ThroughputProfile(
            name: "depth-anything-point-cloud",
            kind: .relativeCloud,
            rateHertz: 5,
            payloadBytes: 518 * 392 * 16
        ),
        ThroughputProfile(
            name: "depth-anything-calibration",
            kind: .relativeCalibration,
            rateHertz: 5,
            payloadBytes: 1024
        ),
        ThroughputProfile(name: "gps-fix", kind: .locationFix, rateHertz: 1, payloadBytes: 0),
        ThroughputProfile(name: "gps-metadata", kind: .locationMetadata, rateHertz: 1, payloadBytes: 0),
        ThroughputProfile(name: "mesh", kind: .meshSnapshot, rateHertz: 0.5, payloadBytes: 512_000),
        ThroughputProfile(name: "satellite", kind: .satelliteImage, rateHertz: 1.0 / 60, payloadBytes: 160_000),
        ThroughputProfile(name: "satellite-tile-info", kind: .satelliteTileInfo, rateHertz: 1.0 / 60, payloadBytes: 0),
        ThroughputProfile(name: "dem", kind: .elevationTile, rateHertz: 1.0 / 60, payloadBytes: 262_144),
    ]

    /// The profiles of those names, in the order of the list; all of them where none is named.
    static func named(_ names: [String]) throws -> [ThroughputProfile] {
        for name in names where !all.contains(where: { $0.name == name }) {
            let expected = all.map(\.name).joined(separator: ", ")
            throw ValidationError("--profiles: expected \(expected), found \(name)")
        }
        return names.isEmpty ? all : all.filter { names.contains($0.name) }
    }

    /// Clouds of one size, as fast as the server confirms them.
    static func unpaced(payloadBytes: Int, namespace: String) -> LoadStream {
        let profile = ThroughputProfile(
            name: "payload",
            kind: .lidarCloud,
            rateHertz: LoadStream.unpacedHertz,
            payloadBytes: payloadBytes
        )
        var stream = profile.stream(namespace: namespace)
        stream.topic.name.replace(profile.kind.rawValue, with: "/mapping/throughput")
        return stream
    }

    /// The stream of messages, under the topic's own name in a namespace.
    func stream(namespace: String) -> LoadStream {
        let sample = ThroughputMessages.sample(of: self)
        let entry = Catalogue.entry(kind)
        let prefix = namespace.isEmpty || namespace.hasPrefix("/") ? namespace : "/" + namespace
        return LoadStream(
            name: name,
            topic: Topic(name: prefix + kind.rawValue, type: entry.type, delivery: .latest),
            rateHertz: rateHertz,
            payloadBytes: payloadBytes,
            message: { sample.stamped($0) }
        )
    }
}
