import Perception
import Recording
import TestSupport

/// A depth map, an image and a pose to build clouds from.
struct Scene {
    var depth: DepthMap
    var camera: CameraIntrinsics
    var mapFromCamera: Transform
    var image: RGBImage

    /// A sloping wall with steps, noise, holes and flying pixels, seen from anywhere.
    init(width: Int = 64, height: Int = 48, seed: UInt64, hasConfidence: Bool = true) {
        var random = SeededRandomNumbers(seed: seed)
        var metres: [Float] = []
        var confidence: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                let slope = 0.8 + 2.5 * Double(column) / Double(width) + 0.7 * Double(row) / Double(height)
                let step = (column / 13 + row / 11) % 3 == 0 ? 0.9 : 0
                var value = Float((slope + step) * (1 + 0.004 * random.normal()))
                switch Int.random(in: 0..<40, using: &random) {
                case 0: value = 0
                case 1: value = .nan
                case 2: value = .infinity
                case 3: value = -1
                case 4: value = Float.random(in: 0.02..<7, using: &random)
                case 5: value = 0.1
                case 6: value = 5
                default: break
                }
                metres.append(value)
                confidence.append(UInt8.random(in: 0...2, using: &random))
            }
        }
        depth = DepthMap(width: width, height: height, metres: metres, confidence: hasConfidence ? confidence : nil)
        camera = CameraIntrinsics(width: 640, height: 480, fx: 480, fy: 484, cx: 322.3, cy: 236.9)
        let axis = Vector3(random.normal(), random.normal(), random.normal())
        mapFromCamera = Transform(
            rotation: Quaternion(angleRadians: random.normal(), axis: axis / axis.length),
            translation: Vector3(random.normal(), random.normal(), random.normal()) * 3
        )
        image = Self.image(width: 80, height: 60, using: &random)
    }

    static func image(width: Int, height: Int, using random: inout SeededRandomNumbers) -> RGBImage {
        let pixels = (0..<3 * width * height).map { _ in UInt8.random(in: 0...255, using: &random) }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    func cloud(
        _ parameters: CloudParameters,
        builder: CloudBuilder = CloudBuilder()
    ) throws(CloudError) -> PointCloud {
        try builder.build(
            depth: depth,
            intrinsics: camera,
            mapFromCamera: mapFromCamera,
            image: image,
            parameters: parameters
        )
    }
}
