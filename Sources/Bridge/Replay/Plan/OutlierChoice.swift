package import Perception

/// The word for an outlier filter on the command line and in profiles.
package enum OutlierChoice: String, Sendable, Hashable, CaseIterable {
    case neighbours
    case radius
    case off
}

/// A request for the outlier filter, on the command line or in a profile; a value that is `nil` stays as it is.
package struct OutlierRequest: Sendable, Hashable {
    package var choice: OutlierChoice?
    /// Neighbours that a point needs.
    package var minimum: Int?
    /// The edge of the neighbourhood's voxels, from which a radius follows.
    package var sizeMetres: Double?

    package init(choice: OutlierChoice? = nil, minimum: Int? = nil, sizeMetres: Double? = nil) {
        self.choice = choice
        self.minimum = minimum
        self.sizeMetres = sizeMetres
    }

    /// True if numbers are given although the same choice switches the filter off.
    package var contradictsItself: Bool { choice == .off && (minimum != nil || sizeMetres != nil) }

    /// Changes a filter; numbers alone switch on one that is off.
    package func apply(to filter: inout CloudParameters.OutlierFilter) {
        guard self != OutlierRequest() else { return }
        let old = Settings(filter)
        let minimum = minimum ?? old.minimum
        let size = sizeMetres ?? old.sizeMetres
        switch choice ?? old.choice {
        case .off: filter = .off
        case .neighbours: filter = .neighbours(minimum: minimum, voxelSizeMetres: size)
        case .radius:
            let metres = size.map { $0 * CloudParameters.OutlierFilter.radiusInVoxels }
            filter = .radius(metres: metres, minimum: minimum)
        }
    }

    /// The settings that every filter has in one form or another.
    private struct Settings {
        var choice = OutlierChoice.neighbours
        var minimum = 3
        var sizeMetres: Double?

        init(_ filter: CloudParameters.OutlierFilter) {
            switch filter {
            case .off: break
            case .neighbours(let minimum, let size): (self.minimum, sizeMetres) = (minimum, size)
            case .radius(let metres, let minimum):
                choice = .radius
                self.minimum = minimum
                sizeMetres = metres.map { $0 / CloudParameters.OutlierFilter.radiusInVoxels }
            }
        }
    }
}
