extension RGBImage {
    /// The image in the sensor's landscape grid at another size, each pixel the mean of the stored pixels it covers.
    ///
    /// - Parameter orientation: how this image is turned against the sensor's grid.
    package func inSensorGrid(_ orientation: ImageOrientation, size: GridSize) -> RGBImage {
        let sensor = orientation.swapsAxes ? (width: height, height: width) : (width: width, height: height)
        var result = RGBImage(
            width: size.width,
            height: size.height,
            pixels: [UInt8](repeating: 0, count: 3 * size.count)
        )
        // Of a sensor pixel: the place of its stored pixel is affine in column and row.
        let (origin, column, row): (Int, Int, Int) =
            switch orientation {
            case .landscapeRight: (0, 1, width)
            case .landscapeLeft: (width * height - 1, -1, -width)
            case .portrait: (width - 1, width, -1)
            case .portraitUpsideDown: ((height - 1) * width, -width, 1)
            }
        let columns = ranges(size.width, of: sensor.width)
        let rows = ranges(size.height, of: sensor.height)
        pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    var sums = (red: 0, green: 0, blue: 0)
                    for sensorY in rows[y] {
                        for sensorX in columns[x] {
                            let place = 3 * (origin + sensorX * column + sensorY * row)
                            sums.red += Int(pixels[place])
                            sums.green += Int(pixels[place + 1])
                            sums.blue += Int(pixels[place + 2])
                        }
                    }
                    let count = rows[y].count * columns[x].count
                    let target = 3 * (y * size.width + x)
                    result.pixels[target] = UInt8((sums.red + count / 2) / count)
                    result.pixels[target + 1] = UInt8((sums.green + count / 2) / count)
                    result.pixels[target + 2] = UInt8((sums.blue + count / 2) / count)
                }
            }
        }
        return result
    }

    /// Which pixels of a side each of `count` new ones covers; at least one.
    private func ranges(_ count: Int, of side: Int) -> [Range<Int>] {
        (0..<count).map { index in
            let low = min(index * side / count, side - 1)
            return low..<max(low + 1, min((index + 1) * side / count, side))
        }
    }
}
