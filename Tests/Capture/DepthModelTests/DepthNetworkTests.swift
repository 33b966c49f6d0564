import Perception
import Recording
import Testing

/// Networks that are made by hand, of which the right depth is known.
@Suite("Depth networks", .enabled(if: DepthModels.isAvailable, Comment(rawValue: DepthModels.absence)))
struct DepthNetworkTests {
    @Test(
        "images of any size are resampled and normalised",
        arguments: [(70, 50, 42, 28), (42, 28, 42, 28), (20, 10, 42, 28), (100, 9, 42, 28), (3, 80, 42, 28)]
    )
    func resampling(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        let network = try DepthModels.network("fixed")
        let image = DepthModels.image(width: width, height: height)
        let size = GridSize(width: newWidth, height: newHeight)
        let depth = try network.run(image)
        #expect(try network.inputSize(for: GridSize(width: width, height: height)) == size)
        #expect((depth.width, depth.height) == (newWidth, newHeight))
        #expect(depth.kind == .inverseDepth)
        expectNear(depth, DepthModels.naiveMean(image, size))
    }

    @Test("what the model's metadata says replaces ImageNet's statistics and the kind of depth")
    func metadata() throws {
        let image = DepthModels.image(width: 30, height: 20)
        var options = DepthModels.options("half")
        options.longestSide = 42
        let half = try DepthNetwork(options).run(image)
        let (middle, unit) = ([Double](repeating: 0.5, count: 3), [Double](repeating: 1, count: 3))
        let size = GridSize(width: 42, height: 28)
        expectNear(half, DepthModels.naiveMean(image, size, mean: middle, deviation: middle))
        options = DepthModels.options("metric")
        options.longestSide = 55
        let network = try DepthNetwork(options)
        #expect(network.kind == .metric)
        let metric = try network.run(image)
        #expect(metric.kind == .depth)
        expectNear(metric, DepthModels.naiveMean(image, size, mean: [0, 0, 0], deviation: unit))
        options.kind = .inverse
        #expect(try DepthNetwork(options).run(image).kind == .inverseDepth)
    }

    @Test(
        "sides that the model leaves open are multiples of 14, the longer 518",
        arguments: [
            (1920, 1440, 518, 392), (1440, 1920, 392, 518), (256, 192, 518, 392), (1, 1, 518, 518),
            (1_000_000, 1, 518, 14), (1, .max, 14, 518), (.max, .max, 518, 518), (1280, 720, 518, 294),
        ]
    )
    func inputSize(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        let network = try DepthModels.network("mean")
        let size = try network.inputSize(for: GridSize(width: width, height: height))
        #expect(size == GridSize(width: newWidth, height: newHeight))
        let fixed = try DepthModels.network("fixed_height").inputSize(for: GridSize(width: width, height: height))
        #expect(fixed.height == 28 && fixed.width.isMultiple(of: 14) && (14...16_384).contains(fixed.width))
    }

    @Test("the interface of Depth Anything: the same depth on every run, from several tasks at once")
    func concurrency() async throws {
        let network = try DepthModels.network("patches")
        #expect(network.name == "patches.onnx" && network.kind == .inverse)
        let images = (1...3).map { DepthModels.image(width: 64, height: 48, seed: $0) }
        let alone = try images.map { try network.run($0).values }
        #expect(alone[0].count == 518 * 392 && alone[0] != alone[1])
        try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
            for index in 0..<9 {
                group.addTask { (index % 3, try network.run(images[index % 3]).values) }
            }
            for try await (index, values) in group { #expect(values == alone[index]) }
        }
    }

    @Test("old operators, and outputs beside the depth, are no obstacle", arguments: ["old_opset", "two_outputs"])
    func otherModels(name: String) throws {
        var options = DepthModels.options(name)
        options.longestSide = 42
        let image = DepthModels.image(width: 30, height: 20)
        let depth = try DepthNetwork(options).run(image)
        expectNear(depth, DepthModels.naiveMean(image, GridSize(width: 42, height: 28)))
    }

    @Test("networks are loaded and released again and again, and several live beside each other")
    func lifetimes() throws {
        let image = DepthModels.image(width: 42, height: 28)
        var networks: [DepthNetwork] = []
        var first: [Float]?
        for index in 0..<40 {
            var options = DepthModels.options("fixed")
            options.memoryLimitBytes = (1 << 28) + index
            networks.append(try DepthNetwork(options))
            if networks.count > 3 { networks.removeFirst(2) }
            for network in networks {
                let values = try network.run(image).values
                #expect(values == first ?? values)
                first = values
            }
        }
    }

    private func expectNear(
        _ depth: RelativeDepthMap,
        _ expected: [Double],
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(depth.values.count == expected.count, sourceLocation: place)
        let worst = zip(depth.values, expected).map { abs(Double($0) - $1) }.max() ?? .infinity
        #expect(worst < 1e-4, sourceLocation: place)
    }
}
