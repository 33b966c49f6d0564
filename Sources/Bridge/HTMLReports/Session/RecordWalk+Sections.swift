import Recording
import Sessions
import Text

extension RecordWalk {
    private static let trackingStyles = ["s2", "s4", "warn"]

    /// Everything that has one axis of time.
    func timeSection(_ pictures: PictureCollector) -> ReportPage.Section {
        var section = ReportPage.Section("time", "Over time")
        let states = zip(Self.trackingStates, Self.trackingStyles).map { (name: $0, style: $1) }
        let turns = Self.orientations.enumerated().map { (name: $0.element.rawValue, style: "s\($0.offset)") }
        let levels = zip(["low", "mid", "high"], pictures.confidence).map { (name: $0, columns: $1) }
        let chart = StripChart(
            [
                StripChart.Strip("frames", unit: "Hz", [("", frameRate.rates)], span: 0...1, steadyShare: 0.02),
                StripChart.Strip("tracking", states: states, tracking),
                StripChart.Strip("orientation", states: turns, orientation),
                StripChart.Strip("speed", unit: "m/s", [("", speed)], span: 0...1),
                StripChart.Strip("turn rate", unit: "deg/s", [("", turnRate)], span: 0...30),
                StripChart.Strip("sharpness", unit: "as recorded", [("", sharpness)]),
                StripChart.Strip("exposure", unit: "ms", [("", exposure)], span: 0...1),
                StripChart.Strip("depth valid", unit: "%", [("", pictures.validShare)], span: 0...100),
                StripChart.Strip("confidence", unit: "% of pixels", levels, span: 0...100),
                StripChart.Strip("IMU", unit: "Hz", [("", motionRate.rates)], span: 0...1, steadyShare: 0.02),
                StripChart.Strip("GPS accuracy", unit: "m", [("", accuracy)], span: 0...1),
            ],
            name: "time",
            seconds: seconds,
            gaps: gaps,
            title: "Over time",
            description: "\(frameRate.rates.total.count + 1) frames in \(seconds.text(decimals: 1)) s, \(gapCount) gaps"
        )
        let gapText =
            switch gapCount {
            case 0: "No gap is longer than three frames."
            case 1: "One gap is longer than three frames: the red band."
            case gaps.count: "\(gapCount) gaps are longer than three frames: the red bands."
            default: "\(gapCount) gaps are longer than three frames; the first \(gaps.count) are the red bands."
            }
        section.figures = [ReportPage.Figure(chart, caption: gapText)]
        section.rows = [ReportPage.Row("what", "least", "mean", "most")]
        let rows: [(String, TimeColumns, Int)] = [
            ("frames Hz", frameRate.rates, 1), ("speed m/s", speed, 2), ("turn rate deg/s", turnRate, 1),
            ("sharpness", sharpness, 2), ("exposure ms", exposure, 2), ("IMU Hz", motionRate.rates, 1),
            ("GPS accuracy m", accuracy, 1),
        ]
        section.rows += rows.filter { !$0.1.isEmpty }.map { PictureCollector.row($0.0, $0.1, decimals: $0.2) }
        for (state, count) in zip(Self.trackingStates, tracking.counts) where count > 0 {
            section.rows.append(ReportPage.Row(["tracking \(state): frames", "", "\(count)", ""]))
        }
        for gap in gaps.prefix(50) {
            let (from, length) = (gap.lowerBound, gap.upperBound - gap.lowerBound)
            section.rows.append(
                ReportPage.Row(["gap at \(from.text(decimals: 2)) s", "", "\(length.text(decimals: 2)) s", ""])
            )
        }
        return section
    }

    var heightSection: ReportPage.Section {
        guard !height.isEmpty else { return .absent("height", "Height", "No frame has a pose of normal tracking.") }
        var section = ReportPage.Section("height", "Height")
        let chart = StripChart(
            [StripChart.Strip("height", unit: "m, z of map", [("", height)], span: height.total.around(0.2))],
            name: "height",
            seconds: seconds,
            gaps: gaps,
            title: "Height of the camera",
            description: "From \(height.total.low.text(decimals: 2)) to \(height.total.high.text(decimals: 2)) m"
        )
        section.figures = [
            ReportPage.Figure(chart, caption: "Where a walk returns, drift shows as a step.")
        ]
        section.rows = [
            ReportPage.Row("what", "least", "mean", "most"), PictureCollector.row("height m", height, decimals: 2),
        ]
        return section
    }

    func motionSection(_ summary: SessionSummary) -> ReportPage.Section {
        guard !specificForce.isEmpty else { return .absent("imu", "IMU", "The session has no IMU samples.") }
        var section = ReportPage.Section("imu", "IMU")
        section.place = .closed
        let chart = StripChart(
            [
                StripChart.Strip(
                    "specific force",
                    unit: "m/s\u{B2}",
                    [("", specificForce)],
                    span: 8...12,
                    marks: [9.80665]
                ),
                StripChart.Strip("rotation", unit: "deg/s", [("", rotation)], span: 0...30),
                StripChart.Strip("gravity angle", unit: "deg to pose", [("", gravityAngle)], span: 0...4, marks: [3]),
            ],
            name: "imu",
            seconds: seconds,
            title: "IMU",
            description:
                "Length of the specific force, of the rotation, and the angle between gravity by IMU and by pose"
        )
        section.figures = [
            ReportPage.Figure(
                chart,
                caption:
                    "At rest the specific force is 9.81 m/s\u{B2} (dashed). Gravity by IMU and by pose should agree within 3 "
                    + "degrees (dashed): more says that axes or clocks are wrong."
            )
        ]
        section.rows = [ReportPage.Row("what", "least", "mean", "most")]
        let rows: [(String, TimeColumns, Int)] = [
            ("specific force m/s\u{B2}", specificForce, 3), ("rotation deg/s", rotation, 1),
            ("gravity angle deg", gravityAngle, 2),
        ]
        section.rows += rows.filter { !$0.1.isEmpty }.map { PictureCollector.row($0.0, $0.1, decimals: $0.2) }
        if let means = still.means {
            let off = means.force - MotionSample.standardGravity
            section.notes = [
                "Still for \(still.seconds) s: the specific force is \(off.text(decimals: 3)) m/s\u{B2} off gravity, and what is left "
                    + "of the gyroscope's bias is \(means.rate.x.text(decimals: 3)), \(means.rate.y.text(decimals: 3)), "
                    + "\(means.rate.z.text(decimals: 3)) deg/s about x, y and z of the device."
            ]
        } else {
            section.notes = [
                "The phone never lies still for a second: biases of the IMU cannot be told from its motion."
            ]
        }
        return section
    }

    var cameraSection: ReportPage.Section {
        guard !focalLength.isEmpty else { return .absent("camera", "Camera", "No frame has intrinsics.") }
        var section = ReportPage.Section("camera", "Camera")
        section.place = .closed
        let chart = StripChart(
            [
                StripChart.Strip("fx", unit: "px", [("", focalLength)]),
                StripChart.Strip("cx", unit: "px", [("", centreX)]),
                StripChart.Strip("cy", unit: "px", [("", centreY)]),
            ],
            name: "camera",
            seconds: seconds,
            title: "Camera",
            description: "Focal length and principal point by time, of the sensor's image"
        )
        section.figures = [
            ReportPage.Figure(
                chart,
                caption: "They move with focus and image stabilisation: use those of each frame."
            )
        ]
        section.rows = [
            ReportPage.Row("what", "least", "mean", "most"), PictureCollector.row("fx px", focalLength, decimals: 2),
            PictureCollector.row("cx px", centreX, decimals: 2), PictureCollector.row("cy px", centreY, decimals: 2),
        ]
        return section
    }
}
