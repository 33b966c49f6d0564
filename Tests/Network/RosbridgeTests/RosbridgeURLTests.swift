import Rosbridge
import Testing
import WebSocket

@Suite("Server URLs")
struct RosbridgeURLTests {
    struct Good: Sendable, CustomTestStringConvertible {
        var text: String
        var host: String
        var port = 9090
        var isSecure = false
        var target = "/"
        var hostField: String
        var description: String
        var testDescription: String { text }
    }

    @Test(
        "what a user may write",
        arguments: [
            Good(text: "10.0.0.5", host: "10.0.0.5", hostField: "10.0.0.5:9090", description: "ws://10.0.0.5:9090"),
            Good(text: "robot:80", host: "robot", port: 80, hostField: "robot", description: "ws://robot:80"),
            Good(text: "ws://robot", host: "robot", hostField: "robot:9090", description: "ws://robot:9090"),
            Good(
                text: "WSS://robot",
                host: "robot",
                isSecure: true,
                hostField: "robot:9090",
                description: "wss://robot:9090"
            ),
            Good(
                text: "wss://robot:443/",
                host: "robot",
                port: 443,
                isSecure: true,
                hostField: "robot",
                description: "wss://robot:443"
            ),
            Good(
                text: "ws://robot:81/a/b?token=x",
                host: "robot",
                port: 81,
                target: "/a/b?token=x",
                hostField: "robot:81",
                description: "ws://robot:81/a/b?…"
            ),
            Good(
                text: "robot?next=ws://x",
                host: "robot",
                target: "/?next=ws://x",
                hostField: "robot:9090",
                description: "ws://robot:9090/?…"
            ),
            Good(text: "[::1]", host: "::1", hostField: "[::1]:9090", description: "ws://[::1]:9090"),
            Good(
                text: "ws://[fe80::1]:91",
                host: "fe80::1",
                port: 91,
                hostField: "[fe80::1]:91",
                description: "ws://[fe80::1]:91"
            ),
            Good(
                text: "ws://[fe80::1%25eth0]/",
                host: "fe80::1%eth0",
                hostField: "[fe80::1%eth0]:9090",
                description: "ws://[fe80::1%eth0]:9090"
            ),
        ]
    )
    func good(_ good: Good) throws {
        let url = try RosbridgeURL(good.text)
        #expect(url.host == good.host && url.port == good.port && url.isSecure == good.isSecure)
        #expect(url.target == good.target && url.hostField == good.hostField)
        #expect(url.description == good.description && url.user == nil)
    }

    @Test("credentials are decoded, sent, and never shown")
    func credentials() throws {
        let url = try RosbridgeURL("wss://anna:p%40ss:w%C3%B6rd@robot/x?secret=1")
        #expect(url.user == "anna" && url.password == "p@ss:wörd" && url.host == "robot")
        #expect(url.description == "wss://robot:9090/x?…")
        // Made with Python: base64.b64encode("anna:p@ss:wörd".encode())
        #expect(url.request().fields.map(\.value) == ["Basic YW5uYTpwQHNzOnfDtnJk"])
        #expect(url.request(fields: [.init("authorization", "Bearer t")]).fields.map(\.value) == ["Bearer t"])
    }

    @Test(
        "what is refused, and why",
        arguments: [
            ("http://robot", "scheme", "\"http\""), ("://robot", "scheme", "none"), ("", "host", "none"),
            ("ws://", "host", "none"), ("ws://:90", "host", "none"), ("robot:", "port", "\"\""),
            ("robot:0", "port", "\"0\""), ("robot:65536", "port", "\"65536\""), ("robot:9x", "port", "\"9x\""),
            ("robot:-1", "port", "\"-1\""), ("::1", "host", "none"), ("[::1", "host", "none"),
            ("[robot]", "host", "\"robot\""), ("[::1]x", "port", "\"x\""), ("ro bot", "host", "\"ro bot\""),
            ("robot/ä", "path", "others"), ("robot/a b", "path", "others"), ("robot/#x", "fragment", "one after #"),
            ("a%zz@robot", "user information", "another %"), ("a%ff@robot", "user information", "other bytes"),
        ]
    )
    func refused(text: String, part: String, found: String) {
        do {
            let url = try RosbridgeURL(text)
            Issue.record("expected a refusal, found \(url)")
        } catch {
            #expect(error.part == part && error.found == found)
        }
    }

    @Test("an error never shows the password", arguments: ["u:secret@robot:x", "u:secret@[::", "ftp://u:secret@r"])
    func secrets(text: String) {
        do {
            _ = try RosbridgeURL(text)
            Issue.record("expected a refusal")
        } catch {
            #expect(!error.description.contains("secret"))
        }
    }
}
