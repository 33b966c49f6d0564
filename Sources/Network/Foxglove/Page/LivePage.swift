package import WebSocket

/// The page that a browser gets: what is shown to other clients, without any of them.
///
/// One file without requests but for its WebSocket; works with keys and with a screen reader, in light and dark.
package enum LivePage {
    /// The page for a path; `nil` for one that does not exist.
    @Sendable
    package static func page(_ target: String) -> HTTPPage? {
        let path = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
        guard path == "/" || path == "/index.html" else { return nil }
        return HTTPPage(contentType: "text/html; charset=utf-8", bytes: Array(html.utf8))
    }

    private static let html = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src blob: data:; style-src \
        'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self' ws: wss:">
        <link rel="icon" href="data:,">
        <title>mapeverything</title>
        <style>\(style)</style>
        </head>
        <body>
        <header><h1 id="name">mapeverything</h1><p id="status" role="status">connecting</p></header>
        <main>
        <section id="scene" aria-label="Map"><canvas id="map" tabindex="0" role="img"
        aria-label="Clouds and the way of the camera; arrow keys turn, plus and minus come nearer, f follows the camera, x \
        forgets what was seen, 0 starts again"></canvas></section>
        <section id="side" aria-label="Image and topics">
        <div id="frame"><img id="image" alt="no image yet"></div>
        <p><label>Image <select id="images"></select></label> <label>Cloud <select id="clouds"></select></label></p>
        <table><thead><tr><th scope="col">topic</th><th scope="col">messages</th></tr></thead><tbody id="topics"></tbody>
        </table>
        </section>
        </main>
        <footer id="player" hidden>
        <button id="play" type="button" aria-pressed="false">Play</button>
        <input id="place" type="range" min="0" max="1" step="0.01" value="0" aria-label="Place in seconds">
        <output id="clock">0.0 s</output>
        <label>Speed <select id="speed"><option>0.25</option><option>0.5</option><option selected>1</option>
        <option>2</option><option>5</option><option>10</option></select></label>
        </footer>
        <script>\(LiveScene.script)\(LiveScript.text)</script>
        </body>
        </html>
        """

    private static let style = """
        :root{color-scheme:light dark;--line:#8886}
        *{box-sizing:border-box}
        body{margin:0;font:15px/1.45 system-ui,sans-serif;display:flex;flex-direction:column;height:100vh;
        background:Canvas;color:CanvasText}
        header,footer{display:flex;gap:1em;align-items:center;padding:.5em 1em;border-bottom:1px solid var(--line)}
        footer{border:0;border-top:1px solid var(--line)}footer[hidden]{display:none}
        h1{font-size:1.1em;margin:0}#status{margin:0;opacity:.8}
        main{flex:1;min-height:0;display:grid;grid-template-columns:minmax(0,2fr) minmax(16em,1fr)}
        #scene{position:relative;min-height:16em}canvas{position:absolute;inset:0;width:100%;height:100%;
        touch-action:none;background:#14181d}
        #side{overflow:auto;padding:0 1em;border-left:1px solid var(--line)}
        #frame{position:relative;aspect-ratio:1;overflow:hidden;margin-top:1em;background:#8882}
        #frame img{position:absolute;inset:0;width:100%;height:100%;object-fit:contain}
        #place{flex:1;min-width:6em}table{border-collapse:collapse;width:100%;font-size:.85em}
        th,td{text-align:left;padding:.1em .3em;overflow-wrap:anywhere}td+td,th+th{text-align:right}
        select{max-width:12em}button,select,input{font:inherit}
        @media(max-width:700px){main{grid-template-columns:1fr;overflow:auto}#side{border:0}#scene{height:50vh}}
        """
}
