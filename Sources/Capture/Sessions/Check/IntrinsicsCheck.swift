import Recording

/// Checks that intrinsics are those of a phone's camera; impossible ones cost the frame when it is read.
enum IntrinsicsCheck {
    static func problem(_ frame: FrameReference, _ names: FrameNames) -> Problem? {
        let k = frame.intrinsics
        let (width, height) = (Double(k.width), Double(k.height))
        let isLikely =
            (0.95...1.05).contains(k.fx / k.fy) && (0.3...3).contains(k.fx / width)
            && abs(k.cx / width - 0.5) < 0.15 && abs(k.cy / height - 0.5) < 0.15
        guard !isLikely else { return nil }
        // Central in an image so many times as large as this one; a wrong number alone is off on one side only.
        let scale = k.cx / width + k.cy / height
        let isOfAnotherSize = abs(k.cx / width - k.cy / height) < 0.05 && abs(scale - 1) > 0.25
        return names.problem(
            isOfAnotherSize ? .intrinsicsOfAnotherSize : .oddIntrinsics,
            frame,
            \.intrinsics,
            expected: "square pixels and a central principal point of a \(k.width)x\(k.height) image",
            found: "fx \(k.fx), fy \(k.fy), cx \(k.cx), cy \(k.cy)"
        )
    }
}
