import Recording

/// Where the tags of a room hang, as text: `rpy ID x y z roll pitch yaw`, in metres and radians, z up.
enum TagTruthText {
    static func text(_ tags: [HangingTag]) -> String {
        // The world's y is up; x stays.
        let half = 0.5.squareRoot()
        let upright = Transform(rotation: Quaternion(x: half, y: 0, z: 0, w: half))
        return tags.map { tag in
            let pose = upright * tag.worldFromTag
            let (c0, c1, c2) = pose.rotation.columns
            let t = pose.translation
            let (roll, pitch, yaw) = (arcTangent(c1.z, c2.z), arcSine(-c0.z), arcTangent(c0.y, c0.x))
            return "rpy \(tag.id) \(t.x) \(t.y) \(t.z) \(roll) \(pitch) \(yaw)\n"
        }.joined()
    }
}
