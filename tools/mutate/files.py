"""The files that decide, and the tests of their own libraries that are to find what is changed in them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    path: str
    # Patterns for --filter of the test binary.
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[1]

    @property
    def module(self) -> str:
        """The folder of its library: Sources/GROUP/NAME."""
        return "/".join(self.path.split("/")[:3])


CLOUDS = ("PointCloudsTests",)
MESSAGES = ("MessagesTests",)
WEBSOCKET = ("WebSocketTests",)
BAGS = ("ContainersTests", "BagsTests")
# The others wait for connections and time-outs.
ROSBRIDGE = (
    "AckTracker", "ResendWindow", "OutgoingQueue", "Outbox", "CloudThinning", "Operation", "ResendFilter",
    "MutatedOperation", "Fragmenter",
)



def suites(target: str, *names: str) -> tuple[str, ...]:
    """Those of a target that can see a file at work, where others take long and see nothing of it."""
    return tuple(f"{target}Tests\\.{name}" for name in names)


CLOCKS = suites(
    "Translation", "EpochAnchor", "CalendarText", "Coordinates", "Stamp", "SensorMessage", "Earth", "FrameTree", "Span",
    "ReplayPolicy",
)
FUSION = suites("Maps", "Carving", "Field", "Mesh", "RoomMap", "Surfel")
FRAMES = suites("Sessions", "RateGate", "FrameWalk", "FrameGate", "KeyFrame")

FILES = [
    File("Sources/Capture/Perception/PointClouds/Projection/Projection.swift", CLOUDS),
    File("Sources/Capture/Perception/PointClouds/Projection/DepthRows.swift", CLOUDS),
    File("Sources/Capture/Perception/PointClouds/Filters/EdgeFilter.swift", CLOUDS),
    File("Sources/Capture/Perception/PointClouds/Filters/BrickGrid.swift", CLOUDS),
    File("Sources/Capture/Perception/PointClouds/Filters/PointStages.swift", CLOUDS),
    File("Sources/Capture/Perception/PointClouds/Calibration/RobustLineFit.swift", CLOUDS),
    File("Sources/ROS/Messages/Encoding/CDREncoder.swift", MESSAGES),
    File("Sources/ROS/Messages/Encoding/CDRDecoder.swift", MESSAGES),
    File("Sources/ROS/Messages/Encoding/Base64.swift", MESSAGES),
    File("Sources/Network/WebSocket/Frames/FrameParser.swift", WEBSOCKET),
    File("Sources/Network/WebSocket/Frames/FrameHeader.swift", WEBSOCKET),
    File("Sources/Network/WebSocket/Frames/Masking.swift", WEBSOCKET),
    File("Sources/Network/WebSocket/Compression/ZlibStreams.swift", WEBSOCKET),
    File("Sources/Network/Rosbridge/Publisher/AckTracker.swift", suites("Rosbridge", *ROSBRIDGE)),
    File("Sources/Network/Rosbridge/Queue/OutgoingQueue.swift", suites("Rosbridge", *ROSBRIDGE)),
    File("Sources/Network/Rosbridge/Protocol/Fragmenter.swift", suites("Rosbridge", *ROSBRIDGE)),
    File("Sources/ROS/Bags/Writing/ChunkSequence.swift", BAGS),
    File("Sources/ROS/Bags/Containers/MCAP/Writing/MCAPWriter.swift", BAGS),
    File("Sources/ROS/Bags/Containers/MCAP/Reading/MCAPFileIndexer.swift", BAGS),
    File("Sources/ROS/Bags/Salvage/SQLiteLeafRows.swift", ("BagRepairTests\\.Salvage", *BAGS)),
    File("Sources/ROS/BagTools/BagRepair/FileRepair.swift", ("BagRepairTests",)),
    File("Sources/Bridge/Translation/Plan/EpochAnchor.swift", CLOCKS),
    File("Sources/Bridge/Translation/Geometry/Coordinates.swift", CLOCKS),
    File("Sources/Capture/Sessions/Frames/RateGate.swift", FRAMES),
    File("Sources/Capture/Sessions/Frames/FrameWalk.swift", FRAMES),
    File("Sources/Capture/Maps/Fusion/BlockIntegrator.swift", FUSION),
    File("Sources/Bridge/Exports/LeRobot/DepthCodes.swift", suites("Exports", "LeRobotPart")),
]
