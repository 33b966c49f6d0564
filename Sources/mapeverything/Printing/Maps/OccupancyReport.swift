import Exports
import Maps
import Sessions
import Text

extension Report {
    /// The result of making a map of the floor.
    ///
    /// - Parameters:
    ///   - image: the file beside it.
    ///   - coordinates: facts about the coordinates of the file.
    init(_ report: MapReport, _ map: OccupancyMap, path: String, image: String?, _ coordinates: [Fact]) {
        let cell = map.resolutionMetres
        let (across, up) = (Double(map.width) * cell, Double(map.height) * cell)
        let size =
            "\(Format.number(across, decimals: 2)) x \(Format.number(up, decimals: 2)) m, "
            + "\(map.width) x \(map.height) cells of \(Format.number(cell, decimals: 3)) m"
        let free = map.squareMetres(of: OccupancyMap.free)
        let occupied = map.squareMetres(of: OccupancyMap.occupied)
        let unknown = map.squareMetres(of: OccupancyMap.unknown)
        let areas = "\(Self.area(free)) free, \(Self.area(occupied)) occupied, \(Self.area(unknown)) unknown"
        let lower = map.squareMetres(map.lowerCount)
        let head = [
            Fact("map", path, "map", path), Fact("image", image ?? "", "image", image), Fact("size", size),
            .json("width", map.width), .json("height", map.height), .json("resolution_m", cell),
            .json("origin", [map.origin.x, map.origin.y]), Fact("area", areas), .json("free_m2", free),
            .json("occupied_m2", occupied), .json("unknown_m2", unknown),
        ]
        let rest = [
            Fact("lower", lower > 0 ? "\(Self.area(lower)) lie lower than the floor: unknown" : "", "lower_m2", lower),
            .count("noise", map.speckCount, "cells that one ray alone says are occupied: left out", "noise_cells"),
        ]
        self.init(head + coordinates + map.floor.facts + rest, report)
    }

    /// The result of making an octree of what is occupied and free.
    init(_ report: MapReport, _ tree: OctoMapFile, path: String) {
        let outside = "cells are farther from the origin than an octree of 16 levels reaches: left out"
        let facts = [
            Fact("map", path, "map", path),
            Fact("cells", "\(tree.occupiedCount) occupied, \(tree.freeCount) free, in \(tree.nodeCount) nodes"),
            .json("occupied_cells", tree.occupiedCount), .json("free_cells", tree.freeCount),
            .json("nodes", tree.nodeCount), .count("outside", tree.outsideCount, outside, "cells_outside"),
        ]
        self.init(facts, report)
        if tree.outsideCount > 0 { hasLosses = true }
    }

    fileprivate static func area(_ squareMetres: Double) -> String {
        Format.number(squareMetres, decimals: 1) + " m\u{B2}"
    }
}

extension Floor {
    fileprivate var facts: [Fact] {
        func signed(_ metres: Double) -> String { (metres < 0 ? "" : "+") + Format.number(metres, decimals: 2) + " m" }
        let seen =
            "at \(Format.number(heightMetres, decimals: 3)) m, \(Report.area(areaSquareMetres)) of it seen, "
            + "\(Format.number(1000 * spreadMetres, decimals: 0)) mm about its plane"
        let tilt = "\(Format.number(tiltDegrees, decimals: 2)) degrees"
        let doubt = tiltDegrees > 1 ? ": a slope, or a world that is not level; heights count from the plane" : ""
        let beside = levels.map { "\(signed($0.heightMetres)), \(Report.area($0.areaSquareMetres))" }
        let rising = slopes.map {
            "\(Format.number($0.degrees, decimals: 1)) degrees, from \(signed($0.lowestMetres)) to "
                + "\(signed($0.highestMetres)), \(Report.area($0.areaSquareMetres))"
        }
        return [
            Fact("floor", seen, "floor_height_m", heightMetres), .json("floor_m2", areaSquareMetres),
            .json("floor_spread_m", spreadMetres), Fact("tilt", tilt + doubt, "floor_tilt_deg", tiltDegrees),
            Fact("other levels", beside.joined(separator: "; ")),
            .json("levels", each: levels) { .of(["height_m": $0.heightMetres, "area_m2": $0.areaSquareMetres]) },
            Fact("slopes", rising.joined(separator: "; ")),
            .json("slopes", each: slopes) {
                .of([
                    "degrees": $0.degrees, "lowest_m": $0.lowestMetres, "highest_m": $0.highestMetres,
                    "area_m2": $0.areaSquareMetres,
                ])
            },
        ]
    }
}

extension SurveyCoordinates {
    /// - Parameter heights: what heights are measured from.
    func facts(heights: String = "heights above the ellipsoid") -> [Fact] {
        guard let zone else {
            let text = "local: those of the frame map, as \(reason)"
            return [Fact("coordinates", text, "coordinates", "local")]
        }
        let accuracy = accuracyMetres.map { ", to \(Format.number($0, decimals: 1)) m" } ?? ""
        let text = "\(zone.name) (EPSG:\(zone.epsgCode))\(accuracy), \(heights)"
        return [Fact("coordinates", text, "coordinates", .string("EPSG:\(zone.epsgCode)"))]
    }
}
