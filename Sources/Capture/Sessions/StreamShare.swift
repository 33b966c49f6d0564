import Recording

/// What a recording has of one of its streams, in a few words.
package struct StreamShare: Sendable, Hashable {
    package enum Amount: String, Sendable {
        case whole
        /// Some of it is missing, or cannot be used.
        case part
        case none
    }

    /// Such as `images`.
    package var name: String
    /// Such as `24 of 70`.
    package var text: String
    package var amount: Amount

    package init(_ name: String, _ text: String, _ amount: Amount) {
        (self.name, self.text, self.amount) = (name, text, amount)
    }
}

extension SessionSummary {
    /// Images, depth, IMU, GPS and tracking, as far as the small files say.
    package var streamShares: [StreamShare] {
        var shares = [share("images", .images, hasImages, sensorSize), share("depth", .depth, hasDepth, depthSize)]
        if depthRefusal != nil { shares[1] = StreamShare("depth", "not used: the poses contradict it", .part) }
        let hasMotion = motionSource != .none
        shares.append(StreamShare("IMU", hasMotion ? motionSource.rawValue : "none", hasMotion ? .whole : .none))
        let fixes = location.count
        shares.append(
            StreamShare(
                "GPS",
                fixes == 0 ? "none" : "\(fixes) fix\(fixes == 1 ? "" : "es")",
                fixes > 0 ? .whole : .none
            )
        )
        let told = tracking.filter { $0.key != .unknown }
        let (count, normal) = (told.values.reduce(0, +), told[.normal] ?? 0)
        if count == 0 {
            shares.append(StreamShare("tracking", "not said", .none))
        } else {
            let text = normal == count ? "normal" : "normal in \(normal) of \(count)"
            shares.append(StreamShare("tracking", text, normal == count ? .whole : .part))
        }
        return shares
    }

    private func share(_ name: String, _ kind: PayloadKind, _ isThere: Bool, _ size: GridSize?) -> StreamShare {
        guard isThere else {
            guard let account = payloads[kind], account.isAbsent else { return StreamShare(name, "none", .none) }
            return StreamShare(name, account.text, .part)
        }
        let found = payloads[kind]?.found ?? frameCount
        let size = size.map { ", \($0.width)x\($0.height)" } ?? ""
        guard found < frameCount else { return StreamShare(name, "\(frameCount)\(size)", .whole) }
        return StreamShare(name, "\(found) of \(frameCount)\(size)", .part)
    }
}
