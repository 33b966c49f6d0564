import Perception
import Recording
import Testing

@Suite("Colours from another frame's picture")
struct BorrowedColoursTests {
    private static let camera = CameraIntrinsics(width: 640, height: 480, fx: 480, fy: 482, cx: 321, cy: 238)
    private static let grid = GridSize(width: 80, height: 60)

    /// A wall two metres before the origin, whose red grows by 50 a metre to the right.
    private static func view(x: Double, metres: Float = 2) -> DepthView {
        let depth = DepthMap(
            width: grid.width,
            height: grid.height,
            metres: [Float](repeating: metres, count: grid.count)
        )
        let pose = Transform(rotation: .identity, translation: Vector3(x, 0, 0))
        return DepthView(depth: depth, intrinsics: camera, worldFromCamera: pose)
    }

    private static func red(column: Int, of width: Int, x: Double) -> Double {
        let sensor = (Double(column) + 0.5) * Double(camera.width) / Double(width) - 0.5
        return 128 + 50 * (x + 2 * (sensor - camera.cx) / camera.fx)
    }

    private static func picture(x: Double) -> RGBImage {
        var pixels: [UInt8] = []
        for _ in 0..<480 { for column in 0..<640 { pixels += [UInt8(red(column: column, of: 640, x: x)), 40, 90] } }
        return RGBImage(width: 640, height: 480, pixels: pixels)
    }

    @Test("a point has the colour that it has in the other picture, and none where it was hidden or outside")
    func projection() throws {
        let borrowed = BorrowedColours(Self.view(x: 0), image: Self.picture(x: 0), orientation: .landscapeRight)
        let image = try #require(borrowed.image(for: Self.view(x: 0.3)))
        #expect(image.width == 80 && image.height == 60)
        var known = 0
        for column in 0..<80 {
            let place = 3 * (30 * 80 + column)
            guard image.pixels[place + 1] == 40 else {
                #expect(image.pixels[place + 1] == 255 && column > 60)
                continue
            }
            known += 1
            #expect(abs(Double(image.pixels[place]) - Self.red(column: column, of: 80, x: 0.3)) < 2)
        }
        #expect(known > 60)
    }

    @Test("a picture that shows something else gives nothing")
    func refusal() {
        let borrowed = BorrowedColours(Self.view(x: 0), image: Self.picture(x: 0), orientation: .landscapeRight)
        #expect(borrowed.image(for: Self.view(x: 0, metres: 1)) == nil)
        #expect(borrowed.image(for: Self.view(x: 9)) == nil)
    }
}
