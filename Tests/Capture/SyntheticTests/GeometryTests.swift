import Codecs
import Recording
import Synthetic
import TestSupport
import Testing

@Suite struct GeometryTests {
    @Test func depthIsWhatAMarchedRayMeets() async throws {
        var options = WrittenSample.smallOptions()
        options.durationSeconds = 12
        options.framesPerSecond = 0.5
        let sample = try await WrittenSample(options)
        let truth = try sample.object("truth.json")
        #expect(try truth.text("pixel_coordinates") == "integer_at_centre")
        let marched = try MarchedRoom(truth: truth)
        let room = Room(seed: options.seed)
        for (index, line) in try sample.lines("frames.jsonl").enumerated() {
            let camera = try WrittenCamera(line)
            #expect(abs(camera.fy / camera.fx - 1.003) < 1e-6)
            let depth = try sample.floats("depth/00000\(index).bin")
            #expect(depth.count == 256 * 192)
            #expect(try sample.bytes("confidence/00000\(index).bin").count == 256 * 192)
            var worst = 0.0
            var farthest = 0.0
            for place in depth.indices {
                let x = (Double(place % 256) + 0.5) * camera.width / 256 - 0.5
                let y = (Double(place / 256) + 0.5) * camera.height / 192 - 0.5
                let direction = camera.direction(x: x, y: y)
                let point = camera.position + Double(depth[place]) * direction
                farthest = max(farthest, room.distanceToSurface(point))
                if place % 37 == 0 {
                    worst = max(worst, abs(marched.march(camera.position, direction) - Double(depth[place])))
                }
            }
            #expect(worst < 2e-4, "frame \(index)")
            #expect(farthest < 2e-5, "frame \(index)")
        }
    }

    @Test func cameraStaysInFreeSpace() async throws {
        let sample = try await WrittenSample(WrittenSample.smallOptions())
        let marched = try MarchedRoom(truth: sample.object("truth.json"))
        for portrait in [ImageOrientation.portrait, .landscapeRight] {
            let trajectory = Trajectory(orientation: portrait, pace: .steady)
            for tick in 0..<6000 {
                let position = trajectory.worldFromCamera(atSeconds: Double(tick) * 0.1).translation
                #expect(marched.clearance(position) > 0.5)
            }
        }
    }

    @Test func distanceAgreesWithTheTruthFile() async throws {
        let sample = try await WrittenSample(WrittenSample.smallOptions())
        let marched = try MarchedRoom(truth: sample.object("truth.json"))
        let room = Room(seed: 1)
        var state: UInt64 = 3
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) * 0x1p-53
        }
        for _ in 0..<3000 {
            let p = Vector3(random() * 6.4 - 3.2, random() * 2.6 - 1.42, random() * 5.4 - 2.7)
            let clearance = marched.clearance(p)
            // Inside of furniture the marched room knows nothing.
            if clearance > 0 { #expect(abs(room.distanceToSurface(p) - clearance) < 1e-9) }
        }
    }

    @Test func relativeDepthFollowsItsModel() async throws {
        var options = WrittenSample.smallOptions()
        options.hasRelativeDepth = true
        let sample = try await WrittenSample(options)
        let truth = try sample.object("truth.json")
        let marched = try MarchedRoom(truth: truth)
        let relative = try sample.object("metadata.json").object("relative_depth")
        #expect(try relative.numbers("resolution") == [518, 392])
        #expect(try relative.text("kind") == "inverse_depth")
        let lines = try sample.lines("frames.jsonl")
        for (index, frame) in try truth.objects("frames").enumerated() {
            let values = try sample.floats("relative_depth/00000\(index).bin")
            #expect(values.count == 518 * 392)
            #expect(values.min() == 0 && values.max() == 1)
            let a = try frame.number("relative_depth_a")
            let b = try frame.number("relative_depth_b")
            let camera = try WrittenCamera(lines[index])
            for place in stride(from: 0, to: values.count, by: 997) {
                let x = (Double(place % 518) + 0.5) * camera.width / 518 - 0.5
                let y = (Double(place / 518) + 0.5) * camera.height / 392 - 0.5
                let z = marched.march(camera.position, camera.direction(x: x, y: y))
                #expect(abs(a * Double(values[place]) + b - 1 / z) < 2e-5)
            }
        }
    }

    @Test func noiseIsAsTheTruthFileSays() async throws {
        var exact = WrittenSample.smallOptions()
        exact.hasRelativeDepth = true
        var noisy = exact
        noisy.hasNoise = true
        let clean = try await WrittenSample(exact)
        let sample = try await WrittenSample(noisy)
        let truth = try sample.object("truth.json").object("noise")
        let metres = try sample.floats("depth/000001.bin")
        let expected = try clean.floats("depth/000001.bin")
        let confidence = try sample.bytes("confidence/000001.bin")
        let count = Double(metres.count)
        let zeros = Double(metres.count { $0 == 0 }) / count
        let invalid = Double(metres.count { $0.isNaN }) / count
        #expect(abs(zeros - (try truth.number("depth_zero_part"))) < 0.002)
        #expect(abs(invalid - (try truth.number("depth_nan_part"))) < 0.002)
        let confident = metres.indices.filter { confidence[$0] == 2 }
        #expect(Double(confident.count) / count > 0.6)
        let squares = confident.map { place in
            let ratio = Double(metres[place] / expected[place]) - 1
            return ratio * ratio
        }
        let deviation = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
        #expect(abs(deviation - (try truth.number("depth_relative_deviation"))) < 0.0004)
        let flying = metres.indices.filter { abs(metres[$0] - expected[$0]) > 0.08 && metres[$0] > 0 }
        #expect(flying.count > 200 && flying.allSatisfy { confidence[$0] < 2 })
        let relative = try sample.floats("relative_depth/000001.bin")
        let model = try clean.floats("relative_depth/000001.bin")
        let outliers = relative.indices.count { abs(relative[$0] - model[$0]) > 0.03 }
        #expect((0.03...0.05).contains(Double(outliers) / Double(relative.count)))
    }
}
