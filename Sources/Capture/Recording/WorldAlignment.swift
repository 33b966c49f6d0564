/// How ARKit chose the axes of its world, as the session says (`ARConfiguration.WorldAlignment`).
package enum WorldAlignment: String, Hashable, Sendable, CaseIterable {
    /// y is up; the heading is that of the phone when the recording began.
    case gravity
    /// y is up, x points east, z south.
    case gravityAndHeading = "gravity_and_heading"
    /// The axes of the camera when the recording began, which are not level.
    case camera
}
