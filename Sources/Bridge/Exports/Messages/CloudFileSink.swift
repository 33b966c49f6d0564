package import Files
package import Messages
import SystemPackage

/// Writes each cloud as a binary PLY file, in the frame of its topic, with its colour or intensity where it has one.
///
/// `times.txt` has the name and the stamp of each file.
package actor CloudFileSink: MessageSink {
    private let folder: OutputFolder
    private var times: OutputFile?
    private var counts: [String: SinkReport.TopicCount] = [:]
    private var written = 0

    package init(_ folder: OutputFolder) { self.folder = folder }

    package func open(_ topics: [Topic]) throws {
        let times = try OutputFile(creating: folder.file("times.txt"))
        try times.append(text: "# file stamp topic frame_id\n")
        self.times = times
        for topic in topics { counts[topic.name] = SinkReport.TopicCount(name: topic.name) }
    }

    package func write(_ message: StampedMessage) throws {
        let name = message.topic.name
        guard let cloud = message.message.compiled(as: PointCloud2.self), let points = CloudFields(cloud) else {
            counts[name]?.dropped += 1
            return
        }
        let file = ExportText.padded(written) + ".ply"
        written += 1
        let bytes = points.ply(cloud, comment: "topic \(name), frame \(PlainText.line(cloud.header.frameID))")
        try OutputFile.write(bytes, to: folder.file(file))
        let stamp = ExportText.seconds(cloud.headerStampNanoseconds ?? message.timeNanoseconds)
        try times?.append(text: "\(file) \(stamp) \(name) \(PlainText.line(cloud.header.frameID))\n")
        counts[name]?.written += 1
        counts[name]?.bytes += bytes.count
    }

    package func finish() throws -> SinkReport {
        try times?.finish()
        return report()
    }

    package func report() -> SinkReport {
        let topics = counts.values.sorted { $0.name < $1.name }
        let lost = topics.filter { $0.dropped > 0 }
        return SinkReport(
            topics: topics,
            warnings: lost.map { "\($0.name): \($0.dropped) clouds without x, y, z as 32-bit floats in little-endian" }
        )
    }
}

/// Where the numbers of a point are in a PointCloud2.
private struct CloudFields {
    private let position: [Int]
    private let colour: Int?
    private let intensity: Int?
    private let step: Int
    private let count: Int

    /// `nil` where the cloud has no positions that can be read.
    init?(_ cloud: PointCloud2) {
        let step = Int(cloud.pointStep)
        func place(_ name: String, _ types: Set<UInt8>) -> Int? {
            let field = cloud.fields.first { $0.name == name && types.contains($0.datatype) }
            return field.map { Int($0.offset) }.flatMap { $0 <= step - 4 ? $0 : nil }
        }
        let (float32, uint32): (UInt8, UInt8) = (7, 6)
        let position = ["x", "y", "z"].compactMap { place($0, [float32]) }
        guard !cloud.isBigEndian, position.count == 3, step >= 12 else { return nil }
        self.position = position
        self.step = step
        colour = place("rgb", [float32, uint32]) ?? place("rgba", [float32, uint32])
        intensity = place("intensity", [float32])
        let (claimed, overflow) = Int(cloud.width).multipliedReportingOverflow(by: Int(cloud.height))
        count = overflow ? 0 : min(claimed, cloud.data.count / step)
    }

    func ply(_ cloud: PointCloud2, comment: String) -> [UInt8] {
        var lines = ["ply", "format binary_little_endian 1.0", "comment \(comment)", "element vertex \(count)"]
        lines += ["x", "y", "z"].map { "property float \($0)" }
        if colour != nil { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
        if intensity != nil { lines.append("property float intensity") }
        var bytes = Array((lines + ["end_header", ""]).joined(separator: "\n").utf8)
        bytes.reserveCapacity(bytes.count + count * 19)
        for index in 0..<count {
            let start = index * step
            for place in position { bytes += cloud.data[start + place..<start + place + 4] }
            // Little-endian 0x00RRGGBB.
            if let colour { bytes += [2, 1, 0].map { cloud.data[start + colour + $0] } }
            if let intensity { bytes += cloud.data[start + intensity..<start + intensity + 4] }
        }
        return bytes
    }
}
