/// The readable parts of the pages that are written and served: files of the folder Pages, built into the command.
package enum PageFiles {
    package static let reportStyle = text(PackageResources.report_css)

    /// The script of a report: its cursor and its cloud.
    package static let reportScript = viewer + text(PackageResources.report_js)

    /// What shows points, a way and cameras on both pages.
    private static let viewer =
        text(PackageResources.viewer_points_js) + text(PackageResources.viewer_view_js)
        + text(PackageResources.viewer_hands_js) + text(PackageResources.viewer_mesh_js)
        + text(PackageResources.viewer_js)

    /// The live page.
    ///
    /// - Parameter needsToken: true if the page has to ask for a token before it connects.
    package static func live(needsToken: Bool) -> String {
        let scripts = [
            PackageResources.live_scene_js, PackageResources.live_messages_js, PackageResources.live_panels_js,
            PackageResources.live_whole_js, PackageResources.live_js,
        ]
        return text(PackageResources.live_html)
            .replacing("{{style}}", with: text(PackageResources.live_css))
            .replacing("{{token}}", with: needsToken ? "needed" : "none")
            .replacing("{{script}}", with: viewer + scripts.map(text).joined())
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
