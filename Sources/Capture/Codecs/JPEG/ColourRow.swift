/// Turns rows of units into red, green and blue (JFIF 1.02: YCbCr of ITU-R BT.601, full range).
struct ColourRow {
    private let light: ScanLayout.Component
    private let colour: (blue: ScanLayout.Component, red: ScanLayout.Component)?
    private let width: Int
    private let height: Int
    private let pixels: UnsafeMutableBufferPointer<UInt8>

    /// `pixels` holds three bytes for each of `width` times `height` pixels.
    init(_ layout: ScanLayout, width: Int, height: Int, pixels: UnsafeMutableBufferPointer<UInt8>) {
        precondition(pixels.count == 3 * width * height)
        light = layout.components[0]
        colour = layout.components.count == 3 ? (layout.components[1], layout.components[2]) : nil
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Writes the pixel rows of one row of units; rows and columns beyond the image are padding.
    func write(_ samples: UnsafePointer<UInt8>, unitRow: Int) {
        for line in 0..<light.samplesDown {
            let row = unitRow * light.samplesDown + line
            guard row < height, let base = pixels.baseAddress else { return }
            let output = base + 3 * width * row
            let y = samples + light.start + line * light.stride
            if let colour {
                let place = colour.blue.isDoubled ? line * colour.blue.stride : 0
                let shift = light.samplesAcross == colour.blue.samplesAcross ? 0 : 1
                mix(y, samples + colour.blue.start + place, samples + colour.red.start + place, shift, output)
            } else {
                for column in 0..<width {
                    for channel in 0..<3 { output[3 * column + channel] = y[column] }
                }
            }
        }
    }

    /// `shift` is 1 where there are half as many colour samples along the row.
    private func mix(
        _ y: UnsafePointer<UInt8>,
        _ cb: UnsafePointer<UInt8>,
        _ cr: UnsafePointer<UInt8>,
        _ shift: Int,
        _ output: UnsafeMutablePointer<UInt8>
    ) {
        for column in 0..<width {
            let light = Int(y[column])
            let blue = Int(cb[column &>> shift]) &- 128
            let red = Int(cr[column &>> shift]) &- 128
            // 2^16 times 1.402, 0.344136, 0.714136 and 1.772.
            let green = (-22_554 &* blue &- 46_802 &* red &+ 32_768) &>> 16
            output[3 &* column] = byte(light &+ (91_881 &* red &+ 32_768) &>> 16)
            output[3 &* column &+ 1] = byte(light &+ green)
            output[3 &* column &+ 2] = byte(light &+ (116_130 &* blue &+ 32_768) &>> 16)
        }
    }

    @inline(__always)
    private func byte(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }
}
