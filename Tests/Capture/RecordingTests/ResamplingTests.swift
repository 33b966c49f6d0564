import Recording
import Testing

/// Pictures as other cameras in the same place see them.
@Suite struct ResamplingTests {
    private static let camera = CameraIntrinsics(width: 64, height: 48, fx: 50, fy: 52, cx: 30.3, cy: 24.9)

    /// Red tells the column of the sensor's grid, green the row: 3 levels a pixel.
    private static func ramp(_ orientation: ImageOrientation) -> RGBImage {
        let size = orientation.storedSize(sensorWidth: 64, sensorHeight: 48)
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let place = orientation.sensorPoint(
                    storedX: Double(x),
                    storedY: Double(y),
                    sensorWidth: 64,
                    sensorHeight: 48
                )
                pixels += [UInt8(3 * place.x), UInt8(3 * place.y), 7]
            }
        }
        return RGBImage(width: size.width, height: size.height, pixels: pixels)
    }

    @Test(arguments: ImageOrientation.allCases)
    func everyPixelShowsWhatItsRayMeets(orientation: ImageOrientation) {
        let image = Self.ramp(orientation)
        for (scale, width, height) in [(1.0, 64, 48), (1.02, 64, 48), (0.97, 60, 40), (0.5, 32, 24)] {
            let target = CameraIntrinsics(
                width: width,
                height: height,
                fx: 50 * scale,
                fy: 52 * scale,
                cx: 0.49 * Double(width),
                cy: 0.51 * Double(height)
            )
            let seen = image.resampled(orientation, from: Self.camera, to: target)
            #expect(seen.width == width && seen.height == height)
            for y in 0..<height {
                for x in 0..<width {
                    let column = Self.camera.cx + (Double(x) - target.cx) / target.fx * Self.camera.fx
                    let row = Self.camera.cy + (Double(y) - target.cy) / target.fy * Self.camera.fy
                    // Beyond the border, and half of a new pixel before it, the border is repeated.
                    let margin = 0.5 / scale
                    guard (margin...63 - margin).contains(column), (margin...47 - margin).contains(row) else {
                        continue
                    }
                    let pixel = 3 * (y * width + x)
                    #expect(abs(Double(seen.pixels[pixel]) - 3 * column) < 0.51, "\(x) \(y)")
                    #expect(abs(Double(seen.pixels[pixel + 1]) - 3 * row) < 0.51 && seen.pixels[pixel + 2] == 7)
                }
            }
        }
    }

    @Test func theSameCameraChangesNothing() {
        let image = Self.ramp(.landscapeRight)
        #expect(image.resampled(from: Self.camera, to: Self.camera).pixels == image.pixels)
        #expect(image.inSensorGrid(.landscapeRight, size: GridSize(width: 64, height: 48)).pixels == image.pixels)
    }

    @Test func whatIsNotSeenRepeatsTheBorder() {
        let image = Self.ramp(.landscapeRight)
        let wide = CameraIntrinsics(width: 64, height: 48, fx: 5, fy: 5, cx: 31.5, cy: 23.5)
        let seen = image.resampled(from: Self.camera, to: wide)
        #expect(Array(seen.pixels.prefix(3)) == [0, 0, 7] && Array(seen.pixels.suffix(3)) == [189, 141, 7])
    }

    /// Each pixel of a third of the size is the mean of nine.
    @Test func reducedPixelsAreMeans() {
        var image = RGBImage(width: 6, height: 3, pixels: [UInt8](repeating: 0, count: 54))
        for place in 0..<18 where place % 6 < 3 { image.pixels[3 * place] = UInt8(9 * (place / 6) + place % 6) }
        let small = image.inSensorGrid(.landscapeRight, size: GridSize(width: 2, height: 1))
        #expect(small.pixels == [10, 0, 0, 0, 0, 0])
    }
}
