package import WebSocket

/// The page that a browser gets: what is shown to other clients, without any of them.
///
/// One file without requests but for its WebSocket; works with keys and with a screen reader, in light and dark.
package enum LivePage {
    /// The page for a path; `nil` for one that does not exist.
    ///
    /// - Parameter needsToken: Whether the page has to ask for a token before it connects.
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

    private static let html = head + body(token: "none")
    private static let htmlWithToken = head + body(token: "needed")

    private static let head = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src blob: data:; style-src \
        'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'">
        <link rel="icon" href="data:,">
        <title>mapeverything</title>
        <style>\(style)</style>
        </head>

        """

    private static func body(token: String) -> String {
        """
        <body data-token="\(token)">
        <header><h1 id="name">mapeverything</h1><p id="status" role="status">Connecting</p>
        <form id="token" hidden><label>Token <input id="secret" type="password" autocomplete="off"></label>
        <button>Connect</button></form></header>
        <main>
        <section id="scene" aria-label="Map"><canvas id="map" tabindex="0" role="img" aria-describedby="help" \
        aria-label="Map: clouds and the way of the camera"></canvas>
        <p id="hint"></p>
        <p id="help">Drag or arrow keys turn, wheel or + and - zoom, shift and drag move, f follows the camera, 0 looks \
        from the start, x clears the map.</p></section>
        <section id="side" aria-label="Image and topics" tabindex="0">
        <div id="frame"><img id="image" alt="" hidden><p id="noimage">No image yet</p></div>
        <p id="choices"><label>Image <select id="images"></select></label> <label>Cloud <select id="clouds"></select></label></p>
        <table><caption>Topics</caption><thead><tr><th scope="col">topic</th><th scope="col">messages</th></tr></thead>
        <tbody id="topics"></tbody></table>
        </section>
        </main>
        <footer id="player" hidden>
        <button id="play" type="button">Play</button>
        <input id="place" type="range" min="0" max="1" step="0.01" value="0" aria-label="Place in the recording">
        <output id="clock" for="place">0:00.0</output>
        <label>Speed <select id="speed"><option>0.25</option><option>0.5</option><option selected>1</option>
        <option>2</option><option>5</option><option>10</option></select></label>
        </footer>
        <script>\(LiveScene.script)\(LiveScript.messages)\(LiveScript.connection)</script>
        </body>
        </html>
        """
    }

    private static let style = """
        :root{color-scheme:light dark;--line:#8886}
        *{box-sizing:border-box}
        [hidden]{display:none!important}
        body{margin:0;font:15px/1.45 system-ui,sans-serif;display:flex;flex-direction:column;height:100vh;
        background:Canvas;color:CanvasText}
        header,footer{display:flex;flex-wrap:wrap;gap:.3em 1em;align-items:center;padding:.5em 1em;
        border-bottom:1px solid var(--line)}
        footer{border:0;border-top:1px solid var(--line)}
        h1{font-size:1.1em;margin:0;overflow-wrap:anywhere}#status{margin:0}
        main{flex:1;min-height:0;display:grid;grid-template-columns:minmax(0,2fr) minmax(16em,1fr)}
        #scene{position:relative;min-height:16em;background:#14181d;color:#e4e8ec}
        canvas{position:absolute;inset:0;width:100%;height:100%;touch-action:none}
        :focus-visible{outline:3px solid #4a9eff;outline-offset:-3px}
        #hint,#help{position:absolute;margin:0;pointer-events:none}
        #hint{inset:40% 1em auto;text-align:center;font-size:1.1em}
        #help{inset:auto 1em .6em;font-size:.8em;color:#b4bcc4}
        #side{overflow:auto;padding:1em;border-left:1px solid var(--line)}
        #frame{position:relative;aspect-ratio:1;max-height:60vh;margin:auto;overflow:hidden;background:#8882}
        #frame img{position:absolute;inset:0;width:100%;height:100%;object-fit:contain}
        #frame p{position:absolute;inset:45% 0 auto;margin:0;text-align:center}
        #choices{display:flex;flex-wrap:wrap;gap:.3em 1em}#choices select{max-width:100%}
        #choices label{max-width:100%}
        #place{flex:1;min-width:6em}#clock{font-variant-numeric:tabular-nums}
        table{border-collapse:collapse;width:100%;font-size:.85em}caption{text-align:left;font-weight:600}
        th,td{text-align:left;padding:.1em .3em;overflow-wrap:anywhere}
        td+td,th+th{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
        button,select,input{font:inherit}
        @media(max-width:700px){body{height:auto}main{grid-template-columns:1fr}#side{border:0}#scene{height:50vh}
        footer{position:sticky;bottom:0;background:Canvas}}
        """
}
