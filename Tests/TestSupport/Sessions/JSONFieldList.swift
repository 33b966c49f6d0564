/// The members of a JSON object in the order in which they are written; values are text, so that any of it can be wrong.
package struct JSONFieldList: Sendable {
    private var members: [(key: String, json: String)] = []

    package init() {}

    /// The text of a value; `nil` removes the member, a new one comes last.
    package subscript(key: String) -> String? {
        get { members.first { $0.key == key }?.json }
        set {
            guard let newValue else { return members.removeAll { $0.key == key } }
            if let place = members.firstIndex(where: { $0.key == key }) {
                members[place].json = newValue
            } else {
                members.append((key, newValue))
            }
        }
    }

    package var keys: [String] { members.map(\.key) }

    package var text: String {
        "{" + members.map { "\"\($0.key)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    package func shuffled(using generator: inout some RandomNumberGenerator) -> JSONFieldList {
        var shuffled = self
        shuffled.members.shuffle(using: &generator)
        return shuffled
    }
}
