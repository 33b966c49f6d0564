package import Messages
package import Recording

// From the recording's values to those of messages: the only place that spells components out.

func point(_ v: Recording.Vector3) -> Messages.Point {
    Messages.Point(x: v.x, y: v.y, z: v.z)
}

func vector(_ v: Recording.Vector3) -> Messages.Vector3 {
    Messages.Vector3(x: v.x, y: v.y, z: v.z)
}

func quaternion(_ q: Recording.Quaternion) -> Messages.Quaternion {
    Messages.Quaternion(x: q.x, y: q.y, z: q.z, w: q.w)
}

package func pose(_ transform: Recording.Transform) -> Messages.Pose {
    Messages.Pose(position: point(transform.translation), orientation: quaternion(transform.rotation))
}

/// `parentFromChild`, as a transform of the tree.
func transformStamped(
    _ parentFromChild: Recording.Transform,
    parent: String,
    child: String,
    stampNanoseconds: Int64
) -> Messages.TransformStamped {
    var message = Messages.TransformStamped()
    message.header = Header(stampNanoseconds: stampNanoseconds, frameID: parent)
    message.childFrameID = child
    message.transform.translation = vector(parentFromChild.translation)
    message.transform.rotation = quaternion(parentFromChild.rotation)
    return message
}

/// A CameraInfo with the distortion of `plumb_bob`, which is zero for a pinhole.
///
/// ROS counts pixels as ``CameraIntrinsics`` does, so all numbers stay.
package func cameraInfo(_ camera: CameraIntrinsics, header: Header) -> CameraInfo {
    var message = CameraInfo()
    message.header = header
    message.width = UInt32(clamping: camera.width)
    message.height = UInt32(clamping: camera.height)
    message.distortionModel = "plumb_bob"
    message.d = camera.distortion?.coefficients ?? [0, 0, 0, 0, 0]
    message.k = [camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1]
    message.r = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    message.p = [camera.fx, 0, camera.cx, 0, 0, camera.fy, camera.cy, 0, 0, 0, 1, 0]
    return message
}
