import Messages
import Rosbridge
import TestSupport
import Testing

@Suite("Thinning of clouds")
struct CloudThinningTests {
    /// A cloud whose points hold their own number, with padding after each row.
    private func cloud(width: Int, height: Int, step: Int = 16, padding: Int = 0) -> PointCloud2 {
        var cloud = PointCloud2()
        cloud.header.frameID = "map"
        (cloud.width, cloud.height) = (UInt32(width), UInt32(height))
        cloud.pointStep = UInt32(step)
        cloud.rowStep = UInt32(width * step + padding)
        cloud.isDense = true
        for row in 0..<height {
            for column in 0..<width {
                let number = UInt32(row * width + column)
                cloud.data += withUnsafeBytes(of: number.littleEndian, Array.init)
                cloud.data += [UInt8](repeating: 7, count: step - 4)
            }
            cloud.data += [UInt8](repeating: 0xEE, count: padding)
        }
        return cloud
    }

    private func jsonSize(_ cloud: PointCloud2) throws -> Int {
        var bytes: [UInt8] = []
        try cloud.appendJSON(to: &bytes)
        return bytes.count
    }

    /// The numbers that the points of a thinned cloud hold.
    private func numbers(_ cloud: PointCloud2) -> [Int] {
        stride(from: 0, to: cloud.data.count, by: Int(cloud.pointStep)).map { start in
            (0..<4).reduce(0) { $0 | Int(cloud.data[start + $1]) << (8 * $1) }
        }
    }

    /// Every k-th point, one by one, for the first k with which the JSON fits.
    private func search(_ cloud: PointCloud2, points: Int, limit: Int) throws -> (step: Int, kept: [Int])? {
        for step in 1...max(points, 1) {
            let kept = (0..<points).filter { $0 % step == 0 }
            var thin = cloud
            (thin.width, thin.height) = (UInt32(kept.count), 1)
            thin.rowStep = UInt32(kept.count) * cloud.pointStep
            thin.data = [UInt8](repeating: 0, count: kept.count * Int(cloud.pointStep))
            if try jsonSize(thin) <= limit { return (step, kept) }
        }
        return nil
    }

    @Test("keeps every k-th point, for the smallest k that fits, as an independent search finds", arguments: 0..<60)
    func smallestStep(seed: UInt64) throws {
        var random = SeededRandomNumbers(seed: seed)
        let cloud = cloud(
            width: Int.random(in: 1...40, using: &random),
            height: Int.random(in: 1...12, using: &random),
            step: Int.random(in: 4...33, using: &random),
            padding: seed % 2 == 0 ? 0 : Int.random(in: 1...20, using: &random)
        )
        let points = Int(cloud.width * cloud.height)
        let limit = Int.random(in: 200...(try jsonSize(cloud)), using: &random)
        let expected = try search(cloud, points: points, limit: limit)
        let thinning = CloudThinning(cloud, byteLimit: limit)
        #expect(thinning?.step == expected?.step)
        guard let thinning, let expected else { return }
        let thin = thinning.apply(to: cloud)
        #expect(numbers(thin) == expected.kept)
        #expect(thinning.keptPoints == expected.kept.count && thinning.offeredPoints == points)
        #expect(thin.height == 1 && Int(thin.width) == expected.kept.count)
        #expect(thin.rowStep == thin.width * thin.pointStep && thin.data.count == Int(thin.rowStep))
        #expect(try jsonSize(thin) <= limit)
        #expect(thin.header.frameID == "map" && thin.isDense && thin.fields.count == cloud.fields.count)
    }

    @Test("data that end early give the points that are there")
    func shortData() throws {
        var short = cloud(width: 10, height: 4)
        short.data.removeLast(3)
        let limit = try jsonSize(short) / 2
        let thinning = try #require(CloudThinning(short, byteLimit: limit))
        #expect(thinning.offeredPoints == 39)
        #expect(numbers(thinning.apply(to: short)).allSatisfy { $0 < 39 && $0 % thinning.step == 0 })
    }

    @Test("a cloud that contradicts itself is left alone")
    func nonsense() {
        var none = cloud(width: 4, height: 4)
        none.pointStep = 0
        #expect(CloudThinning(none, byteLimit: 1000) == nil)
        var narrow = cloud(width: 4, height: 4)
        narrow.rowStep = 1
        #expect(CloudThinning(narrow, byteLimit: 1000) == nil)
        var huge = cloud(width: 4, height: 4)
        (huge.width, huge.height, huge.rowStep) = (.max, .max, .max)
        #expect(CloudThinning(huge, byteLimit: 1000) == nil)
        #expect(CloudThinning(PointCloud2(), byteLimit: 1000) == nil)
        #expect(CloudThinning(cloud(width: 4, height: 4), byteLimit: 10) == nil)
    }
}
