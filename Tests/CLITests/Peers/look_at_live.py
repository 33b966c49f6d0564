"""Opens the live page of a server in a headless Chromium, and says what a person would see: JSON.

usage: look_at_live.py look URL [--screenshot FILE.png]   plays, seeks, looks in both colour schemes, uses the keys
       look_at_live.py whole URL                          what there is before anything is played, and after a seek
       look_at_live.py way URL                            the same of a recording without clouds, before anything is played
       look_at_live.py layers URL                         switches topics off and on, follows, asks for the keys
       look_at_live.py narrow URL                         390 pixels wide, with fingers
       look_at_live.py two URL                            two pages, of which one seeks
       look_at_live.py model URL                          the file of a map, drawn once it is there
       look_at_live.py ending URL                         watches a recording to its end
       look_at_live.py token URL TOKEN                    what the page says without the token, with a wrong one, and with it
       look_at_live.py hostile URL                        the same page before a server whose every text is markup

URL is the page's, such as http://127.0.0.1:8765/.
"""

import asyncio
import glob
import http
import json
import os
import struct
import sys
import urllib.request

import numpy
import websockets
from websockets.asyncio.server import serve

from look_at_page import Browser, open_page, picture, value, with_browser

STATE = """(()=>{const m=document.getElementById('map'),i=document.querySelector('#images img')||{},$=n=>document.getElementById(n);
return{points:+(m.dataset.points||0),triangles:+(m.dataset.triangles||0),way:+(m.dataset.way||0),image:i.naturalWidth||0,turn:i.style?.transform||'',
clouds:+(m.dataset.clouds||0),plans:+(m.dataset.plans||0),whole:+(m.dataset.whole||0),wholeway:+(m.dataset.wholeway||0),
status:$('status').textContent,hint:$('hint').textContent,place:+$('place').value,most:+$('place').max,
spoken:$('place').getAttribute('aria-valuetext'),play:$('play').textContent,player:!$('player').hidden,
token:!$('token').hidden,title:document.title,
topics:[...document.querySelectorAll('#topics tr')].map(r=>[...r.cells].map(c=>c.textContent)),
facts:Object.fromEntries([...document.querySelectorAll('#facts div')].map(d=>[d.firstChild.textContent,d.lastChild.textContent])),
clients:$('clients').textContent,events:[...document.querySelectorAll('#events li')].map(l=>l.textContent),who:$('who').textContent,
since:$('since').textContent,figures:[...document.querySelectorAll('figcaption span[title]')].map(s=>s.title),
strips:[...document.querySelectorAll('.strip')].map(s=>s.innerText.split('\\n')[0]),gps:!$('gps').hidden,tags:$('tags').textContent,
marks:document.querySelectorAll('.frame polygon').length};})()"""

LIT = """(()=>{const c=document.getElementById('map'),g=c.getContext('webgl2'),p=new Uint8Array(4*c.width*c.height);
g.readPixels(0,0,c.width,c.height,g.RGBA,g.UNSIGNED_BYTE,p);let n=0,h=0;
for(let i=0;i<p.length;i+=4)if(p[i]!==20||p[i+1]!==24||p[i+2]!==29){n++;h=(h*31+i)%4294967291;}
return[n/(c.width*c.height),g.getError(),h];})()"""

AXE = "axe.run(document).then(r=>r.violations.map(v=>v.id+': '+v.nodes.map(n=>n.html.slice(0,120)).join(' ')))"


async def until(browser, page, condition, seconds=20):
    for _ in range(int(seconds * 10)):
        state = await value(browser, page, STATE)
        if condition(state):
            return state
        await asyncio.sleep(0.1)
    return state


async def press(browser, page, key, text=""):
    for kind in ("keyDown", "keyUp"):
        more = {"text": text} if text and kind == "keyDown" else {}
        await browser.send("Input.dispatchKeyEvent", page, type=kind, key=key, code=key, **more)


async def scheme(browser, page, name):
    """The mean brightness of the page beside the map, whose own ground is dark in both."""
    features = [{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    await browser.send("Emulation.setEmulatedMedia", page, features=features)
    await asyncio.sleep(0.3)
    return float(numpy.asarray(await picture(browser, page))[:20].mean())


async def violations(browser, page):
    """What axe finds; nothing at all where it is not installed."""
    found = glob.glob(os.path.join(sys.prefix, "axe", "**", "axe.min.js"), recursive=True)
    if not found:
        return None
    with open(found[0], encoding="utf-8") as file:
        await value(browser, page, file.read() + ";0")
    return await value(browser, page, AXE)


def complaints(browser, address):
    requests = [event["params"]["request"]["url"] for event in browser.events
                if event["method"] == "Network.requestWillBeSent"]
    entries = [event["params"]["entry"]["text"] for event in browser.events if event["method"] == "Log.entryAdded"]
    exceptions = [event["params"]["exceptionDetails"]["text"] for event in browser.events
                  if event["method"] == "Runtime.exceptionThrown"]
    return {"requests": [url for url in requests if url != address and not url.startswith(("data:", "blob:"))],
            "log": [text for text in entries if "GL Driver Message" not in text], "exceptions": exceptions}


async def keys(browser, page):
    """Whether the keys of the map change its picture, and the space bar the player."""
    await value(browser, page, "document.getElementById('map').focus()")
    pictures = [(await value(browser, page, LIT))[2]]
    for key in ("ArrowRight", "ArrowUp", "+", "f"):
        await press(browser, page, key)
        await asyncio.sleep(0.3)
        pictures.append((await value(browser, page, LIT))[2])
    await press(browser, page, "0")
    await asyncio.sleep(0.3)
    back = (await value(browser, page, LIT))[2] == pictures[0]
    await press(browser, page, " ", " ")
    played = await until(browser, page, lambda s: s["play"] == "Pause", 5)
    await press(browser, page, " ", " ")
    paused = await until(browser, page, lambda s: s["play"] == "Play", 5)
    places = [paused["place"]]
    # The map has the focus: its arrows turn it, and seek elsewhere. A step is 0.3 s; the player then says where exactly it went.
    for key, text, goes in ((".", ".", 1), (",", ",", -1), ("ArrowRight", "", 0), ("blur", "", 0), ("ArrowRight", "", 1)):
        if key == "blur":
            await value(browser, page, "document.activeElement.blur()")
            continue
        await press(browser, page, key, text)
        before = places[-1]
        if goes:
            await until(browser, page, lambda s: (s["place"] - before) * goes > 0.15, 5)
        await asyncio.sleep(0.7)
        places.append((await value(browser, page, STATE))["place"])
    return {"turned": len(set(pictures[:4])) == 4, "back": back,
            "space": [played["play"], paused["play"]], "places": places}


async def look(address, socket_address, screenshot):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"paused": await until(browser, page, lambda s: s["points"] > 0 and s["image"] > 0)}
        found["light"], found["dark"] = [await scheme(browser, page, name) for name in ("light", "dark")]
        found["axe"] = await violations(browser, page)
        if found["paused"]["player"]:
            # The keys are judged by pictures, which what comes in the background would change.
            await until(browser, page, lambda s: s["whole"] > 1000)
            await asyncio.sleep(1)
            found["keys"] = await keys(browser, page)
            await value(browser, page, "document.getElementById('play').click()")
            found["playing"] = await until(browser, page, lambda s: s["place"] > 1 and s["way"] > 3)
            await value(browser, page, "(()=>{const p=document.getElementById('place');p.value=p.max*0.75;"
                        "p.dispatchEvent(new Event('change'));})()")
            found["sought"] = await until(browser, page, lambda s: s["place"] >= s["most"] * 0.75)
            # At the end, which may have come, the button would play again.
            await value(browser, page, "(()=>{const b=document.getElementById('play');if(b.textContent==='Pause')b.click();})()")
            await until(browser, page, lambda s: s["play"] == "Play")
            before = (await value(browser, page, STATE))["place"]
            await asyncio.sleep(0.5)
            found["stopped"] = await value(browser, page, STATE)
            found["stands_still"] = found["stopped"]["place"] == before
        await asyncio.sleep(0.7)
        # A picture that is being exchanged has no size for a moment.
        found["end"] = await until(browser, page, lambda s: s["image"] > 0)
        found["lit"], found["gl_error"], _ = await value(browser, page, LIT)
        tree = (await browser.send("Accessibility.getFullAXTree", page))["nodes"]
        roles = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in tree
                 if not node.get("ignored")]
        controls = ("button", "slider", "combobox", "image")
        found["unnamed"] = sorted({role for role, name in roles if role in controls and not name})
        found["controls"] = sorted({role for role, _ in roles if role in controls})
        if screenshot:
            (await picture(browser, page)).save(screenshot)
        return found | complaints(browser, address)


INSIDE = """(()=>{const c=document.getElementById('map'),{low,high}=scene.box();
return[0,1,2,3,4,5,6,7].every(n=>{const[x,y,depth]=scene.project([0,1,2].map(a=>(n>>a&1?high:low)[a]));
return depth>0&&x>=0&&y>=0&&x<=c.clientWidth&&y<=c.clientHeight;})&&high.map((v,a)=>v-low[a]);})()"""

SEEK = "(()=>{const p=document.getElementById('place');p.value=p.max*%s;p.dispatchEvent(new Event('change'));})()"


async def whole(address, socket_address, screenshot):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"polls": 0}
        for found["polls"] in range(100):
            found["first"] = await value(browser, page, STATE)
            # A bag may begin without a cloud.
            if found["first"]["whole"] > 1000 and found["first"]["status"].endswith("paused"):
                break
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
        found["fitted"] = [await value(browser, page, INSIDE)]
        found["lit"] = (await value(browser, page, LIT))[0]
        # Another place, which is played for a moment, and then one before it.
        await value(browser, page, SEEK % 0.5)
        await until(browser, page, lambda s: s["place"] >= s["most"] * 0.5)
        await value(browser, page, "document.getElementById('play').click()")
        await until(browser, page, lambda s: len(s["strips"]) > 3)
        await until(browser, page, lambda s: s["place"] > s["most"] * 0.75)
        await value(browser, page, "(()=>{const b=document.getElementById('play');if(b.textContent==='Pause')b.click();})()")
        found["played"] = await until(browser, page, lambda s: s["play"] == "Play")
        await value(browser, page, SEEK % 0.1)
        await until(browser, page, lambda s: s["place"] < s["most"] * 0.3)
        await asyncio.sleep(1)
        found["sought"] = await value(browser, page, STATE)
        found["fitted"].append(await value(browser, page, INSIDE))
        found["heading"] = await value(browser, page, "document.querySelector('#numbers h2').textContent")
        if screenshot:
            (await picture(browser, page)).save(screenshot)
        # It plays on, and slowly enough not to be at its end by then.
        await value(browser, page, "(()=>{const s=document.getElementById('speed');s.value='0.25';s.dispatchEvent(new Event('change'));"
                    "document.getElementById('play').click();})()")
        await until(browser, page, lambda s: s["play"] == "Pause")
        return found | complaints(browser, address)


async def way(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"first": await until(browser, page, lambda s: s["wholeway"] > 3)}
        await asyncio.sleep(1)
        found["fitted"] = await value(browser, page, INSIDE)
        return found | complaints(browser, address)


def switch(topic):
    return ("(()=>{const r=[...document.querySelectorAll('#topics tr')].find(r=>r.cells[0].textContent===" + json.dumps(topic)
            + ");r.querySelector('input').click();return r.querySelector('input').checked;})()")


CLOUD = "/mapping/pointcloud/lidar"


async def drag(browser, page, way, modifiers):
    """With the left button, from the middle of the map; 8 is shift."""
    for kind, x, y in (("mousePressed", 400, 350), ("mouseMoved", *way), ("mouseReleased", *way)):
        await browser.send("Input.dispatchMouseEvent", page, type=kind, x=x, y=y, button="left", buttons=1, clickCount=1,
                           modifiers=modifiers)
        await asyncio.sleep(0.2)


async def layers(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"paused": await until(browser, page, lambda s: s["points"] > 0 and s["image"] > 0)}
        await value(browser, page, switch(CLOUD))
        found["without"] = await until(browser, page, lambda s: s["points"] == 0)
        await value(browser, page, switch(CLOUD))
        found["again"] = await until(browser, page, lambda s: s["points"] > 0)
        for topic in ("/mapping/depth/confidence", "/mapping/depth/image_raw/compressedDepth", "/mapping/map"):
            await value(browser, page, switch(topic))
        await value(browser, page, "document.getElementById('play').click()")
        found["playing"] = await until(browser, page, lambda s: s["clouds"] > 1 and len(s["strips"]) > 3 and s["gps"]
                                       and len(s["figures"]) > 3)
        for topic in ("/mapping/depth/confidence", "/mapping/depth/image_raw/compressedDepth"):
            await value(browser, page, switch(topic))
        found["fewer"] = await until(browser, page, lambda s: len(s["figures"]) == 2)
        found["painted"] = await value(browser, page, "[...document.querySelectorAll('.frame canvas,#plan,.strip canvas')].map(c=>"
                                       "new Set(c.getContext('2d').getImageData(0,0,c.width,c.height).data).size)")
        await value(browser, page, "document.getElementById('map').focus()")
        pressed = "document.querySelector('#tools [aria-pressed]').getAttribute('aria-pressed')"
        found["follows"] = []
        for key in ("f", "f"):
            await press(browser, page, key)
            found["follows"].append(await value(browser, page, pressed))
        # The surface alone; its triangles go with their topic.
        await value(browser, page, switch(CLOUD))
        found["mesh"] = await until(browser, page, lambda s: s["points"] == 0 and s["triangles"] > 1000)
        await asyncio.sleep(0.7)
        found["mesh_covers"] = (await value(browser, page, LIT))[0]
        await value(browser, page, switch(CLOUD))
        # The room as far as its cloud shows it, on a page of a usual size.
        await value(browser, page, switch("/mapping/map"))
        await browser.send("Emulation.setDeviceMetricsOverride", page, width=1440, height=900, deviceScaleFactor=1, mobile=False)
        found["bare"] = await until(browser, page, lambda s: s["place"] > 0.9 * s["most"])
        await asyncio.sleep(1)
        found["covers"] = [(await value(browser, page, LIT))[0]]
        for modifiers, way in ((0, (900, 700)), (8, (20, 20)), (8, (900, 20)), (0, (10, 80))):
            await drag(browser, page, way, modifiers)
            found["covers"].append((await value(browser, page, LIT))[0])
        await press(browser, page, "?", "?")
        found["keys"] = await value(browser, page, "document.getElementById('keys').open")
        return found | complaints(browser, address)


async def narrow(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        await browser.send("Emulation.setDeviceMetricsOverride", page, width=390, height=844, deviceScaleFactor=2, mobile=True)
        await browser.send("Emulation.setTouchEmulationEnabled", page, enabled=True, maxTouchPoints=3)
        # What decides about fingers is looked at when the page is loaded.
        await browser.send("Page.reload", page)
        await asyncio.sleep(1)
        found = {"paused": await until(browser, page, lambda s: s["points"] > 0 and s["image"] > 0)}
        await asyncio.sleep(1)
        found["width"] = await value(browser, page, "document.documentElement.scrollWidth")
        pictures = [(await value(browser, page, LIT))[2]]

        async def touch(*steps):
            for index, places in enumerate(steps):
                kind = "touchStart" if index == 0 else "touchMove"
                await browser.send("Input.dispatchTouchEvent", page, type=kind, touchPoints=[{"x": x, "y": y, "id": number}
                                                                                             for number, (x, y) in enumerate(places)])
                await asyncio.sleep(0.1)
            await browser.send("Input.dispatchTouchEvent", page, type="touchEnd", touchPoints=[])
            await asyncio.sleep(0.5)
            pictures.append((await value(browser, page, LIT))[2])

        await touch([(160, 300), (230, 300)], [(120, 300), (270, 300)], [(80, 300), (310, 300)])
        await touch([(160, 300), (230, 300)], [(190, 320), (260, 320)], [(220, 340), (290, 340)])
        found["changed"] = [a != b for a, b in zip(pictures, pictures[1:])]
        # One finger is the page's.
        await touch(*[[(195, y)] for y in range(400, 150, -25)])
        found["scrolled"] = await value(browser, page, "scrollY")
        found["buttons"] = await value(browser, page, "Math.min(...[...document.querySelectorAll('#tools button')].map(b=>b.offsetHeight))")
        return found | complaints(browser, address)


async def two(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        one, other = [await open_page(browser, address) for _ in range(2)]
        # What is behind another page is not drawn.
        both = [await until(browser, page, lambda s: s["who"]) for page in (one, other)]
        await value(browser, one, "document.getElementById('play').click()")
        await until(browser, other, lambda s: int(dict((t[0], t[1]) for t in s["topics"]).get("/tf") or 0) > 8)
        await value(browser, one, "document.getElementById('play').click()")
        before = await until(browser, other, lambda s: s["play"] == "Play")
        await value(browser, one, "(()=>{const p=document.getElementById('place');p.value=p.max*0.5;p.dispatchEvent(new Event('change'));})()")
        after = [await until(browser, page, lambda s: s["since"]) for page in (one, other)]
        return {"both": both, "before": before, "after": after}


async def model(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = await until(browser, page, lambda s: s["points"] + s["triangles"] + s["plans"] > 0)
        await asyncio.sleep(1)
        covers, error, _ = await value(browser, page, LIT)
        coloured = await value(browser, page, "(()=>{const c=document.getElementById('map'),g=c.getContext('webgl2'),"
                               "p=new Uint8Array(4*c.width*c.height);g.readPixels(0,0,c.width,c.height,g.RGBA,g.UNSIGNED_BYTE,p);"
                               "const s=new Set();for(let i=0;i<p.length;i+=4)s.add(p[i]>>4<<8|p[i+1]>>4<<4|p[i+2]>>4);return s.size;})()")
        return {"state": found, "covers": covers, "gl_error": error, "colours": coloured} | complaints(browser, address)


async def ending(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"recording": await until(browser, page, lambda s: s["points"] > 0 and s["image"] > 0
                                          and any(len(t) > 2 and t[2] for t in s["topics"]))}
        found["ended"] = await until(browser, page, lambda s: s["status"].startswith("Recording ended"), 30)
        await asyncio.sleep(1)
        # The connection is gone by now: what was said stays.
        found["later"] = await value(browser, page, STATE)
        return found | complaints(browser, address)


async def ask_for_token(address, token, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"asked": await until(browser, page, lambda s: s["token"])}
        found |= complaints(browser, address)
        for name, text in (("wrong", "another"), ("right", token)):
            await value(browser, page, f"document.getElementById('secret').value={json.dumps(text)};"
                        "document.querySelector('#token button').click()")
            await asyncio.sleep(0.3)
            found[name] = await until(browser, page, lambda s: s["token"] if name == "wrong" else s["points"] > 0)
        return found


MARKUP = "<img src=x onerror=\"window.broken=1\"></title></script><script>window.broken=1</script>'\"&amp;"


async def hostile(address, socket_address):
    page_bytes = urllib.request.urlopen(address).read()

    def text(value):
        data = value.encode() + b"\0"
        return struct.pack("<I", len(data)) + data + b"\0" * (-len(data) % 4)

    async def talk(client):
        types = ["sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/PointCloud2", "nav_msgs/msg/Odometry", MARKUP]
        channels = [{"id": number, "topic": f"/{number}{MARKUP}", "encoding": "cdr", "schemaName": name,
                     "schemaEncoding": "ros2msg", "schema": MARKUP} for number, name in enumerate(types)]
        moment = {"sec": 1, "nsec": 0}
        for value in ({"op": "serverInfo", "name": MARKUP, "capabilities": ["time", "playbackControl"], "sessionId": MARKUP,
                       "dataStartTime": moment, "dataEndTime": {"sec": 9, "nsec": 0}, "metadata": {}},
                      {"op": "advertise", "channels": channels}, {"op": "status", "level": 1, "message": MARKUP}):
            await client.send(json.dumps(value))
        async for message in client:
            if not isinstance(message, str):
                continue
            for entry in json.loads(message).get("subscriptions", []):
                image = b"\0\1\0\0" + struct.pack("<II", 1, 0) + text(MARKUP) + text("jpeg") + struct.pack("<I", 3) + b"abc"
                head = struct.pack("<BIQ", 1, entry["id"], 10**9)
                # An image whose frame is markup, and what cannot be read.
                for data in (image, b"\0\1\0\0" + b"\xff" * 40, b""):
                    await client.send(head + data)

    def answer(connection, request):
        if "Upgrade" in request.headers:
            return None
        response = connection.respond(http.HTTPStatus.OK, "")
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(page_bytes))
        response.body = page_bytes
        return response

    async with serve(talk, "127.0.0.1", 0, process_request=answer, subprotocols=["foxglove.sdk.v1"]) as server:
        place = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with websockets.connect(socket_address, max_size=None) as socket:
            browser = Browser(socket)
            page = await open_page(browser, place)
            found = {"state": await until(browser, page, lambda s: len(s["topics"]) == 4)}
            await asyncio.sleep(1)
            found["state"] = await value(browser, page, STATE)
            found["broken"] = await value(browser, page, "window.broken===undefined?null:1")
            found["elements"] = await value(browser, page, "['script','img','title'].map(n=>document.querySelectorAll(n).length)")
            found["markup"] = MARKUP
            found["alt"] = await value(browser, page, "document.querySelector('#images img').alt")
            found |= complaints(browser, place)
            server.close()
            found["lost"] = await until(browser, page, lambda s: "lost" in s["status"])
            return found


if __name__ == "__main__":
    mode, url = sys.argv[1:3]
    screenshot = sys.argv[sys.argv.index("--screenshot") + 1] if "--screenshot" in sys.argv else None
    with_browser({"look": lambda address: look(url, address, screenshot),
                  "whole": lambda address: whole(url, address, screenshot),
                  "way": lambda address: way(url, address),
                  "layers": lambda address: layers(url, address), "narrow": lambda address: narrow(url, address),
                  "two": lambda address: two(url, address), "model": lambda address: model(url, address), "ending": lambda address: ending(url, address),
                  "token": lambda address: ask_for_token(url, sys.argv[3], address),
                  "hostile": lambda address: hostile(url, address)}[mode])
