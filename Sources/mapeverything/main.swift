print("mapeverything")
