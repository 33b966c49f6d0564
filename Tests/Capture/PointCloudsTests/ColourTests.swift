import Perception
import Recording
import TestSupport
import Testing

@Suite struct ColourTests {
    /// The image as the phone stores it: the sensor's pixels, turned.
    private func stored(_ sensor: RGBImage, _ orientation: ImageOrientation) -> RGBImage {
        let size = orientation.storedSize(sensorWidth: sensor.width, sensorHeight: sensor.height)
        var image = RGBImage(width: size.width, height: size.height, pixels: [])
        image.pixels = Array(repeating: 0, count: sensor.pixels.count)
        for y in 0..<sensor.height {
            for x in 0..<sensor.width {
                // In whole pixels, not by way of the continuous formula under test.
                let (column, row) =
                    switch orientation {
                    case .landscapeRight: (x, y)
                    case .landscapeLeft: (sensor.width - 1 - x, sensor.height - 1 - y)
                    case .portrait: (sensor.height - 1 - y, x)
                    case .portraitUpsideDown: (y, sensor.width - 1 - x)
                    }
                for channel in 0..<3 {
                    image.pixels[3 * (row * size.width + column) + channel] =
                        sensor.pixels[3 * (y * sensor.width + x) + channel]
                }
            }
        }
        return image
    }

    private func colour(_ image: RGBImage, _ x: Int, _ y: Int) -> UInt32 {
        let pixel = image.pixels[(3 * (y * image.width + x))...].prefix(3).map(UInt32.init)
        return pixel[0] << 16 | pixel[1] << 8 | pixel[2]
    }

    @Test(arguments: ImageOrientation.allCases, [(8, true), (8, false), (1, true), (1, false)])
    func eachPointHasTheColourOfItsPixel(orientation: ImageOrientation, scale: (Int, isCentre: Bool)) throws {
        var random = SeededRandomNumbers(seed: 77)
        // Depth pixels of 5 image pixels: no centre lies between two.
        let scene = Scene(width: 128, height: 96, seed: 12)
        let factor = scale.0
        let sensor = Scene.image(width: 640 / factor, height: 480 / factor, using: &random)
        var parameters = unfiltered
        parameters.pixelPoint = scale.isCentre ? .centre : .corner
        let cloud = try CloudBuilder().build(
            depth: scene.depth,
            intrinsics: scene.camera,
            mapFromCamera: scene.mapFromCamera,
            image: stored(sensor, orientation),
            orientation: orientation,
            imageScale: factor,
            parameters: parameters
        )
        let pixels = ReferencePipeline(parameters: parameters).validPixels(scene.depth)
        try #require(cloud.count == pixels.count)
        for (index, pixel) in pixels.enumerated() {
            let centre = scale.isCentre ? 2 : 0
            let expected = colour(
                sensor,
                (pixel.column * 5 + centre) / factor,
                (pixel.row * 5 + centre) / factor
            )
            #expect(cloud.colour(index) == expected, "pixel \(pixel)")
        }
    }

    /// Depth pixels of 7.5 image pixels, as the phones have: no centre lies between two image pixels of 1/8 size.
    @Test(arguments: ImageOrientation.allCases)
    func theReducedImageOfAPhone(orientation: ImageOrientation) throws {
        var random = SeededRandomNumbers(seed: 78)
        let sensor = Scene.image(width: 240, height: 180, using: &random)
        let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1450, fy: 1450, cx: 960, cy: 720)
        let cloud = try CloudBuilder().build(
            depth: DepthMap(width: 256, height: 192, metres: Array(repeating: 1, count: 256 * 192)),
            intrinsics: camera,
            mapFromCamera: .identity,
            image: stored(sensor, orientation),
            orientation: orientation,
            parameters: unfiltered
        )
        try #require(cloud.count == 256 * 192)
        for row in 0..<192 {
            for column in 0..<256 {
                let x = (Double(column) + 0.5) * 7.5 / 8
                let y = (Double(row) + 0.5) * 7.5 / 8
                #expect(cloud.colour(row * 256 + column) == colour(sensor, Int(x), Int(y)))
            }
        }
    }

    @Test(arguments: ImageOrientation.allCases)
    func sizesThatAreRoundedUpStayInside(orientation: ImageOrientation) throws {
        var random = SeededRandomNumbers(seed: 79)
        var scene = Scene(seed: 13)
        scene.camera.width = 637
        scene.camera.height = 477
        let image = stored(Scene.image(width: 80, height: 60, using: &random), orientation)
        for imageScale in [1, 8] {
            let cloud = try CloudBuilder().build(
                depth: scene.depth,
                intrinsics: scene.camera,
                mapFromCamera: scene.mapFromCamera,
                image: image,
                orientation: orientation,
                imageScale: imageScale
            )
            #expect(cloud.count > 100)
        }
    }

    @Test func pointsWithoutImageAreWhite() throws {
        let scene = Scene(seed: 14)
        for parameters in [CloudParameters(), unfiltered] {
            let cloud = try CloudBuilder().build(
                depth: scene.depth,
                intrinsics: scene.camera,
                mapFromCamera: scene.mapFromCamera,
                image: nil,
                parameters: parameters
            )
            #expect(cloud.points.allSatisfy { $0.colour == 0xFF_FFFF })
        }
    }

    @Test func bytesAreLittleEndianWithBlueFirst() throws {
        var scene = Scene(width: 1, height: 1, seed: 1, hasConfidence: false)
        scene.depth.metres = [2]
        // The middle of eight pixels lies between the fourth and the fifth.
        scene.camera = CameraIntrinsics(width: 8, height: 8, fx: 1, fy: 1, cx: 3.5, cy: 3.5)
        scene.mapFromCamera = .identity
        scene.image = RGBImage(width: 1, height: 1, pixels: [0x11, 0x22, 0x33])
        let cloud = try scene.cloud(unfiltered)
        #expect(cloud.packed == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0x33, 0x22, 0x11, 0])
    }
}
