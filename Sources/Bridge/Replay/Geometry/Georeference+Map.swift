import Recording
import Sessions

extension Georeference {
    /// Makes the georeference that the plan and the session give.
    ///
    /// A profile that takes an unknown heading as the app does takes the app's origin too.
    ///
    /// - Throws: ``PlanError/tiltedWorld`` where a heading is given for a world that is not level.
    init(_ session: any Session, plan: ReplayPlan) throws {
        let isAsTheApp = plan.profile.conventions.heading == .assumed
        if plan.headingDegrees != nil, session.summary.worldAlignment == .camera { throw PlanError.tiltedWorld }
        try self.init(
            session,
            GeoreferenceRequest(
                mode: plan.georeference ?? (isAsTheApp ? .firstFix : .auto),
                headingDegrees: plan.headingDegrees,
                assumesHeading: isAsTheApp
            ),
            heights: plan.heights
        )
    }

    /// `earth` (ECEF) from `map`, with the axes of `--frames`.
    func earthFromMap(_ policy: FramePolicy) -> Transform? {
        switch policy {
        case .ros: earthFromWorld.map { $0 * Coordinates.mapFromWorld.inverse }
        case .app: earthFromWorld
        }
    }
}

extension ReplayPlan {
    /// Where heights of fixes above the ellipsoid come from.
    var heights: FixHeights {
        FixHeights(geoid: geoid, takesSeaLevel: profile.conventions.location == .app)
    }
}
