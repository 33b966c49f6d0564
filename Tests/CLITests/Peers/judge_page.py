"""Uses a report as a reader does, in a headless Chromium: JSON about its cursor, its cloud, touches, keys and scrolling.

usage: judge_page.py FILE.html
"""

import asyncio
import base64
import json
import os
import statistics
import sys

import websockets
from look_at_page import Browser, open_page, value, with_browser

# Whether all corners of the fitted box are in the view, and the share of the view that is not background.
SCENE = """(async()=>{const c=document.getElementById('turn');if(!window.cloud)return null;
await new Promise(r=>setTimeout(r,350));
const b=cloud.box(),m=-0.5;let inside=true;
for(let i=0;i<8;i++){const[x,y,d]=cloud.project([0,1,2].map(a=>(i>>a&1?b.high:b.low)[a]));
inside=inside&&d>0&&x>=m&&y>=m&&x<=c.clientWidth-m&&y<=c.clientHeight-m;}
const g=c.getContext('webgl2'),p=new Uint8Array(4*c.width*c.height);
g.readPixels(0,0,c.width,c.height,g.RGBA,g.UNSIGNED_BYTE,p);let n=0;
for(let i=0;i<p.length;i+=4)if(p[i]!==20||p[i+1]!==24||p[i+2]!==29)n++;
const middle=cloud.project(b.low.map((v,a)=>(v+b.high[a])/2));
return{inside,lit:n/(c.width*c.height),far:cloud.view.far,turn:cloud.view.turn,up:cloud.view.up,
middle:middle[0]>=0&&middle[1]>=0&&middle[0]<=c.clientWidth&&middle[1]<=c.clientHeight}})()"""

# What the page shows of the present time: in the bar, on the strips, on the map, in the cloud, beside the map.
STATE = """(()=>{const all=s=>[...document.querySelectorAll(s)],tile=document.querySelector('.tile.current');
const here=document.querySelector('.here'),line=document.querySelector('.strips');
return{now:+document.body.dataset.now,clock:document.getElementById('clock').textContent,
values:all('[data-values]').map(e=>e.textContent),line:line?+line.style.getPropertyValue('--now'):null,
here:here?here.getAttribute('d'):null,tile:tile?+tile.dataset.seconds:null,
pictures:all('.now .shown img').map(e=>e.alt),step:+document.getElementById('when').value,
steps:+document.getElementById('when').max,open:document.getElementById('large').open}})()"""


async def settle(browser, page):
    await value(browser, page, "new Promise(r=>requestAnimationFrame(()=>requestAnimationFrame(()=>r(1))))")


async def mouse(browser, page, kind, x, y, **more):
    await browser.send("Input.dispatchMouseEvent", page, type=kind, x=x, y=y, **more)


async def area(browser, page, selector):
    return await value(browser, page, f"(()=>{{const e=document.querySelector({json.dumps(selector)});if(!e)return null;"
                       "e.scrollIntoView({block:'center'});const r=e.getBoundingClientRect();return[r.left,r.top,r.width,r.height]})()")


async def drag(browser, page, start, by, button="left", modifiers=0):
    await mouse(browser, page, "mousePressed", *start, button=button, buttons=1, clickCount=1, modifiers=modifiers)
    for step in range(1, 4):
        await mouse(browser, page, "mouseMoved", start[0] + by[0] * step / 3, start[1] + by[1] * step / 3, button=button,
                    buttons=1, modifiers=modifiers)
    await mouse(browser, page, "mouseReleased", start[0] + by[0], start[1] + by[1], button=button, modifiers=modifiers)


async def touch(browser, page, starts, ends):
    """Fingers from some places to others; what the page's scroll does meanwhile."""
    before = await value(browser, page, "scrollY")
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(starts)]
    await browser.send("Input.dispatchTouchEvent", page, type="touchStart", touchPoints=points)
    for step in range(1, 11):
        points = [{"x": a[0] + (b[0] - a[0]) * step / 10, "y": a[1] + (b[1] - a[1]) * step / 10, "id": number}
                  for number, (a, b) in enumerate(zip(starts, ends))]
        await browser.send("Input.dispatchTouchEvent", page, type="touchMove", touchPoints=points)
        await settle(browser, page)
    await browser.send("Input.dispatchTouchEvent", page, type="touchEnd", touchPoints=[])
    await asyncio.sleep(0.2)
    return await value(browser, page, "scrollY") - before


async def state(browser, page):
    await settle(browser, page)
    return await value(browser, page, STATE)


async def cursor(browser, page):
    """The cursor in ten places: by the strips, the way, the images, the bar and the keys."""
    found = []
    left, top, width, height = await area(browser, page, ".strips .plot")
    for share in (0.02, 0.25, 0.5, 0.98):
        await mouse(browser, page, "mouseMoved", left + share * width, top + height / 2)
        found.append(await state(browser, page) | {"by": "strip", "share": share})
    if await area(browser, page, "svg[data-plan]"):
        for share in (0.3, 0.8):
            # A place of the way on the screen, from the page's own data.
            x, y, time = await value(browser, page, f"""(()=>{{const b=atob(document.getElementById('way0').textContent);
              const n=Math.floor(b.length/20),k=Math.floor({share}*n),v=new DataView(Uint8Array.from(b,c=>c.charCodeAt(0)).buffer);
              const f=o=>v.getFloat32(20*k+o,true),s=document.querySelector('svg[data-plan]');
              const[m,x,y,l,t]=s.dataset.plan.split(',').map(Number),p=s.createSVGPoint();
              p.x=l+(f(4)-x)*m;p.y=t-(f(8)-y)*m;const q=p.matrixTransform(s.getScreenCTM());return[q.x,q.y,f(0)]}})()""")
            await mouse(browser, page, "mouseMoved", x, y)
            found.append(await state(browser, page) | {"by": "map", "time": time, "here_at": [x, y]})
    if await area(browser, page, ".tile:nth-child(3)"):
        left, top, width, height = await area(browser, page, ".tile:nth-child(3)")
        await mouse(browser, page, "mouseMoved", left + width / 2, top + 20)
        found.append(await state(browser, page) | {"by": "image"})
    await value(browser, page, "(()=>{const w=document.getElementById('when');w.value=Math.floor(w.max/3);"
                "w.dispatchEvent(new Event('input'))})()")
    found.append(await state(browser, page) | {"by": "bar"})
    await value(browser, page, "document.activeElement.blur()")
    for key in ("ArrowRight", "ArrowLeft"):
        for kind in ("keyDown", "keyUp"):
            await browser.send("Input.dispatchKeyEvent", page, type=kind, key=key, code=key)
        found.append(await state(browser, page) | {"by": key})
    return found


async def scene(browser, page):
    """The cloud after it was loaded, and after drags, wheels and touches that try to lose it."""
    view = await area(browser, page, "#turn")
    if not view:
        return None
    found = {"loaded": await value(browser, page, SCENE)}
    left, top, width, height = view
    middle = (left + width / 2, top + height / 2)
    await drag(browser, page, (left + width * 0.4, top + height * 0.6), (240, -90))
    found["turned"] = await value(browser, page, SCENE)
    for _ in range(3):
        await drag(browser, page, middle, (width * 0.45, height * 0.4), modifiers=8)
    found["moved"] = await value(browser, page, SCENE)
    # Far nearer, then away: the middle stays a place of the scene, and all of it comes back.
    await value(browser, page, "document.getElementById('turn').focus({preventScroll:true})")
    for delta in (-400,) * 6:
        await mouse(browser, page, "mouseWheel", left + width * 0.2, top + height * 0.3, deltaX=0, deltaY=delta)
    for _ in range(4):
        await drag(browser, page, middle, (width * 0.45, -height * 0.4), modifiers=8)
    found["near"] = await value(browser, page, SCENE)
    found["near"]["held"] = await value(browser, page, "cloud.view.at.every((v,a)=>v>=cloud.box().low[a]-1e-6&&v<=cloud.box().high[a]+1e-6)")
    for _ in range(9):
        await mouse(browser, page, "mouseWheel", *middle, deltaX=0, deltaY=1500)
    found["away"] = await value(browser, page, SCENE)
    for name, click in (("top", "Top"), ("front", "Front")):
        await value(browser, page, f"[...document.querySelectorAll('#tools button')].find(b=>b.textContent==='{click}').click()")
        found[name] = await value(browser, page, SCENE)
    # The point under the pointer stays there while the scene turns about it.
    await value(browser, page, "cloud.home()")
    for _ in range(4):
        await mouse(browser, page, "mouseWheel", *middle, deltaX=0, deltaY=-300)
    await settle(browser, page)
    start = (left + width * 0.55, top + height * 0.55)
    picked = await value(browser, page, f"cloud.pick({start[0] - left},{start[1] - top})")
    await drag(browser, page, start, (60, 0))
    if picked:
        found["pivot"] = await value(browser, page, f"(p=>[p[0]-{start[0] - left},p[1]-{start[1] - top}])(cloud.project({json.dumps(picked)}))")
    found["colours"] = []
    for colour in await value(browser, page, "[...document.querySelector('#tools select').options].map(o=>o.value)"):
        await value(browser, page, f"cloud.colour({json.dumps(colour)})")
        await asyncio.sleep(0.4)
        found["colours"].append([colour, await value(browser, page, """(()=>{const c=document.getElementById('turn'),g=c.getContext('webgl2'),
          p=new Uint8Array(4*c.width*c.height);g.readPixels(0,0,c.width,c.height,g.RGBA,g.UNSIGNED_BYTE,p);let h=0;
          for(let i=0;i<p.length;i+=4)h=(h*31+p[i]*65536+p[i+1]*256+p[i+2])%1000000007;return h})()""")])
    return found


async def fingers(browser, page):
    """A phone: one finger scrolls the page, also over the cloud; two turn and come nearer, and the page stays."""
    await browser.send("Emulation.setDeviceMetricsOverride", page, width=390, height=844, deviceScaleFactor=2, mobile=True)
    await browser.send("Emulation.setTouchEmulationEnabled", page, enabled=True, maxTouchPoints=5)
    await asyncio.sleep(0.5)
    found = {"overflow": await value(browser, page, "document.documentElement.scrollWidth-innerWidth"),
             "small": await value(browser, page, """[...document.querySelectorAll('body *')].filter(e=>e.checkVisibility()
               &&[...e.childNodes].some(n=>n.nodeType===3&&n.data.trim())).map(e=>{
               const m=e.ownerSVGElement?e.getScreenCTM().a:1;return[e.textContent.slice(0,20),parseFloat(getComputedStyle(e).fontSize)*m]})
               .filter(([,s])=>s<10.99)""")}
    view = await area(browser, page, "#turn")
    if view:
        left, top, width, height = view
        await value(browser, page, "cloud.home()")
        middle = (left + width / 2, top + height / 2)
        before = await value(browser, page, SCENE)
        found["one"] = await touch(browser, page, [middle], [(middle[0], middle[1] - 120)])
        found["one_turned"] = (await value(browser, page, SCENE))["turn"] != before["turn"]
        left, top, width, height = await area(browser, page, "#turn")
        middle = (left + width / 2, top + height / 2)
        pair = [(middle[0] - 40, middle[1]), (middle[0] + 40, middle[1])]
        found["two"] = await touch(browser, page, pair, [(x + 30, y + 60) for x, y in pair])
        after = await value(browser, page, SCENE)
        found["two_turned"] = abs(after["turn"] - before["turn"]) > 0.1 and abs(after["up"] - before["up"]) > 0.1
        found["pinch"] = await touch(browser, page, pair, [(middle[0] - 90, middle[1]), (middle[0] + 90, middle[1])])
        found["pinched"] = (await value(browser, page, SCENE))["far"] / after["far"]
    left, top, width, height = await area(browser, page, ".strips .plot")
    await touch(browser, page, [(left + 0.4 * width, top + 10)], [(left + 0.7 * width, top + 10)])
    found["strip"] = (await state(browser, page))["line"]
    return found


async def scrolling(browser, page):
    """Frames while the page scrolls from its top to its end, by the browser's own tracing: milliseconds between them."""
    await browser.send("Emulation.setDeviceMetricsOverride", page, width=1440, height=900, deviceScaleFactor=1, mobile=False)
    await browser.send("Emulation.setTouchEmulationEnabled", page, enabled=False)
    await value(browser, page, "scrollTo(0,0)")
    await asyncio.sleep(0.5)
    browser.events.clear()
    await browser.send("Tracing.start", page, transferMode="ReportEvents",
                       traceConfig={"includedCategories": ["benchmark", "cc", "viz", "devtools.timeline", "devtools.timeline.frame"]})
    await value(browser, page, """new Promise(done=>{const most=document.documentElement.scrollHeight-innerHeight;let begin=null,n=0;
      window.stamps=[];const step=t=>{begin??=t;stamps.push(t);scrollTo(0,most*Math.min(1,(t-begin)/2000));
      if(t-begin<2000)requestAnimationFrame(step);else done(1)};requestAnimationFrame(step)})""")
    await browser.send("Tracing.end", page)
    await browser.wait_for("Tracing.tracingComplete")
    events = [one for event in browser.events if event["method"] == "Tracing.dataCollected" for one in event["params"]["value"]]
    drawn = sorted(one["ts"] for one in events if one["name"] == "DrawFrame")
    stamps = await value(browser, page, "stamps")
    between = [b - a for a, b in zip(stamps, stamps[1:])]
    tasks = [one["dur"] / 1000 for one in events if one["name"] == "RunTask" and one.get("dur", 0) > 0]
    long = [one for one in tasks if one > 50]
    return {"frames": len(stamps), "seconds": (stamps[-1] - stamps[0]) / 1000, "median_ms": statistics.median(between),
            "late": sum(1 for one in between if one > 25) / len(between), "drawn": len(drawn), "long_tasks": len(long)}


async def judge(address, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        await browser.send("Emulation.setDeviceMetricsOverride", page, width=1440, height=900, deviceScaleFactor=1, mobile=False)
        await value(browser, page, "new Promise(r=>{let n=0;const t=setInterval(()=>{if(window.cloud||n++>60){clearInterval(t);r(1)}},50)})")
        found = {"paint_ms": await value(browser, page, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"),
                 "first": await value(browser, page, """(()=>{const s=document.querySelector('svg[data-plan]'),f=[...document.querySelectorAll('.facts div')]
                   .filter(e=>e.checkVisibility());const in_=e=>e&&e.getBoundingClientRect().top>=0&&e.getBoundingClientRect().bottom<=innerHeight;
                   return{verdict:in_(document.querySelector('.verdict')),facts:f.filter(in_).length,map:s?s.getBoundingClientRect().top<innerHeight*0.6:null}})()""")}
        await browser.send("Emulation.setDeviceMetricsOverride", page, width=1000, height=800, deviceScaleFactor=1, mobile=False)
        await asyncio.sleep(0.5)
        found["scene"] = await scene(browser, page)
        found["cursor"] = await cursor(browser, page)
        await value(browser, page, "document.querySelector('.tile')?.click()")
        found["enlarged"] = await value(browser, page, "(async()=>{await new Promise(r=>setTimeout(r,200));const d=document.getElementById('large');"
                                        "const r=[d.open,...[...d.querySelectorAll('img')].map(i=>i.naturalWidth+'x'+i.naturalHeight+' '+Math.round(i.getBoundingClientRect().width))];"
                                        "d.close();return r})()")
        found["scrolling"] = await scrolling(browser, page)
        found["fingers"] = await fingers(browser, page)
        found["exceptions"] = [event["params"]["exceptionDetails"] for event in browser.events
                               if event["method"] == "Runtime.exceptionThrown"]
        return found


if __name__ == "__main__":
    path = os.path.abspath(sys.argv[1])
    with_browser(lambda socket_address: judge("file://" + path, socket_address))
