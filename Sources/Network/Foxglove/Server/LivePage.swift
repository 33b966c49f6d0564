import Text
package import WebSocket

/// The page that a browser gets: what is shown to other clients, without any of them.
///
/// One file without requests but for its WebSocket; works with keys and with a screen reader, in light and dark.
package enum LivePage {
    /// The page for a path; `nil` for one that does not exist.
    ///
    /// - Parameter needsToken: true if the page has to ask for a token before it connects.
    package static func page(_ target: String, needsToken: Bool = false) -> HTTPPage? {
        let path = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
        guard path == "/" || path == "/index.html" else { return nil }
        return HTTPPage(
            contentType: "text/html; charset=utf-8",
            bytes: Array((needsToken ? htmlWithToken : html).utf8),
            // A page that frames this one could make its user press its buttons.
            fields: [
                HTTPField("Content-Security-Policy", "frame-ancestors 'none'"),
                HTTPField("Referrer-Policy", "no-referrer"),
            ]
        )
    }

    private static let html = PageFiles.live(needsToken: false)
    private static let htmlWithToken = PageFiles.live(needsToken: true)
}
