import Glibc
import Recording
import Translation

/// Between the axes of ROS and those that Arvos sends: ARKit's world and camera.
enum ArvosAxes {

    /// Where ARKit says the camera is, from where the body is: the inverse of what `replay` does.
    static func worldFromCamera(mapFromBase: Transform) -> Transform {
        Coordinates.mapFromWorld.inverse * mapFromBase * Coordinates.baseFromCamera
    }

    /// A point of `map` in ARKit's world.
    static func world(_ x: Float, _ y: Float, _ z: Float) -> (Float, Float, Float) { (x, z, -y) }

    /// Places a point by a transform.
    static func placing(_ transform: Transform) -> (Float, Float, Float) -> (Float, Float, Float) {
        { x, y, z in
            let point = transform * Vector3(Double(x), Double(y), Double(z))
            return (Float(point.x), Float(point.y), Float(point.z))
        }
    }

    /// A point of ARKit's world in `map`.
    static func map(_ x: Float, _ y: Float, _ z: Float) -> (Float, Float, Float) { (x, -z, y) }

    /// About the axes z, then y, then x, in radians.
    static func rollPitchYaw(_ q: Quaternion) -> (roll: Double, pitch: Double, yaw: Double) {
        let roll = atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y))
        let pitch = asin(max(-1, min(1, 2 * (q.w * q.y - q.z * q.x))))
        let yaw = atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
        return (roll, pitch, yaw)
    }

    /// The inverse of ``rollPitchYaw(_:)``.
    static func quaternion(roll: Double, pitch: Double, yaw: Double) -> Quaternion {
        Quaternion(angleRadians: yaw, axis: Vector3(0, 0, 1)) * Quaternion(angleRadians: pitch, axis: Vector3(0, 1, 0))
            * Quaternion(angleRadians: roll, axis: Vector3(1, 0, 0))
    }
}
