import Codecs
import Perception
import Recording
import Sessions

/// Depth and an image at an eighth of its size to a packed cloud, at 10 and 2 cm; the image is decoded before.
func benchClouds(_ arguments: Arguments) throws -> Report {
    let path = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 5)
    let repetitions = try arguments.number("--repetitions", default: 2)
    let frames = try loadFrames(path)
    let decoder = try JPEGDecoder()
    let images = try frames.map { try decoder.decode($0.jpeg.bytes, eighths: 1) }
    let builder = CloudBuilder()
    var tally = Tally()
    var points: [String: Int] = [:]
    for _ in 0..<rounds {
        for variant in CloudVariant.all {
            var round = Samples()
            points[variant.name] = 0
            for _ in 0..<repetitions {
                for (frame, image) in zip(frames, images) {
                    let cloud = try round.measure { try variant.build(builder, frame, image) }
                    points[variant.name, default: 0] += cloud.count
                }
            }
            tally.add(variant.name, round)
        }
        try tally.addPeer(arguments.peer("ref_cloud").map { [$0, path, "\(repetitions)"] })
        try tally.addPeer(arguments.python("np_cloud.py").map { $0 + [path, "1"] })
    }
    var report = Report(title: "cloud stage: depth and 1/8 image to packed, filtered points; ms")
    for variant in CloudVariant.all {
        let note = "\((points[variant.name] ?? 0) / (repetitions * frames.count)) points"
        for (peer, goal) in variant.peers {
            report.lines.append(tally.line(variant.name, note: note, peer: peer, goal: goal))
        }
    }
    return report
}

/// One set of parameters, and the peers that do the same.
private struct CloudVariant {
    var name: String
    var parameters: CloudParameters
    var peers: [(String?, Goal?)]

    static let all: [CloudVariant] = [("10cm", 0.10), ("2cm", 0.02)].flatMap { label, size -> [CloudVariant] in
        func variant(
            _ name: String,
            _ peers: [(String?, Goal?)],
            _ change: (inout CloudParameters) -> Void
        ) -> CloudVariant {
            var parameters = CloudParameters()
            parameters.voxelSizeMetres = size
            parameters.edgeFilter = false
            change(&parameters)
            return CloudVariant(name: "\(label) \(name)", parameters: parameters, peers: peers)
        }
        let fast = "cpp_fast_\(label)_total_rgb1/8"
        // numpy's best needs 28 and 13 times the time of cpp_fast.
        let numpy = "numpy_\(label)_total"
        return [
            // The peers count neighbours in the voxel grid itself, of any size.
            variant("neighbours", [(fast, Goal(2, stretch: 1.25)), (numpy, Goal(1.0 / 15))]) {
                $0.outlierFilter = .neighbours(voxelSizeMetres: size)
            },
            variant("neighbours of 10 cm", [(fast, nil)]) { $0.outlierFilter = .neighbours(voxelSizeMetres: 0.10) },
            variant("neighbours, edge filter (default)", [(fast, nil)]) { $0.edgeFilter = true },
            variant("voxel grid alone", [(nil, nil)]) { $0.outlierFilter = .off },
            variant("centroid", [("cpp_plain_hash_\(label)_total_rgb1/8", nil)]) { $0.voxelPoint = .centroid },
            variant("radius, whole stage", [("cpp_radius_filter_grid_\(label)", nil)]) {
                $0.outlierFilter = .radius(metres: 1.75 * size)
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
