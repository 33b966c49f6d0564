package import Messages
package import Platform
import Recording
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
        guard let cloud = message.message.compiled(as: PointCloud2.self), let layout = CloudLayout(cloud) else {
            counts[name]?.dropped += 1
            return
        }
        let file = padded(written, 6) + ".ply"
        written += 1
        let bytes = layout.ply(cloud, comment: "topic \(name), frame \(PlainText.line(cloud.header.frameID))")
        try OutputFile.write(bytes, to: folder.file(file))
        let stamp = decimalSeconds(cloud.headerStampNanoseconds ?? message.timeNanoseconds)
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

extension CloudLayout {
    /// Binary PLY of the points, with colour and intensity where the cloud has them.
    fileprivate func ply(_ cloud: PointCloud2, comment: String) -> [UInt8] {
        var lines = ["ply", "format binary_little_endian 1.0", "comment \(comment)", "element vertex \(count)"]
        lines += ["x", "y", "z"].map { "property float \($0)" }
        if hasColour { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
        if hasIntensity { lines.append("property float intensity") }
        var bytes = Array((lines + ["end_header", ""]).joined(separator: "\n").utf8)
        bytes.reserveCapacity(bytes.count + count * 19)
        func append(_ value: Float) { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 } }
        for index in 0..<count {
            let (x, y, z) = position(index, cloud.data)
            append(x)
            append(y)
            append(z)
            let colour = colour(index, cloud.data)
            if hasColour { bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: colour >> $0) } }
            if hasIntensity { append(intensity(index, cloud.data)) }
        }
        return bytes
    }
}
