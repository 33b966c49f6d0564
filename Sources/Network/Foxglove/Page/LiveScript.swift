/// The script of the live page: Foxglove's protocol, CDR of the types that are shown, frames, and the play bar.
enum LiveScript {
    static let text = """
        (()=>{
        const $=id=>document.getElementById(id),scene=makeScene($("map"));
        const T="tf2_msgs/msg/TFMessage",P="geometry_msgs/msg/PoseStamped",O="nav_msgs/msg/Odometry",
        C="sensor_msgs/msg/PointCloud2",I="sensor_msgs/msg/CompressedImage";
        let socket,channels=new Map(),mine=new Map(),counts=new Map(),nextId=1,info={},tree=new Map(),fixed="map";
        let poseTopic=null,drags=false,jumps=true,begin=0n,end=0n,requests=0,plays=false,rows=new Map();
        // CDR, little endian (OMG DDS-XTypes 7.4.3): alignment counts from behind the four bytes of its header.
        const reader=data=>{let at=4;const v=new DataView(data.buffer,data.byteOffset,data.byteLength);
        const align=n=>{at+=(n-(at-4)%n)%n;};
        const r={u8:()=>v.getUint8(at++),u32(){align(4);at+=4;return v.getUint32(at-4,true);},
        f64(){align(8);at+=8;return v.getFloat64(at-8,true);},
        text(){const n=r.u32();at+=n;return new TextDecoder().decode(data.subarray(at-n,at-1));},
        bytes(){const n=r.u32();at+=n;return data.subarray(at-n,at);},
        header(){r.u32();r.u32();return r.text();},
        vector:()=>[r.f64(),r.f64(),r.f64()],quaternion:()=>[r.f64(),r.f64(),r.f64(),r.f64()]};return r;};
        const turned=(q,p)=>{const[x,y,z,w]=q,[a,b,c]=p,i=2*(y*c-z*b),j=2*(z*a-x*c),k=2*(x*b-y*a);
        return[a+w*i+y*k-z*j,b+w*j+z*i-x*k,c+w*k+x*j-y*i];};
        const times=(q,p)=>[q[3]*p[0]+q[0]*p[3]+q[1]*p[2]-q[2]*p[1],q[3]*p[1]-q[0]*p[2]+q[1]*p[3]+q[2]*p[0],
        q[3]*p[2]+q[0]*p[1]-q[1]*p[0]+q[2]*p[3],q[3]*p[3]-q[0]*p[0]-q[1]*p[1]-q[2]*p[2]];
        // From a frame into the fixed one; null where the tree does not lead there.
        const place=frame=>{let t=[0,0,0],q=[0,0,0,1],name=frame;
        for(let n=0;n<50;n++){if(name===fixed)return{t,q};const up=tree.get(name);if(!up)return null;
        t=turned(up.q,t).map((x,i)=>x+up.t[i]);q=times(up.q,q);name=up.parent;}return null;};
        const show={
        [T](r){for(let n=r.u32();n>0;n--){const parent=r.header(),child=r.text();
        tree.set(child,{parent,t:r.vector(),q:r.quaternion()});}},
        [P](r){step(r.header(),r);},[O](r){const frame=r.header();r.text();step(frame,r);},
        [I](r){const frame=r.header(),kind=r.text();if(/compressedDepth/.test(kind))return;
        const image=$("image"),old=image.src;image.src=URL.createObjectURL(new Blob([r.bytes()]));
        image.alt="image of "+frame;if(old.startsWith("blob:"))setTimeout(()=>URL.revokeObjectURL(old),500);
        // Upright by gravity: the world's up as it lies in the optical frame.
        const at=place(frame);let turn=0;if(at){const[x,y]=turned([-at.q[0],-at.q[1],-at.q[2],at.q[3]],[0,0,1]);
        turn=Math.abs(y)>=Math.abs(x)?(y<0?0:180):(x>0?-90:90);}
        image.style.transform=turn?`rotate(${turn}deg)`:"";},
        [C](r,whole){const at=place(r.header());if(!at)return;const n=r.u32()*r.u32(),f={};
        for(let k=r.u32();k>0;k--){const name=r.text(),offset=r.u32(),type=r.u8();r.u32();f[name]={offset,type};}
        const big=r.u8(),step=r.u32();r.u32();const data=r.bytes();
        if(big||!f.x||!f.y||!f.z||f.x.type!==7||step<12)return;
        const v=new DataView(data.buffer,data.byteOffset,data.byteLength),every=Math.max(1,Math.ceil(n/60000));
        const out=new DataView(new ArrayBuffer(16*Math.ceil(n/every)));let m=0;
        for(let i=0;i<n;i+=every){const o=i*step;if(o+step>data.byteLength)break;
        const p=[v.getFloat32(o+f.x.offset,true),v.getFloat32(o+f.y.offset,true),v.getFloat32(o+f.z.offset,true)];
        if(!isFinite(p[0]+p[1]+p[2]))continue;const w=turned(at.q,p);
        for(let k=0;k<3;k++)out.setFloat32(16*m+4*k,w[k]+at.t[k],true);
        const rgb=f.rgb?v.getUint32(o+f.rgb.offset,true):0xb0b0b0;
        out.setUint8(16*m+12,rgb>>16&255);out.setUint8(16*m+13,rgb>>8&255);out.setUint8(16*m+14,rgb&255);m++;}
        scene.add(out.buffer.slice(0,16*m));}};
        const step=(frame,r)=>{const p=r.vector(),q=r.quaternion();if(!tree.size)fixed=frame;const at=place(frame);
        // A body looks along its x axis (REP-103).
        if(at){scene.step(turned(at.q,p).map((x,i)=>x+at.t[i]),turned(times(at.q,q),[1,0,0]),jumps);jumps=false;}};
        const subscribe=list=>{const all=list.filter(c=>![...mine.values()].includes(c)).map(c=>{const id=nextId++;
        mine.set(id,c);return{id,channelId:c.id};});
        if(all.length)socket.send(JSON.stringify({op:"subscribe",subscriptions:all}));};
        const unsubscribe=channel=>{for(const[id,c]of mine)if(c===channel){mine.delete(id);
        socket.send(JSON.stringify({op:"unsubscribe",subscriptionIds:[id]}));}};
        // One image and one cloud at a time: nobody else has to be computed.
        const choices=(select,type)=>{const known=new Set([...select.options].map(o=>o.value));
        for(const c of channels.values())if(c.schemaName===type&&!known.has(c.topic))select.add(new Option(c.topic,c.topic));
        if(!select.dataset.has){select.dataset.has="1";select.addEventListener("change",()=>{
        for(const c of channels.values())if(c.schemaName===type)unsubscribe(c);choose(select,type);});}
        choose(select,type);};
        const choose=(select,type)=>subscribe([...channels.values()].filter(c=>c.schemaName===type&&c.topic===select.value));
        const texts={
        serverInfo(m){info=m;$("name").textContent=m.name;document.title=m.name;channels.clear();mine.clear();tree.clear();
        const ns=t=>BigInt(t.sec)*1000000000n+BigInt(t.nsec);
        if((m.capabilities||[]).includes("playbackControl")){begin=ns(m.dataStartTime);end=ns(m.dataEndTime);
        $("place").max=Number(end-begin)/1e9;$("player").hidden=false;}else $("player").hidden=true;},
        advertise(m){for(const c of m.channels){channels.set(c.id,c);if(!rows.has(c.topic)){
        const row=$("topics").insertRow();row.insertCell().textContent=c.topic;rows.set(c.topic,row.insertCell());}}
        poseTopic=poseTopic||[O,P].map(t=>[...channels.values()].find(c=>c.schemaName===t)).find(c=>c)||null;
        subscribe([...channels.values()].filter(c=>c.schemaName===T||poseTopic&&c.topic===poseTopic.topic));
        choices($("images"),I);choices($("clouds"),C);},
        unadvertise(m){for(const id of m.channelIds)channels.delete(id);},
        status(m){$("status").textContent=m.message;},removeStatus(){$("status").textContent="connected";}};
        const clock=ns=>{const s=Number(ns-begin)/1e9;if(!drags)$("place").value=s;$("clock").value=s.toFixed(1)+" s";};
        const frame=data=>{const v=new DataView(data);
        if(v.getUint8(0)===1){const c=mine.get(v.getUint32(1,true));if(!c)return;
        counts.set(c.topic,(counts.get(c.topic)||0)+1);
        try{show[c.schemaName](reader(new Uint8Array(data,13)));}catch(e){$("status").textContent=c.topic+": "+e.message;}}
        else if(v.getUint8(0)===2&&begin)clock(v.getBigUint64(1,true));
        else if(v.getUint8(0)===5){plays=v.getUint8(1)===0;$("play").textContent=plays?"Pause":"Play";
        $("play").setAttribute("aria-pressed",plays);clock(v.getBigUint64(2,true));
        if(v.getUint8(14))jumps=true;
        const speed=+v.getFloat32(10,true).toFixed(3),select=$("speed");
        if(![...select.options].some(o=>+o.value===speed))select.add(new Option(speed,speed));
        for(const o of select.options)o.selected=+o.value===speed;}};
        const ask=(play,place)=>{const id=new TextEncoder().encode("page"+requests++),b=new DataView(new ArrayBuffer(19+id.length));
        b.setUint8(0,3);b.setUint8(1,play?0:1);b.setFloat32(2,+$("speed").value,true);
        if(place!==undefined){b.setUint8(6,1);b.setBigUint64(7,begin+BigInt(Math.round(place*1e9)),true);}
        b.setUint32(15,id.length,true);new Uint8Array(b.buffer).set(id,19);socket.send(b.buffer);};
        $("play").addEventListener("click",()=>{const e=+$("place").max;
        ask(!plays,!plays&&+$("place").value>=e-0.01?0:undefined);});
        $("place").addEventListener("input",()=>{drags=true;$("clock").value=(+$("place").value).toFixed(1)+" s";});
        $("place").addEventListener("change",()=>{drags=false;ask(plays,+$("place").value);});
        $("speed").addEventListener("change",()=>ask(plays));
        addEventListener("keydown",e=>{if(e.key===" "&&!/^(BUTTON|SELECT)$/.test(e.target.tagName)){e.preventDefault();
        $("play").click();}});
        setInterval(()=>{for(const[topic,cell]of rows)cell.textContent=counts.get(topic)||0;},500);
        const connect=()=>{socket=new WebSocket((location.protocol==="https:"?"wss://":"ws://")+location.host+"/"+location.search,
        ["foxglove.sdk.v1"]);socket.binaryType="arraybuffer";
        socket.onopen=()=>{$("status").textContent="connected";};
        socket.onmessage=e=>{if(typeof e.data==="string"){const m=JSON.parse(e.data);if(texts[m.op])texts[m.op](m);}
        else frame(e.data);};
        socket.onclose=()=>{$("status").textContent="not connected";setTimeout(connect,3000);};};
        connect();})();
        """
}
