import Messages

/// Intrinsics that a pinhole camera can have.
enum CameraInfoRules {
    static func problems(of camera: CameraInfo) -> [ContentProblem] {
        let k = (0..<9).map { camera.k[$0] }
        var problems: [ContentProblem] = []
        if k.allSatisfy({ $0 == 0 }) {
            problems.append(
                ContentProblem(.warning, .cameraMatrix, expected: "a calibrated camera", found: "K of zeros")
            )
        } else if !isPinhole(k) {
            problems.append(
                ContentProblem(
                    isUsable(k) ? .warning : .error,
                    .cameraMatrix,
                    expected: "K of the form fx 0 cx 0 fy cy 0 0 1",
                    found: k.map { "\($0)" }.joined(separator: " ")
                )
            )
        } else if !(0 < k[2] && k[2] < Double(camera.width) && 0 < k[5] && k[5] < Double(camera.height)) {
            problems.append(
                ContentProblem(
                    .warning,
                    .cameraPrincipalPoint,
                    expected: "a principal point in \(camera.width) x \(camera.height)",
                    found: "\(k[2]), \(k[5])"
                )
            )
        }
        let isUndistorted = (0..<camera.d.count).allSatisfy { camera.d[$0] == 0 }
        let focalLength = camera.p[0]
        if focalLength != 0, abs(focalLength - k[0]) > 1e-6 * k[0], isUndistorted,
            ["", "plumb_bob"].contains(camera.distortionModel)
        {
            problems.append(
                ContentProblem(
                    .warning,
                    .cameraProjection,
                    expected: "P with the focal length of K, \(k[0]), as there is no distortion",
                    found: "\(focalLength)"
                )
            )
        }
        return problems
    }

    /// True if it can be projected with, if not in the form that is usual.
    private static func isUsable(_ k: [Double]) -> Bool {
        k[0] > 0 && k[4] > 0 && k[8] == 1 && k.allSatisfy { $0.isFinite }
    }

    private static func isPinhole(_ k: [Double]) -> Bool {
        k[0] > 0 && k[4] > 0 && k[8] == 1 && k[1] == 0 && k[3] == 0 && k[6] == 0 && k[7] == 0
            && k.allSatisfy { $0.isFinite }
    }
}
