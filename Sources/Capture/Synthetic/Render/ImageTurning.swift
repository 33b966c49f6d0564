import Recording

extension ImageOrientation {
    /// The image, or a map of it, as it is stored: `pixels` is the sensor's, row-major, `width` x `height`.
    ///
    /// Works on squares of 32 pixels, so that neither side jumps through all of the memory.
    func turned<Value>(_ pixels: [Value], width: Int, height: Int) -> [Value] {
        if self == .landscapeRight { return pixels }
        if self == .landscapeLeft { return pixels.reversed() }
        let square = 32
        return [Value](unsafeUninitializedCapacity: width * height) { output, count in
            for top in stride(from: 0, to: height, by: square) {
                for left in stride(from: 0, to: width, by: square) {
                    for y in top..<min(top + square, height) {
                        for x in left..<min(left + square, width) {
                            // Clockwise: (height - 1 - y, x); counter-clockwise: (y, width - 1 - x).
                            let place =
                                self == .portrait
                                ? x &* height &+ (height &- 1 &- y) : (width &- 1 &- x) &* height &+ y
                            (output.baseAddress.map { $0 + place })?.initialize(to: pixels[y &* width &+ x])
                        }
                    }
                }
            }
            count = width * height
        }
    }
}
