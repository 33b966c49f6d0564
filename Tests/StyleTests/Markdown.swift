/// Markdown, as far as links and headings go.
enum Markdown {
    /// The targets of links and images, without those in code.
    static func links(in text: String) -> [String] {
        prose(text).flatMap { line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^()\s]+)\)/).map { String($0.output.1) }
        }
    }

    /// The names under which headings can be linked to.
    static func anchors(in text: String) -> [String] {
        prose(text).filter { $0.hasPrefix("#") }.map { line in
            let title = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
            return String(
                title.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil }
            )
        }
    }

    /// The lines between a heading of the second level and the next one.
    static func section(_ title: String, of text: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "## \(title)") else { return [] }
        let rest = lines[(start + 1)...]
        return Array(rest.prefix { !$0.hasPrefix("## ") })
    }

    /// The lines outside of fenced code.
    private static func prose(_ text: String) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                return false
            }
            return !isCode
        }
    }
}
