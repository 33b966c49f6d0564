import Foundation
import Perception
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// Depth as fine as the image, against exact depth of that size.
@Suite struct DenseDepthTests {
    /// Mean errors in millimetres, and the share of pixels that are off by more than 5 cm.
    private struct Errors {
        var mean = 0.0
        /// Within a LiDAR pixel of a step of more than 5 cm.
        var edge = 0.0
        var off = 0.0
        var missing = 0.0
    }

    private static let size = GridSize(width: 960, height: 720)

    private static func sample(
        noise: Bool,
        orientation: ImageOrientation = .landscapeRight
    ) async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        var options = SampleOptions()
        (options.durationSeconds, options.framesPerSecond, options.imuRateHertz) = (4, 1, 0)
        (options.mixesLidar, options.hasTruthDepth, options.hasNoise, options.jobs) = (true, true, noise, 2)
        (options.imageSize, options.orientation) = (size, .fixed(orientation))
        try await SyntheticSession.write(to: directory.appending("room"), options: options)
        return directory
    }

    private static func floats(_ path: FilePath) throws -> [Float] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path.string))
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    private static func bilinear(_ depth: DepthMap) -> [Float] {
        (0..<size.count).map { place in
            func axis(_ index: Int, _ fine: Int, _ coarse: Int) -> (Int, Float) {
                let place = (Float(index) + 0.5) * Float(coarse) / Float(fine) - 0.5
                let low = max(0, min(coarse - 2, Int(place.rounded(.down))))
                return (low, max(0, min(1, place - Float(low))))
            }
            let (x, a) = axis(place % size.width, size.width, depth.width)
            let (y, b) = axis(place / size.width, size.height, depth.height)
            func at(_ x: Int, _ y: Int) -> Float { depth.metres[y * depth.width + x] }
            return (at(x, y) * (1 - a) + at(x + 1, y) * a) * (1 - b) + (at(x, y + 1) * (1 - a) + at(x + 1, y + 1) * a)
                * b
        }
    }

    private static func edges(_ truth: [Float]) -> [Bool] {
        var edges = [Bool](repeating: false, count: truth.count)
        let reach = 4
        for row in 0..<size.height - 1 {
            for column in 0..<size.width - 1 {
                let place = row * size.width + column
                guard
                    max(abs(truth[place] - truth[place + 1]), abs(truth[place] - truth[place + size.width])) > 0.05
                else { continue }
                for y in max(0, row - reach)...min(size.height - 1, row + reach) {
                    for x in max(0, column - reach)...min(size.width - 1, column + reach) {
                        edges[y * size.width + x] = true
                    }
                }
            }
        }
        return edges
    }

    private static func errors(_ maps: [[Float]], _ truths: [[Float]]) -> Errors {
        var (mean, edge, off, missing, count, edgeCount) = (0.0, 0.0, 0, 0, 0, 0)
        for (map, truth) in zip(maps, truths) {
            let edges = edges(truth)
            for place in truth.indices {
                guard map[place] > 0 else {
                    missing += 1
                    continue
                }
                let error = Double(abs(map[place] - truth[place]))
                mean += error
                count += 1
                if error > 0.05 { off += 1 }
                guard edges[place] else { continue }
                edge += error
                edgeCount += 1
            }
        }
        return Errors(
            mean: 1000 * mean / Double(count),
            edge: 1000 * edge / Double(edgeCount),
            off: Double(off) / Double(count),
            missing: Double(missing) / Double(count + missing)
        )
    }

    /// The LiDAR's depth, the dense one, and the exact one of each frame.
    private static func maps(
        _ directory: TemporaryDirectory
    ) throws -> [(lidar: DepthMap, dense: DepthMap, truth: [Float])] {
        var plan = DepthPlan()
        (plan.kind, plan.dense) = (.dense, DepthPlan.DenseGrid(width: size.width))
        let path = directory.appending("room")
        let session = DepthSession(try SessionFormats.open(path: path.string), plan)
        let loader = session.makeLoader()
        var maps: [(DepthMap, DepthMap, [Float])] = []
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames]), .everything)
        while let walked = try walk.nextFrame() {
            var diagnostics = Diagnostics()
            let lidar = try #require(loader.lidarDepth(of: walked.frame, &diagnostics))
            let dense = try #require(loader.depth(of: walked.frame, &diagnostics))
            #expect(walked.frame.hasDepth && walked.frame.denseDepthSize == size && dense.size == size)
            let name = String(format: "truth_depth/%06d.bin", walked.frame.index)
            maps.append((lidar, dense, try floats(path.appending(name))))
            #expect(diagnostics.isEmpty)
        }
        return maps
    }

    @Test(
        "edges are sharper by far than with bilinear interpolation, and planes are smoother",
        arguments: [false, true]
    )
    func exactness(noise: Bool) async throws {
        let maps = try Self.maps(try await Self.sample(noise: noise))
        #expect(maps.count == 4)
        let truths = maps.map(\.truth)
        let (dense, bilinear) = (
            Self.errors(maps.map(\.dense.metres), truths), Self.errors(maps.map { Self.bilinear($0.lidar) }, truths)
        )
        #expect(dense.missing < 0.001)
        #expect(dense.edge < 0.4 * bilinear.edge, "\(dense.edge) \(bilinear.edge)")
        #expect(dense.off < 0.5 * bilinear.off, "\(dense.off) \(bilinear.off)")
        #expect(dense.mean < bilinear.mean, "\(dense.mean) \(bilinear.mean)")
        for map in maps {
            let (lidar, dense) = (map.lidar.metres.filter { $0 > 0 }, map.dense.metres.filter { $0 > 0 })
            let (low, high) = (try #require(lidar.min()), try #require(lidar.max()))
            // Nothing is invented beyond the LiDAR's range.
            #expect(try #require(dense.min()) >= low - 1e-4 && #require(dense.max()) <= high + 1e-4)
        }
    }

    @Test("turned pictures give the same depth", arguments: [ImageOrientation.portrait, .landscapeLeft])
    func orientations(orientation: ImageOrientation) async throws {
        let maps = try Self.maps(try await Self.sample(noise: false, orientation: orientation))
        let truths = maps.map(\.truth)
        let dense = Self.errors(maps.map(\.dense.metres), truths)
        let bilinear = Self.errors(maps.map { Self.bilinear($0.lidar) }, truths)
        #expect(dense.edge < 0.5 * bilinear.edge && dense.mean < bilinear.mean, "\(dense) \(bilinear)")
    }

    @Test("a pixel is invalid where no LiDAR pixel supports it, and confidence says how well the others are")
    func support() throws {
        let (width, height) = (64, 48)
        var metres = [Float](repeating: 2, count: width * height)
        // The right half is farther, of the same colour; a hole of 20 x 20 pixels in the left one.
        for place in metres.indices where place % width >= width / 2 { metres[place] = 3 }
        for row in 10..<30 { for column in 5..<25 { metres[row * width + column] = column % 2 == 0 ? 0 : .nan } }
        let depth = DepthMap(
            width: width,
            height: height,
            metres: metres,
            confidence: [UInt8](repeating: 2, count: width * height)
        )
        let grey = RGBImage(width: 256, height: 192, pixels: [UInt8](repeating: 90, count: 3 * 256 * 192))
        let upsampler = DepthUpsampler()
        let dense = try #require(upsampler.upsampled(depth, guide: grey))
        let confidence = try #require(dense.confidence)
        func at(_ x: Int, _ y: Int) -> (Float, UInt8) { (dense.metres[y * 256 + x], confidence[y * 256 + x]) }
        #expect(at(60, 80) == (0, 0), "the middle of the hole")
        #expect(abs(at(20, 20).0 - 2) < 1e-4 && at(20, 20).1 == 2)
        #expect(abs(at(250, 20).0 - 3) < 1e-4 && at(250, 20).1 == 2)
        // Between the halves there are two depths, none between them, and no certainty.
        for x in 120..<136 {
            let (metres, sure) = at(x, 170)
            #expect(min(abs(metres - 2), abs(metres - 3)) < 0.02, "\(x) \(metres)")
            if (126..<130).contains(x) { #expect(sure < 2) }
        }
        // The buffers that are kept have nothing of the map before.
        let other = DepthMap(width: width, height: height, metres: [Float](repeating: .infinity, count: width * height))
        #expect(try #require(upsampler.upsampled(other, guide: grey)).metres.allSatisfy { $0 == 0 })
    }

    @Test("impossible sizes give none, extreme ones and numbers no crash")
    func damage() throws {
        let upsampler = DepthUpsampler()
        let grey = RGBImage(width: 4, height: 3, pixels: [UInt8](repeating: 9, count: 36))
        #expect(upsampler.upsampled(DepthMap(width: 0, height: 0, metres: []), guide: grey) == nil)
        #expect(upsampler.upsampled(DepthMap(width: 2, height: 2, metres: [1]), guide: grey) == nil)
        let one = DepthMap(width: 1, height: 1, metres: [2])
        #expect(upsampler.upsampled(one, guide: RGBImage(width: 4, height: 3, pixels: [])) == nil)
        #expect(try #require(upsampler.upsampled(one, guide: grey)).metres.allSatisfy { abs($0 - 2) < 1e-5 })
        var random = SeededRandomNumbers(seed: 5)
        for _ in 0..<50 {
            let size = GridSize(
                width: Int.random(in: 1...9, using: &random),
                height: Int.random(in: 1...9, using: &random)
            )
            let metres = (0..<size.count).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
            let map = DepthMap(width: size.width, height: size.height, metres: metres)
            let dense = try #require(upsampler.upsampled(map, guide: grey))
            #expect(dense.metres.allSatisfy { $0 >= 0 && $0.isFinite })
        }
    }
}
