// The connection of the live page: Foxglove's protocol, which topics are shown, the play bar, and what a person is told meanwhile.
"use strict";

(() => {
  const RECORDING = "/mapeverything/recording", VIEWERS = "/mapeverything/viewers";
  const topics = new Map(), channels = new Map(), mine = new Map(), chosen = new Map(), history = [];
  let socket = null, session = null, nextId = 1, requests = 0, asked = 0, state = -1, begin = 0n, end = 0n, now = 0;
  let line = "Connecting", problem = "", token = null, opened = false, drags = false, ended = "", told = 0, since = null;
  const needsToken = document.body.dataset.token === "needed";
  const isOpen = () => socket && socket.readyState === 1, isPlaying = () => state === 0;
  const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };

  // What people read.
  const minutes = s => {
    const tenths = Math.round(10 * s);
    return Math.floor(tenths / 600) + ":" + (tenths % 600 / 10).toFixed(1).padStart(4, "0");
  };
  const clockTime = s => new Date(1000 * s).toISOString().slice(11, 16) + " UTC";
  const amount = bytes => {
    const power = bytes >= 1e9 ? 3 : bytes >= 1e6 ? 2 : bytes >= 1e3 ? 1 : 0;
    return (bytes / 1000 ** power).toFixed(power ? 1 : 0) + " " + ["B", "kB", "MB", "GB"][power];
  };
  const ago = s => !isFinite(s) ? "" : s < 1.5 ? "now" : s < 90 ? `${Math.round(s)} s ago` : s < 5400 ? `${Math.round(s / 60)} min ago` :
    `${Math.round(s / 3600)} h ago`;

  const hint = () => {
    const has = type => [...channels.values()].some(channel => channel.schemaName === type);
    if (!scene.works) return "The map needs WebGL 2, which this browser does not offer.";
    if (scene.count() || scene.triangles() || scene.hasPlan() || scene.wayLength() > 1) return "";
    if (line !== "Connected") return line === "Connecting" ? "" : "Nothing to show without a connection.";
    if (session === null) return "";
    if (!channels.size) return "Nothing has come yet: this fills as soon as something is recorded.";
    if (!has(TYPES.cloud) && !world.wayTopic) {
      return has(TYPES.grid) || has(TYPES.markers) ? "No map yet." : "No clouds and no poses are offered here.";
    }
    if (state === 1) return "Paused. Press Play or the space bar to begin.";
    return has(TYPES.cloud) ? "No cloud yet." : "No clouds are offered here: the way of the camera will be shown.";
  };
  const tell = () => {
    const names = ["playing", "paused", "waiting for data", "at the end"];
    set($("status"), ended || problem || line + (line === "Connected" && state >= 0 ? ": " + names[state] : ""));
    set($("hint"), hint() || whole.problem());
    const offers = [...channels.values()].some(channel => channel.schemaName === TYPES.picture);
    set($("noimage"), channels.size && !offers ? "No images are offered here" : "No image yet");
  };

  // Topics: each is switched on or off; which are on at first is what one wants to see, one of each kind.
  const send = value => { if (isOpen()) socket.send(JSON.stringify(value)); };
  const kindOf = (type, topic) => {
    if (/depth_anything|satellite/.test(topic)) return null;
    if (type === TYPES.raster || type === TYPES.picture) {
      return /confidence/.test(topic) ? null : /depth/i.test(topic) ? "depth" : type === TYPES.picture ? "picture" : null;
    }
    if (type === TYPES.pose || type === TYPES.odometry) return /gps/.test(topic) ? null : "way";
    return { [TYPES.cloud]: "cloud", [TYPES.imu]: "imu", [TYPES.fix]: "fix", [TYPES.tags]: "tags" }[type] || null;
  };
  const isOn = topic => Boolean(topics.get(topic)?.isOn);
  const subscribe = entry => {
    if (!isOpen() || [...mine.values()].includes(entry)) return;
    mine.set(nextId, entry);
    send({ op: "subscribe", subscriptions: [{ id: nextId++, channelId: entry.channel.id }] });
  };
  const unsubscribe = entry => {
    for (const [id, one] of mine) {
      if (one !== entry) continue;
      mine.delete(id);
      send({ op: "unsubscribe", subscriptionIds: [id] });
    }
  };
  const turnOn = (entry, on) => {
    entry.isOn = entry.box.checked = on;
    const { topic, schemaName } = entry.channel;
    if (on && kindOf(schemaName, topic) === "way" && !isOn(world.wayTopic)) world.wayTopic = topic;
    if (on) return subscribe(entry);
    unsubscribe(entry);
    Object.assign(entry, { count: 0, recent: [] });
    if (world.wayTopic === topic) world.wayTopic = null;
    scene.remove(topic);
    panels.remove(topic);
  };
  const enlist = channel => {
    let entry = topics.get(channel.topic);
    if (!entry) {
      const row = $("topics").insertRow(), box = document.createElement("input"), label = document.createElement("label");
      const name = document.createElement("span");
      box.type = "checkbox";
      // Long names break at their slashes.
      name.append(...channel.topic.split(/(?=\/)/).flatMap(part => [document.createElement("wbr"), part]));
      label.title = channel.schemaName;
      label.append(box, name);
      row.insertCell().append(label);
      entry = { channel, box, cells: [row.insertCell(), row.insertCell(), row.insertCell()], count: 0, recent: [], isOn: false };
      const made = entry;
      box.addEventListener("change", () => {
        chosen.set(channel.topic, box.checked);
        turnOn(made, box.checked);
      });
      topics.set(channel.topic, entry);
    }
    entry.channel = channel;
    channels.set(channel.id, channel);
    return entry;
  };
  /// What is on at first: of each kind the first, of which rather odometry than poses, and raw depth than packed.
  const chooseTopics = entries => {
    const rank = entry => [TYPES.odometry, TYPES.raster].includes(entry.channel.schemaName) ? 0 : 1;
    const taken = new Set([...topics.values()].filter(entry => entry.isOn).map(entry => kindOf(entry.channel.schemaName, entry.channel.topic)));
    // The growing map where it was asked for, and not where all is offered: it costs its server more than all others.
    const offersAll = entries.some(entry => entry.channel.schemaName === "mapeverything_msgs/msg/MeshSnapshot");
    for (const entry of [...entries].sort((a, b) => rank(a) - rank(b))) {
      const { topic, schemaName } = entry.channel, kind = kindOf(schemaName, topic);
      const always = schemaName === TYPES.transforms || schemaName === TYPES.camera ||
        (schemaName === TYPES.markers || schemaName === TYPES.grid) && !offersAll;
      const on = chosen.has(topic) ? chosen.get(topic) : entry.isOn || always || Boolean(kind) && !taken.has(kind);
      if (on) taken.add(kind);
      if (on) turnOn(entry, true);
    }
  };
  Object.assign(panels, { isOn, problem: (topic, error) => { problem = `${topic} cannot be read: ${error.message}`; } });

  const forget = () => {
    scene.clear();
    whole.clear();
    panels.clear();
    topics.clear();
    history.length = 0;
    Object.assign(world, { wayTopic: null, jumps: true, before: null });
    [since, ended] = [null, ""];
    $("topics").replaceChildren();
    $("recording").hidden = true;
  };
  const texts = {
    serverInfo(m) {
      if (session !== null && session !== m.sessionId) forget();
      session = m.sessionId;
      ended = "";
      set($("name"), m.name);
      document.title = m.name;
      channels.clear();
      mine.clear();
      world.tree.clear();
      const nanoseconds = t => BigInt(t.sec) * 1000000000n + BigInt(t.nsec), can = m.capabilities || [];
      if (can.includes("parametersSubscribe")) send({ op: "subscribeParameterUpdates", parameterNames: [RECORDING, VIEWERS, SCENE] });
      const steers = can.includes("playbackControl");
      $("player").hidden = !steers;
      state = steers ? 1 : -1;
      panels.span(0);
      if (!steers) return;
      begin = nanoseconds(m.dataStartTime);
      end = nanoseconds(m.dataEndTime);
      $("place").max = Number(end - begin) / 1e9;
      panels.span(Math.max(0.1, Number(end - begin) / 1e9));
      clock(begin);
    },
    advertise(m) { chooseTopics(m.channels.map(enlist)); },
    unadvertise(m) { for (const id of m.channelIds) channels.delete(id); },
    status(m) { problem = m.message; },
    removeStatus() { problem = ""; },
    parameterValues(m) {
      for (const { name, value } of m.parameters) {
        if (name === RECORDING) showRecording(value);
        if (name === VIEWERS) showViewers(value);
        if (name === SCENE) whole.take(value);
      }
    },
  };

  // How a recording stands, as its server tells twice a second.
  const showRecording = status => {
    told = performance.now();
    history.push(status);
    if (history.length > 12) history.shift();
    $("recording").hidden = false;
    const sum = (one, key) => one.topics.reduce((all, topic) => all + topic[key], 0), then = history[0], span = status.now - then.now;
    const facts = [["elapsed", minutes(status.elapsed)], ["messages", String(sum(status, "messages"))], ["size", amount(sum(status, "bytes"))],
      ["rate", span > 0 ? amount((sum(status, "bytes") - sum(then, "bytes")) / span) + "/s" : ""],
      ["free disk", status.free === null ? "" : amount(status.free)]];
    const list = $("facts");
    if (list.children.length !== facts.length) {
      list.replaceChildren(...facts.map(([name]) => {
        const group = document.createElement("div"), term = document.createElement("dt");
        term.textContent = name;
        group.append(term, document.createElement("dd"));
        return group;
      }));
    }
    facts.forEach(([, text], index) => set(list.children[index].lastChild, text));
    const happened = status.events.map(event => `${event.text} at ${clockTime(event.at)}`), last = happened[happened.length - 1];
    const names = status.clients.map(client => `${client.name}, since ${clockTime(client.since)}`);
    set($("clients"), names.length ? `Connected: ${names.join("; ")}` : last ? `Nobody is connected: ${last}` : "Nobody has connected yet");
    // Who is there is said already.
    const there = status.clients.map(client => `${client.name} connected at`);
    const events = $("events"), newest = happened.filter(text => !there.some(start => text.startsWith(start)) && (names.length || text !== last)).slice(-3)
      .reverse();
    if (events.dataset.text !== newest.join("\n")) {
      events.dataset.text = newest.join("\n");
      events.replaceChildren(...newest.map(text => Object.assign(document.createElement("li"), { textContent: text })));
    }
    if (status.verdict) ended = `Recording ended: ${sum(status, "messages")} messages in ${status.output}; ${status.verdict}`;
  };
  const showViewers = value => {
    const { you, all, steered } = value, by = steered && all.find(one => one.number === steered.number);
    const what = steered && { sought: "went to another place", paused: "paused it", playing: "plays it", speed: "changed the speed" }[steered.what];
    const who = !steered ? "nobody has steered yet" : steered.number === you ? `you ${what.replace("plays", "play").replace(/^/, "")}` :
      `viewer ${steered.number}${by ? ` (${by.address})` : ", who has left,"} ${what}`;
    set($("who"), all.length < 2 ? "" : `${all.length} look at this, you are viewer ${you}` + (state < 0 ? "" : `; ${who}`));
  };
  const showTopics = () => {
    const status = history[history.length - 1], then = history[0], late = (performance.now() - told) / 1000;
    for (const [topic, entry] of topics) {
      let [count, rate, last] = [entry.isOn ? String(entry.count) : "\u2013", null, ""];
      const find = one => one && one.topics.find(other => other.name === topic), found = find(status);
      if (status) {
        const before = find(then), span = status.now - then.now;
        count = String(found ? found.messages : 0);
        if (found && span > 0) rate = (found.messages - (before ? before.messages : 0)) / span;
        if (found && found.last !== null) last = ago(status.now + (ended ? 0 : late) - found.last);
      } else if (entry.recent.length) {
        const times = entry.recent.filter(time => time > now - 5);
        if (times.length > 1) rate = (times.length - 1) / (times[times.length - 1] - times[0]);
        last = ago(now - entry.recent[entry.recent.length - 1]);
      }
      const texts = [count, rate === null || !isFinite(rate) ? "" : rate >= 10 ? rate.toFixed(0) + " Hz" : rate.toFixed(1) + " Hz", last];
      texts.forEach((text, index) => set(entry.cells[index], text));
    }
    set($("since"), since === null ? "" : `since ${minutes(since)}`);
  };

  // The play bar.
  const write = seconds => {
    const text = minutes(seconds) + " of " + minutes(+$("place").max);
    $("clock").value = text;
    $("place").setAttribute("aria-valuetext", text);
  };
  const clock = nanoseconds => {
    now = Math.max(0, Number(nanoseconds - begin) / 1e9);
    if (drags || state < 0) return;
    $("place").value = now;
    write(now);
  };
  const jump = () => {
    world.jumps = true;
    world.before = null;
    panels.jump();
    // What is counted is of this place on.
    since = now;
    for (const entry of topics.values()) Object.assign(entry, { count: 0, recent: [] });
  };
  const frame = data => {
    const view = new DataView(data), kind = view.getUint8(0);
    if (kind === 1) {
      const entry = mine.get(view.getUint32(1, true));
      if (!entry) return;
      const { topic, schemaName } = entry.channel, stamp = view.getBigUint64(5, true);
      if (!begin) begin = stamp;
      const seconds = Number(stamp - begin) / 1e9;
      if (state < 0) now = Math.max(now, seconds);
      entry.count++;
      entry.recent.push(seconds);
      if (entry.recent.length > 1000) entry.recent = entry.recent.slice(-500);
      try {
        if (show[schemaName]) show[schemaName](reader(new Uint8Array(data, 13)), topic, seconds);
      } catch (error) {
        panels.problem(topic, error);
      }
    } else if (kind === 2 && state >= 0) clock(view.getBigUint64(1, true));
    else if (kind === 5) {
      state = view.getUint8(1);
      $("play").textContent = isPlaying() ? "Pause" : "Play";
      clock(view.getBigUint64(2, true));
      if (view.getUint8(14)) jump();
      const speed = +view.getFloat32(10, true).toFixed(3), select = $("speed");
      if (![...select.options].some(option => +option.value === speed)) select.add(new Option(speed, speed));
      for (const option of select.options) option.selected = +option.value === speed;
    }
  };
  const ask = (plays, seconds) => {
    if (!isOpen()) return;
    asked = performance.now();
    const id = new TextEncoder().encode("page" + requests++), out = new DataView(new ArrayBuffer(19 + id.length));
    out.setUint8(0, 3);
    out.setUint8(1, plays ? 0 : 1);
    out.setFloat32(2, +$("speed").value, true);
    if (seconds !== undefined) {
      out.setUint8(6, 1);
      out.setBigUint64(7, begin + BigInt(Math.round(seconds * 1e9)), true);
    }
    out.setUint32(15, id.length, true);
    new Uint8Array(out.buffer).set(id, 19);
    socket.send(out.buffer);
  };
  $("play").addEventListener("click", () => ask(!isPlaying(), state === 3 ? 0 : undefined));
  // While it is dragged it shows places on the way, five a second.
  $("place").addEventListener("input", () => {
    drags = true;
    write(+$("place").value);
    if (performance.now() - asked > 200) ask(isPlaying(), +$("place").value);
  });
  $("place").addEventListener("change", () => {
    drags = false;
    ask(isPlaying(), +$("place").value);
  });
  $("speed").addEventListener("change", () => ask(isPlaying()));
  const showKeys = () => { if (!$("keys").open) $("keys").showModal(); };
  $("ask").addEventListener("click", showKeys);
  addEventListener("keydown", event => {
    const isField = event.target.id === "secret" || $("keys").open;
    if (event.key === "?" && !isField) showKeys();
    const way = { ArrowLeft: -1, ArrowRight: 1, ",": -1, ".": 1 }[event.key];
    // The arrows turn the map where that is what the keys are for.
    const isTaken = event.key.length > 1 && /^(CANVAS|INPUT|SELECT)$/.test(event.target.tagName);
    if (way && !isField && !isTaken && !$("player").hidden) {
      event.preventDefault();
      const most = +$("place").max, place = Math.max(0, Math.min(most, +$("place").value + way * Math.min(5, most / 20)));
      $("place").value = place;
      write(place);
      ask(isPlaying(), place);
    }
    if (event.key !== " " || isField || /^(BUTTON|SELECT)$/.test(event.target.tagName) || event.target.type === "checkbox") return;
    event.preventDefault();
    if (!$("player").hidden) $("play").click();
  });

  const update = () => {
    whole.place();
    showTopics();
    tell();
  };
  setInterval(update, 250);
  addEventListener("resize", panels.later);
  $("token").addEventListener("submit", event => {
    event.preventDefault();
    token = $("secret").value;
    $("token").hidden = true;
    connect();
  });
  const askForToken = text => {
    line = text;
    $("token").hidden = false;
    update();
  };
  const connect = () => {
    line = "Connecting";
    opened = false;
    const query = token === null ? location.search : "?token=" + encodeURIComponent(token);
    socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/" + query, ["foxglove.sdk.v1"]);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      opened = true;
      line = "Connected";
      problem = "";
      update();
    };
    socket.onmessage = event => {
      if (typeof event.data !== "string") return frame(event.data);
      const message = JSON.parse(event.data);
      if (Object.hasOwn(texts, message.op)) texts[message.op](message);
    };
    socket.onclose = () => {
      mine.clear();
      problem = "";
      if (needsToken && !opened) return askForToken("Not connected: the server asks for another token, or is not there");
      line = opened ? "The connection was lost; trying again" : "Not connected: the server is not there, or refuses this page; trying again";
      update();
      setTimeout(connect, 3000);
    };
    update();
  };
  if (needsToken && !new URLSearchParams(location.search).has("token")) askForToken("This server asks for its token");
  else connect();
})();
