"""Publishes COUNT poses with roslibpy and waits until the server has taken them.

usage: record_roslibpy.py PORT COUNT
"""

import sys

import roslibpy

client = roslibpy.Ros("127.0.0.1", int(sys.argv[1]))
client.run()
topic = roslibpy.Topic(client, "/pose", "geometry_msgs/PoseStamped")
topic.advertise()
for index in range(int(sys.argv[2])):
    header = dict(stamp=dict(sec=1700000000 + index, nanosec=5), frame_id="map")
    pose = dict(position=dict(x=index, y=0.5, z=-1.25), orientation=dict(x=0.0, y=0.0, z=0.0, w=1.0))
    topic.publish(roslibpy.Message(dict(header=header, pose=pose)))
answer = roslibpy.Service(client, "/rosapi/get_time", "rosapi_msgs/srv/GetTime").call(roslibpy.ServiceRequest())
assert answer["time"]["sec"] > 0, answer
topic.unadvertise()
client.terminate()
