package import Recording

extension Transform {
    /// A pose as a 4x4 matrix of a recording, by columns.
    ///
    /// - Parameter expected: what the numbers should be, in words.
    init(recorded columnMajor: [Double], expected: String) throws(Problem) {
        do {
            try self.init(columnMajor: columnMajor)
        } catch {
            throw Problem(.badTransform, expected: expected, found: error.text)
        }
    }

    /// A pose as a 4x4 matrix of a recording, by rows.
    init(recordedByRows m: [Double], expected: String) throws(Problem) {
        var columns: [Double] = []
        for column in 0..<4 { columns += [m[column], m[4 + column], m[8 + column], m[12 + column]] }
        try self.init(recorded: columns, expected: expected)
    }

    /// A pose as a quaternion and a place.
    package init(recorded rotation: Quaternion, _ translation: Vector3, expected: String) throws(Problem) {
        let numbers = [rotation.x, rotation.y, rotation.z, rotation.w, translation.x, translation.y, translation.z]
        func refused(_ found: String) -> Problem { Problem(.badTransform, expected: expected, found: found) }
        guard numbers.allSatisfy(\.isFinite) else { throw refused("a number that is not finite") }
        guard abs(rotation.norm - 1) <= 0.01 else {
            throw refused("a quaternion of length \(rounded4(rotation.norm))")
        }
        guard translation.length <= 100_000 else {
            throw refused(MatrixProblem.farAway(metres: translation.length).text)
        }
        self.init(rotation: rotation.normalized, translation: translation)
    }
}

extension Transform.MatrixProblem {
    fileprivate var text: String {
        switch self {
        case .notFinite(let index): "a number that is not finite at place \(index)"
        case .notOrthonormal(let deviation): "axes that deviate by \(rounded4(deviation)) from orthonormal"
        case .mirrored: "a mirroring"
        case .lastRow: "a last row other than 0 0 0 1"
        case .farAway(let metres): "a translation of \(rounded4(metres)) m"
        }
    }
}

private func rounded4(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }

extension CameraIntrinsics {
    /// A pinhole camera of images of a size.
    package init(_ size: GridSize, fx: Double, fy: Double, cx: Double, cy: Double) throws(Problem) {
        let (width, height) = (Double(size.width), Double(size.height))
        // A lens from 5 degrees to 160: beyond that the numbers belong to another image.
        let focal = 0.08...20
        let isPinhole =
            focal.contains(fx / width) && focal.contains(fy / height)
            && (-width...2 * width).contains(cx) && (-height...2 * height).contains(cy)
        guard isPinhole else {
            let expected = "focal lengths and principal point of a \(size.width)x\(size.height) image"
            throw Problem(.badIntrinsics, expected: expected, found: "fx \(fx), fy \(fy), cx \(cx), cy \(cy)")
        }
        self.init(width: size.width, height: size.height, fx: fx, fy: fy, cx: cx, cy: cy)
    }
}
