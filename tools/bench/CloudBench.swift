import Capture
import Codecs
import PointClouds
import Sessions

/// Depth and an image at an eighth of its size to a packed cloud, at 10 and 2 cm; the image is decoded before.
func benchClouds(_ arguments: Arguments) throws -> Report {
    let path = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 5)
    let repetitions = try arguments.number("--repetitions", default: 2)
    let frames = try loadFrames(path)
    let decoder = try JPEGDecoder()
    let images = try frames.map { try decoder.decodeEighth($0.jpeg.bytes) }
    let variants = CloudVariant.all
    var samples = Array(repeating: Samples(), count: variants.count)
    var roundMedians = Array(repeating: Samples(), count: variants.count)
    var peers: [String: Samples] = [:]
    var points = Array(repeating: 0, count: variants.count)
    let builder = CloudBuilder()
    for _ in 0..<rounds {
        for (number, variant) in variants.enumerated() {
            var round = Samples()
            points[number] = 0
            for _ in 0..<repetitions {
                for (frame, image) in zip(frames, images) {
                    let cloud = try round.measure { try variant.build(builder, frame, image) }
                    points[number] += cloud.count
                }
            }
            round.milliseconds.forEach { samples[number].append($0) }
            roundMedians[number].append(round.median)
        }
        if let peer = arguments.peer("ref_cloud") {
            for (name, median) in try peerMedians([peer, path, "\(repetitions)"]) {
                peers[name, default: Samples()].append(median)
            }
        }
    }
    var report = Report(title: "cloud stage: depth and 1/8 image to packed, filtered points")
    for (number, variant) in variants.enumerated() {
        let mean = points[number] / (repetitions * frames.count)
        var line = ReportLine(name: variant.name, samples: samples[number], note: "\(mean) points")
        if let name = variant.peer, let peer = peers[name] {
            line.peer = ReportLine.Comparison(
                name: name,
                median: peer.median,
                ratio: roundMedians[number].median / peer.median,
                goal: variant.goal
            )
        }
        report.lines.append(line)
    }
    return report
}

/// One set of parameters, and the peer that does the same.
private struct CloudVariant {
    var name: String
    var parameters: CloudParameters
    var peer: String?
    var goal: ReportLine.Goal?

    static let all: [CloudVariant] = ["10cm", "2cm"].flatMap { size -> [CloudVariant] in
        func variant(
            _ name: String,
            peer: String? = nil,
            goal: ReportLine.Goal? = nil,
            _ change: (inout CloudParameters) -> Void
        ) -> CloudVariant {
            var parameters = CloudParameters()
            parameters.voxelSizeMetres = size == "10cm" ? 0.10 : 0.02
            parameters.edgeFilter = false
            change(&parameters)
            return CloudVariant(name: "\(size) \(name)", parameters: parameters, peer: peer, goal: goal)
        }
        let fast = "cpp_fast_\(size)_total_rgb1/8"
        return [
            variant("neighbours", peer: fast, goal: ReportLine.Goal(must: 2, stretch: 1.25)) { _ in },
            variant("neighbours, edge filter (default)", peer: fast) { $0.edgeFilter = true },
            variant("voxel grid alone") { $0.outlierFilter = .off },
            variant("centroid (hash)", peer: "cpp_plain_hash_\(size)_total_rgb1/8") { $0.voxelPoint = .centroid },
            variant("radius of 1.75 voxels", peer: "cpp_radius_filter_grid_\(size)") {
                $0.outlierFilter = .radius(metres: 1.75 * (size == "10cm" ? 0.10 : 0.02))
            },
        ]
    }

    func build(_ builder: CloudBuilder, _ frame: FrameInput, _ image: RGBImage) throws -> PointCloud {
        try builder.build(
            depth: frame.depth,
            intrinsics: frame.reference.intrinsics,
            mapFromCamera: frame.mapFromCamera,
            image: image,
            orientation: frame.jpeg.orientation,
            parameters: parameters
        )
    }
}
