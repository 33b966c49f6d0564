import Codecs
import Glibc
import Maps
import Perception
import Recording
import Sessions

/// Depth and colours of 40 frames to one mesh: fusion a frame, and the extraction; against Open3D's VoxelBlockGrid.
///
/// `--python` names an interpreter that has open3d; the peer reads the same pixels, of the depth grid, from a file.
func benchMap(_ arguments: Arguments) async throws -> Report {
    let path = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 3)
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    let inputs = try spread(try loadFrames(path), over: 40)
    let sampler = DepthSampler()
    let decoder = try JPEGDecoder()
    var frames: [MapFrame] = []
    var samples: [(DepthSamples, FrameInput)] = []
    for input in inputs {
        let sample = try sampler.samples(
            DepthView(
                depth: input.depth,
                intrinsics: input.reference.intrinsics,
                worldFromCamera: input.reference.worldFromCamera
            ),
            image: try decoder.decode(input.jpeg.bytes, eighths: 1),
            orientation: input.jpeg.orientation
        )
        samples.append((sample, input))
        if let frame = MapFrame(sample, worldFromCamera: input.reference.worldFromCamera) { frames.append(frame) }
    }
    let file = scratch("frames")
    try write(samples, to: file)
    let open3d = try arguments.interpreter(with: "open3d").map {
        [$0, try Repository.path("tools/peers/open3d_map.py"), file]
    }
    var tally = Tally()
    var notes: [String: String] = [:]
    for _ in 0..<rounds {
        for voxel in MapVoxel.all {
            for jobs in [1, 2] {
                let name = "\(voxel.name) \(jobs == 1 ? "" : "2 workers ")"
                let (fusion, extraction, mesh) = try await map(frames, voxel.metres, jobs: jobs)
                tally.add("\(name)fusion", fusion / Double(frames.count))
                tally.add("\(name)extraction", extraction)
                notes[voxel.name] = "\(mesh.triangles.count) triangles"
            }
            try tally.addPeer(open3d.map { $0 + ["\(voxel.metres)", voxel.name] })
        }
    }
    var report = Report(title: "frames to a mesh: ms a frame, and ms for the mesh")
    for voxel in MapVoxel.all {
        let isJudged = voxel.metres == 0.02
        for stage in ["fusion", "extraction"] {
            let name = "\(voxel.name) \(stage)"
            let goal = stage == "fusion" ? Goal(1.0 / 4, stretch: 1.0 / 8) : Goal(1.0 / 5)
            report.lines.append(
                tally.line(
                    name,
                    note: notes[voxel.name] ?? "",
                    peer: "o3d_\(voxel.name)_\(stage)",
                    goal: isJudged ? goal : nil
                )
            )
            let pair = "\(voxel.name) 2 workers \(stage)"
            report.lines.append(tally.line(pair, peer: name, goal: isJudged ? Goal(1 / 1.8) : nil))
        }
    }
    return report
}

private struct MapVoxel {
    var name: String
    var metres: Double

    static let all = [
        MapVoxel(name: "4cm", metres: 0.04), MapVoxel(name: "2cm", metres: 0.02), MapVoxel(name: "1cm", metres: 0.01),
    ]
}

private func map(
    _ frames: [MapFrame],
    _ voxelMetres: Double,
    jobs: Int
) async throws -> (fusion: Double, extraction: Double, mesh: SurfaceMesh) {
    var parameters = MapParameters()
    parameters.voxelSizeMetres = voxelMetres
    let volume = try MapVolume(parameters, jobs: jobs)
    let start = ContinuousClock.now
    for frame in frames { await volume.integrate(frame) }
    // The latest frame is fused here.
    let field = await volume.snapshot()
    let fused = ContinuousClock.now
    let mesh = await MeshExtractor(field, jobs: jobs).mesh()
    return ((fused - start).milliseconds, (ContinuousClock.now - fused).milliseconds, mesh)
}

private func spread(_ frames: [FrameInput], over count: Int) throws -> [FrameInput] {
    guard frames.count >= count else { throw BenchError("expected at least \(count) frames, found \(frames.count)") }
    return (0..<count).map { frames[$0 * frames.count / count] }
}

/// For each frame width, height, fx, fy, cx, cy and sixteen numbers of the pose, row by row, as Float64; then depth and
/// red, green, blue from 0 to 1 as Float32.
private func write(_ samples: [(DepthSamples, FrameInput)], to path: String) throws {
    guard let file = fopen(path, "wb") else { throw BenchError("\(path): cannot be written") }
    defer { fclose(file) }
    func put<Value>(_ values: [Value]) { _ = values.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } }
    for (sample, input) in samples {
        let camera = sample.camera
        let pose = input.reference.worldFromCamera
        let (right, up, back) = pose.rotation.columns
        let place = pose.translation
        var numbers = [Double(camera.width), Double(camera.height), camera.fx, camera.fy, camera.cx, camera.cy]
        for axis in 0..<3 { numbers += [right[axis], up[axis], back[axis], place[axis]] }
        put(numbers + [0, 0, 0, 1])
        put(sample.metres)
        put((sample.colours ?? []).flatMap { colour in [16, 8, 0].map { Float(colour >> UInt32($0) & 255) / 255 } })
    }
}
