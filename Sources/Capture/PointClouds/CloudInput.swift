import Recording

/// All that a cloud is made of.
struct CloudInput {
    var depth: DepthMap
    var intrinsics: CameraIntrinsics
    var mapFromCamera: Transform
    var image: RGBImage?
    var orientation: ImageOrientation
    var imageScale: Int
    var parameters: CloudParameters

    /// The camera for the depth grid, whose pixels are at whole numbers.
    var gridCamera: CameraIntrinsics {
        var camera = intrinsics.scaled(toWidth: depth.width, height: depth.height)
        if parameters.pixelPoint == .corner {
            // The app scales all four numbers alike, wherever in its pixel a coordinate is counted from.
            camera.cx = intrinsics.cx * Double(depth.width) / Double(intrinsics.width)
            camera.cy = intrinsics.cy * Double(depth.height) / Double(intrinsics.height)
        }
        return camera
    }

    /// Throws unless the parts are possible and fit together.
    func validate() throws(CloudError) {
        try parameters.validate()
        try check(depth)
        try check(intrinsics)
        try check(mapFromCamera)
        if let image { try check(image, intrinsics, orientation, imageScale) }
    }

    private func check(_ depth: DepthMap) throws(CloudError) {
        try checkSize("depth map", depth.width, depth.height)
        let count = depth.width * depth.height
        guard depth.metres.count == count else {
            throw .gridCount(grid: "depth map", expected: count, found: depth.metres.count)
        }
        if let confidence = depth.confidence, confidence.count != count {
            throw .gridCount(grid: "confidence map", expected: count, found: confidence.count)
        }
    }

    private func check(_ camera: CameraIntrinsics) throws(CloudError) {
        try checkSize("camera image", camera.width, camera.height)
        for (name, value) in [("fx", camera.fx), ("fy", camera.fy), ("cx", camera.cx), ("cy", camera.cy)] {
            let isLength = name.hasPrefix("f")
            guard value.isFinite && (!isLength || value > 1e-5) else { throw .intrinsics("\(name) = \(value)") }
        }
    }

    private func check(_ pose: Transform) throws(CloudError) {
        let numbers = pose.columnMajor
        guard numbers.allSatisfy({ Float($0).isFinite }) else { throw .poseNotFinite }
    }

    /// The image's width and height have the stored image's ratio, up to the rounding of a reduced size.
    private func check(
        _ image: RGBImage,
        _ camera: CameraIntrinsics,
        _ orientation: ImageOrientation,
        _ scale: Int
    ) throws(CloudError) {
        guard (1...64).contains(scale) else {
            throw .parameter(name: "imageScale", expected: "1 to 64", found: Double(scale))
        }
        try checkSize("image", image.width, image.height)
        let count = 3 * image.width * image.height
        guard image.pixels.count == count else {
            throw .gridCount(grid: "image", expected: count, found: image.pixels.count)
        }
        let stored = orientation.storedSize(sensorWidth: camera.width, sensorHeight: camera.height)
        let difference = abs(image.width * stored.height - image.height * stored.width)
        guard difference <= stored.width + stored.height else {
            throw .imageShape(
                expectedWidth: stored.width,
                expectedHeight: stored.height,
                width: image.width,
                height: image.height
            )
        }
    }

    private func checkSize(_ grid: String, _ width: Int, _ height: Int) throws(CloudError) {
        let sides = 1...GridLimits.maximumSide
        guard sides.contains(width) && sides.contains(height) && width * height <= GridLimits.maximumCount else {
            throw .gridSize(grid: grid, width: width, height: height)
        }
    }
}
