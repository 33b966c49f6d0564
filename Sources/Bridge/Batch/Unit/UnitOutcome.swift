import Bags
import Platform
import SystemPackage
package import Text

/// How a unit ended.
package enum UnitOutcome: Hashable, Sendable {
    /// - isNew: whether this run made it.
    case done(isNew: Bool)
    case failed(UnitFailure)
    /// Another run works on it.
    case busy
}

/// Why a unit is not done.
package struct UnitFailure: Hashable, Sendable {
    package enum Class: String, Sendable, CaseIterable {
        /// It would fail again: the recording, or what is asked of it.
        case never
        /// It may succeed another time: the machine, the target, something that went away.
        case again
    }

    package var kind: Class
    /// As the command ended, or 128 and the number of the signal; 65, 69 and 74 of failures without a command.
    package var status: Int
    package var error: String

    package static func never(_ error: String) -> UnitFailure { UnitFailure(kind: .never, status: 65, error: error) }
    package static func again(_ error: String) -> UnitFailure { UnitFailure(kind: .again, status: 69, error: error) }
    package static func target(_ error: any Error) -> UnitFailure {
        UnitFailure(kind: .again, status: 74, error: "\(error)")
    }

    init(kind: Class, status: Int, error: String) {
        (self.kind, self.status, self.error) = (kind, status, error)
    }

    /// The failure of a command that read a recording which was there, unchanged.
    init(command status: Int, error: String) {
        // Nothing was found where a recording is, or nothing that can be asked of it: no other time will help.
        self.init(kind: [1, 2, 65, 66].contains(status) ? .never : .again, status: status, error: error)
    }

    /// The status of a run in which this is all that failed.
    package var exitStatus: Int32 { kind == .never ? 65 : [73, 74].contains(status) ? 74 : 69 }

    package func json(_ unit: BatchUnit) -> JSONValue {
        [
            "id": .string(unit.id), "input": .string(unit.input), "class": .string(kind.rawValue),
            "status": .integer(status), "error": .string(error),
        ]
    }

    init?(json: JSONValue) {
        guard let kind = json["class"]?.string.flatMap(Class.init), let status = json["status"]?.integer,
            let error = json["error"]?.string
        else { return nil }
        self.init(kind: kind, status: Int(status), error: error)
    }
}
