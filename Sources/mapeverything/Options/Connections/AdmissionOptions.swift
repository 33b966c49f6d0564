import ArgumentParser
import Rosbridge

/// Options that decide which clients may use a server; they are the same for all protocols.
struct AdmissionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Accept only clients that send this token (Authorization: Bearer). Default: any client. "
                + "Other users of this machine can see the option; prefer --token-file."
        )
    )
    var token: String?

    @Option(help: "Like --token, with the token in the first line of this file.")
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Let pages of this origin connect, such as https://example.org. May be given several times. "
                + "Default: pages of this machine, app.foxglove.dev and lichtblick-suite.github.io."
        )
    )
    var allowOrigin: [String] = []

    var asksForToken: Bool { token != nil || tokenFile != nil }

    func apply(to options: inout ServerOptions) throws {
        options.token = try accessToken()
        options.origins = allowOrigin
        options.originRefused = { origin in
            Terminal.printError("a page of \(origin) was refused; --allow-origin \(origin) lets it in")
        }
    }

    /// Options without a meaning where no client connects to this program.
    func given(expected: String) -> GivenOptions {
        GivenOptions(
            expected: expected,
            [("--token", token != nil), ("--token-file", tokenFile != nil), ("--allow-origin", !allowOrigin.isEmpty)]
        )
    }

    private func accessToken() throws -> AccessToken? {
        guard token == nil || tokenFile == nil else {
            throw UsageError("--token", expected: "a token or a file of one", found: "both")
        }
        let option = token == nil ? "--token-file" : "--token"
        guard let text = try token ?? tokenFile.map(readToken) else { return nil }
        guard let token = AccessToken(text) else {
            throw UsageError(option, expected: "a token of printable ASCII without spaces", found: "another text")
        }
        return token
    }

    private func readToken(_ path: String) throws -> String {
        guard let text = TextFile.read(path, maximumBytes: 1 << 16) else {
            throw UsageError("--token-file", expected: "a readable text file", found: path)
        }
        return String(text.prefix { !$0.isNewline })
    }
}
