import Capture
import ROS

// From the recording's values to those of messages: the only place that spells components out.

func point(_ v: Capture.Vector3) -> ROS.Point {
    var point = ROS.Point()
    point.x = v.x
    point.y = v.y
    point.z = v.z
    return point
}

func vector(_ v: Capture.Vector3) -> ROS.Vector3 {
    var vector = ROS.Vector3()
    vector.x = v.x
    vector.y = v.y
    vector.z = v.z
    return vector
}

func quaternion(_ q: Capture.Quaternion) -> ROS.Quaternion {
    var quaternion = ROS.Quaternion()
    quaternion.x = q.x
    quaternion.y = q.y
    quaternion.z = q.z
    quaternion.w = q.w
    return quaternion
}

func pose(_ transform: Capture.Transform) -> ROS.Pose {
    var pose = ROS.Pose()
    pose.position = point(transform.translation)
    pose.orientation = quaternion(transform.rotation)
    return pose
}

/// `parentFromChild`, as a transform of the tree.
func transformStamped(
    _ parentFromChild: Capture.Transform,
    parent: String,
    child: String,
    stampNanoseconds: Int64
) -> ROS.TransformStamped {
    var message = ROS.TransformStamped()
    message.header = Header(stampNanoseconds: stampNanoseconds, frameID: parent)
    message.childFrameID = child
    message.transform.translation = vector(parentFromChild.translation)
    message.transform.rotation = quaternion(parentFromChild.rotation)
    return message
}

/// A pinhole CameraInfo without distortion; ROS counts pixels as ``CameraIntrinsics`` does, so all numbers stay.
func cameraInfo(_ camera: CameraIntrinsics, header: Header) -> CameraInfo {
    var message = CameraInfo()
    message.header = header
    message.width = UInt32(clamping: camera.width)
    message.height = UInt32(clamping: camera.height)
    message.distortionModel = "plumb_bob"
    message.d = [0, 0, 0, 0, 0]
    message.k = [camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1]
    message.r = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    message.p = [camera.fx, 0, camera.cx, 0, 0, camera.fy, camera.cy, 0, 0, 0, 1, 0]
    return message
}
