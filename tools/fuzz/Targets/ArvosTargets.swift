import Arvos
import Messages
import Text

extension FuzzTarget {
    /// What a phone may send: the first byte says whether it is a text, all messages go to one decoder.
    static let arvosMessages = FuzzTarget(
        name: "arvos-messages",
        seeds: {
            let header = #"{"type":"camera","timestampNs":7,"width":4,"height":2,"dataSize":3}"#
            let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
            let cloud = #"{"sensorType":"depth","timestampNs":9,"metadata":"eyJmb3JtYXQiOiJwbHkifQ=="}"#
            return [
                [1] + Array(#"{"type":"pose","timestampNs":5,"position":[0,1,2],"orientation":[0,0,0,1]}"#.utf8),
                [1] + Array(#"{"type":"gps","timestampNs":5,"latitude":47,"longitude":8,"speed":-1}"#.utf8),
                [0] + ArvosWriter.binary("imu", [("timestampNs", .integer(5))], [1, 2]),
                [0, UInt8(header.utf8.count), 0, 0, 0] + Array(header.utf8) + [0xFF, 0xD8, 0xFF],
                [0, UInt8(cloud.utf8.count), 0, 0, 0] + Array(cloud.utf8) + Array((ply + "end_header\n1 2 3\n").utf8),
            ]
        },
        dictionary: [
            "type", "sensorType", "timestampNs", "metadata", "dataSize", "position", "orientation", "gravity",
            "attitude", "angularVelocity", "linearAcceleration", "element vertex ", "property float x", "end_header",
            "h264", "point_cloud", "null", "-1", "1e999", "sequence", "frameId", "handshake", "watch_imu",
        ],
        run: { input in
            guard let kind = input.first else { return }
            let ledger = ArvosLedger()
            let decoder = ArvosDecoder(.mapping, ledger: ledger) { 1_700_000_000_000_000_000 }
            let bytes = Array(input.dropFirst())
            let made = kind & 1 == 1 ? decoder.messages(text: bytes) : decoder.messages(binary: bytes)
            let counts = ledger.counts
            require(counts.receivedCount <= 1 && (made.isEmpty || counts.receivedCount == 1), "\(counts)")
            require(made.allSatisfy { $0.timeNanoseconds >= 0 }, "a time before 1970")
        }
    )
}
