package import Recording

/// Colours for a depth map whose frame has no picture, from the picture of another frame nearby.
package struct BorrowedColours {
    private let other: DepthView
    private let picture: RGBImage
    private let otherFromWorld: Transform
    private let otherCamera: CameraIntrinsics

    /// How far a point may lie off what the other frame measured there: what is farther was hidden from it.
    private static let nearMetres = 0.05
    private static let nearPart = 0.03
    /// One point in so many has to have a colour; else the picture shows something else.
    private static let leastPart = 0.5

    /// - Parameters:
    ///   - other: the frame that has the picture.
    ///   - image: its picture, at an eighth or at full size, turned as it is stored.
    ///   - orientation: how that is turned against the sensor grid.
    package init(_ other: DepthView, image: RGBImage, orientation: ImageOrientation) {
        self.other = other
        let grid = GridSize(width: other.depth.width, height: other.depth.height)
        picture = image.inSensorGrid(orientation, size: grid)
        otherFromWorld = other.worldFromCamera.inverse
        otherCamera = other.intrinsics.scaled(toWidth: grid.width, height: grid.height)
    }

    /// An image for a view, in its sensor grid at an eighth of the camera's size: the colour of each point as the other
    /// frame saw it, white where that was hidden; `nil` where the other picture shows too little of it.
    package func image(for view: DepthView) -> RGBImage? {
        let (width, height) = ((view.intrinsics.width + 7) / 8, (view.intrinsics.height + 7) / 8)
        let depth = view.depth
        let camera = view.intrinsics.scaled(toWidth: depth.width, height: depth.height)
        guard width > 0, height > 0, depth.metres.count == depth.width * depth.height else { return nil }
        let (across, down) = (Double(depth.width) / Double(width), Double(depth.height) / Double(height))
        let otherFromCamera = otherFromWorld * view.worldFromCamera
        var image = RGBImage(width: width, height: height, pixels: [UInt8](repeating: 255, count: 3 * width * height))
        var (known, coloured) = (0, 0)
        for row in 0..<height {
            let v = min(depth.height - 1, Int((Double(row) + 0.5) * down))
            for column in 0..<width {
                let u = min(depth.width - 1, Int((Double(column) + 0.5) * across))
                let metres = Double(depth.metres[v * depth.width + u])
                guard metres > 0, metres.isFinite else { continue }
                known += 1
                let x = (Double(u) - camera.cx) / camera.fx
                let y = (camera.cy - Double(v)) / camera.fy
                guard let place = pixel(of: otherFromCamera * (metres * Vector3(x, y, -1))) else { continue }
                coloured += 1
                for channel in 0..<3 {
                    image.pixels[3 * (row * width + column) + channel] = picture.pixels[3 * place + channel]
                }
            }
        }
        return Double(coloured) >= Self.leastPart * Double(max(known, 1)) ? image : nil
    }

    /// The pixel of the other frame's depth grid that saw a point of its camera's axes; `nil` where none did.
    private func pixel(of point: Vector3) -> Int? {
        let metres = -point.z
        guard metres > 0.05 else { return nil }
        let column = (otherCamera.cx + otherCamera.fx * point.x / metres).rounded()
        let row = (otherCamera.cy - otherCamera.fy * point.y / metres).rounded()
        guard column >= 0, row >= 0, column < Double(other.depth.width), row < Double(other.depth.height) else {
            return nil
        }
        let place = Int(row) * other.depth.width + Int(column)
        guard place < other.depth.metres.count, 3 * place + 2 < picture.pixels.count else { return nil }
        let difference = abs(Double(other.depth.metres[place]) - metres)
        return difference <= max(Self.nearMetres, Self.nearPart * metres) ? place : nil
    }
}
