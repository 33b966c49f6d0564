import Maps

extension FuzzTarget {
    /// Raw and processed maps of tags, and the truth of one.
    static let tagMaps = FuzzTarget(
        name: "tag-maps",
        seeds: {
            let one = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"
            let eye = (0..<36).map { $0 % 7 == 0 ? "1" : "0" }.joined(separator: ",")
            let corners = #""tag_corners_pixel_coordinates":[0,1,1,1,1,0,0,0],"camera_intrinsics":[1000,1000,0,0]"#
            return [
                #"{"map_id":"a","pose_data":[{"id":0,"timestamp":1,"pose":\#(one)}],"location_ data":[],"#
                    + #""tag_data":[[{"tag_id":1,"pose_id":0,"tag_pose":\#(one),\#(corners)}]]}"#,
                #"{"generated_from":"mapeverything","pose_data":[{"id":0,"timestamp":1,"pose":\#(one)}],"tag_data":["#
                    + #"[{"tag_id":1,"pose_id":0,"tag_pose":\#(one),\#(corners),"other_pose":\#(one),"#
                    + #""covariance":[\#(eye)]}]]}"#,
                #"{"tag_vertices":[{"id":1,"translation":{"x":0,"y":0,"z":0},"rotation":{"x":0,"y":0,"z":0,"w":1}}]}"#,
                #"{"tag_vertices":[],"odometry_vertices":[{"poseId":0,"neighbors":[0,1],"translation":{"x":1}}]}"#,
                "rpy 1 0 0 0 0 0 0\nrpy 2 1 0 0 0 0 0\n",
            ].map { Array($0.utf8) }
        },
        dictionary: [
            "pose_data", "tag_data", "location_data", "orig_pose", "other_pose", "null", "1e999", "rpy ", "NaN",
        ],
        run: { input in
            let bytes = Array(input)
            if let map = try? RawTagMap(parsing: bytes) {
                let consistency = TagConsistency(map)
                require(consistency.tags.allSatisfy { $0.detections > 0 }, "a tag that was never seen")
                require(map.detections.allSatisfy { map.poses.indices.contains($0.pose) }, "a pose that is not there")
                for solved in TagMapper().maps(of: [map]) {
                    require(solved.walks.first?.poses.count == map.poses.count, "poses that are lost")
                    _ = Walkways(solved.walks.map(\.poses))
                }
            }
            if let walkways = (try? ProcessedTagMap(parsing: bytes))?.walkways {
                let places = walkways.places
                let isLinked = places.allSatisfy { $0.neighbours.allSatisfy(places.indices.contains) }
                require(isLinked, "a neighbour that is not there")
            }
            _ = try? TagTruth(parsing: String(decoding: bytes, as: UTF8.self))
        }
    )
}
