import Messages
import WebSocket

/// A cloud of one megabyte to rosbridge JSON, masked for the wire, and to CDR.
func benchEncoding(_ arguments: Arguments) throws -> Report {
    let rounds = try arguments.number("--rounds", default: 5)
    let repetitions = try arguments.number("--repetitions", default: 60)
    let message = megabyteCloud()
    var key = SystemRandomNumberGenerator()
    var json: [UInt8] = []
    var cdr: [UInt8] = []
    var tally = Tally()
    for _ in 0..<rounds {
        var times = (encode: Samples(), mask: Samples(), both: Samples(), cdr: Samples())
        for _ in 0..<repetitions {
            json.removeAll(keepingCapacity: true)
            try times.encode.measure {
                try RosbridgeEnvelope.appendPublish(topic: "/mapping/pointcloud/lidar", message: message, to: &json)
            }
            let mask = MaskingKey(using: &key)
            times.mask.measure {
                json.withUnsafeMutableBytes { bytes in
                    mask.mask(UnsafeRawBufferPointer(bytes), into: bytes)
                }
            }
            times.both.append(times.encode.last + times.mask.last)
            cdr.removeAll(keepingCapacity: true)
            times.cdr.measure { message.appendCDR(to: &cdr) }
        }
        tally.add("JSON", times.encode)
        tally.add("mask", times.mask)
        tally.add("JSON and mask", times.both)
        tally.add("CDR", times.cdr)
        try tally.addPeer(arguments.peer("b64_bench").map { [$0] })
        tally.add("0.4 ms", 0.4)
    }
    return Report(
        title: "encoding a PointCloud2 of 1 MB; ms",
        lines: [
            tally.line("JSON and mask", peer: "0.4 ms", goal: Goal(1, stretch: 0.25)),
            tally.line("JSON and mask", peer: "c_json+b64_avx2+mask_1MB"),
            tally.line("JSON", peer: "c_b64_pairs4096_1MB"),
            tally.line("mask"),
            tally.line("CDR", peer: "memcpy_same_bytes_1MB"),
        ]
    )
}

/// 62,500 points of 16 bytes.
private func megabyteCloud() -> PointCloud2 {
    var message = PointCloud2()
    message.height = 1
    message.width = 62_500
    message.pointStep = 16
    message.rowStep = 1_000_000
    message.isDense = true
    message.data = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    for (index, name) in ["x", "y", "z", "rgb"].enumerated() {
        var field = PointField()
        field.name = name
        field.offset = UInt32(4 * index)
        field.datatype = PointField.float32
        field.count = 1
        message.fields.append(field)
    }
    return message
}
