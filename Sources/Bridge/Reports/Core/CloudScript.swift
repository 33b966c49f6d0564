/// The script that turns the cloud: WebGL 2, drawn only when something changes, fewer points while it moves, and after
/// everything else is on the screen.
enum CloudScript {
    static let text = """
        "use strict";requestAnimationFrame(()=>setTimeout(()=>{
        const view=document.getElementById("view"),canvas=document.getElementById("turn"),
        block=document.getElementById("points");if(!view||!canvas||!block)return;
        const gl=canvas.getContext("webgl2",{antialias:true,preserveDrawingBuffer:true});if(!gl)return;
        const d=canvas.dataset,count=+d.count,size=+d.size,reach=+d.reach;
        const text=block.textContent;let bytes;
        if(Uint8Array.fromBase64)bytes=Uint8Array.fromBase64(text);
        else{const s=atob(text);bytes=new Uint8Array(s.length);for(let i=0;i<s.length;i++)bytes[i]=s.charCodeAt(i);}
        const make=(type,source)=>{const s=gl.createShader(type);gl.shaderSource(s,source);gl.compileShader(s);return s;};
        const program=gl.createProgram();
        gl.attachShader(program,make(gl.VERTEX_SHADER,`#version 300 es
        in vec3 p;in float c;uniform float size,turn,up,far,focal,aspect,px,cut;uniform vec3 shift;out vec3 colour;
        void main(){vec3 w=(p-0.5)*size,q=w-shift;float st=sin(turn),ct=cos(turn),su=sin(up),cu=cos(up);
        float r=q.x*ct-q.y*st,a=q.x*st+q.y*ct,h=q.z*cu+a*su,z=far+a*cu-q.z*su;
        gl_Position=w.z>cut?vec4(2,2,2,1):vec4(r*focal/aspect,h*focal,z-0.05,z);gl_PointSize=clamp(0.02*focal*px/max(z,0.05),1.0,8.0);
        float v=floor(c+0.5);float red=floor(v/2048.0),green=floor((v-red*2048.0)/32.0);
        colour=vec3(red/31.0,green/63.0,(v-red*2048.0-green*32.0)/31.0);}`));
        gl.attachShader(program,make(gl.FRAGMENT_SHADER,`#version 300 es
        precision mediump float;in vec3 colour;out vec4 o;void main(){o=vec4(colour,1.0);}`));
        gl.linkProgram(program);if(!gl.getProgramParameter(program,gl.LINK_STATUS))return;
        gl.useProgram(program);const buffer=gl.createBuffer();gl.bindBuffer(gl.ARRAY_BUFFER,buffer);
        gl.bufferData(gl.ARRAY_BUFFER,bytes,gl.STATIC_DRAW);
        const at=(name,n,type,normal,offset)=>{const l=gl.getAttribLocation(program,name);
        gl.enableVertexAttribArray(l);gl.vertexAttribPointer(l,n,type,normal,8,offset);};
        at("p",3,gl.UNSIGNED_SHORT,true,0);at("c",1,gl.UNSIGNED_SHORT,false,6);
        const u={};for(const n of["size","turn","up","far","focal","aspect","px","cut","shift"])u[n]=gl.getUniformLocation(program,n);
        gl.enable(gl.DEPTH_TEST);gl.clearColor(0.078,0.094,0.114,1);view.classList.add("live");
        const start={turn:+d.turn,up:+d.up,far:reach*2.1,x:0,y:0,z:0,cut:true};let s={...start},waiting=false,rest=0;
        const draw=part=>{waiting=false;const w=canvas.clientWidth,h=canvas.clientHeight,r=window.devicePixelRatio||1;
        if(canvas.width!==Math.round(w*r)||canvas.height!==Math.round(h*r)){canvas.width=Math.round(w*r);
        canvas.height=Math.round(h*r);}
        gl.viewport(0,0,canvas.width,canvas.height);gl.clear(gl.COLOR_BUFFER_BIT|gl.DEPTH_BUFFER_BIT);
        gl.uniform1f(u.size,size);gl.uniform1f(u.turn,s.turn);gl.uniform1f(u.up,s.up);gl.uniform1f(u.far,s.far);
        gl.uniform1f(u.focal,2.2);gl.uniform1f(u.cut,s.cut?+d.cut:1e9);gl.uniform1f(u.aspect,canvas.width/Math.max(1,canvas.height));
        gl.uniform1f(u.px,canvas.height/2);gl.uniform3f(u.shift,s.x,s.y,s.z);
        gl.drawArrays(gl.POINTS,0,part?Math.min(count,60000):count);canvas.dataset.drawn=part?"part":"all";};
        const change=()=>{if(!waiting){waiting=true;requestAnimationFrame(()=>draw(count>60000));}
        clearTimeout(rest);rest=setTimeout(()=>draw(false),120);};
        const turn=(a,b)=>{s.turn+=a;s.up=Math.max(-1.55,Math.min(1.55,s.up+b));change();};
        const near=f=>{s.far=Math.max(0.1,Math.min(reach*20,s.far*f));change();};
        const move=(a,b)=>{const k=s.far/500;s.x-=(a*Math.cos(s.turn))*k;s.y-=(-a*Math.sin(s.turn))*k;s.z+=b*k;change();};
        const touches=new Map();let spread=0;
        canvas.addEventListener("pointerdown",e=>{canvas.setPointerCapture(e.pointerId);
        touches.set(e.pointerId,[e.clientX,e.clientY]);spread=0;});
        for(const n of["pointerup","pointercancel"])canvas.addEventListener(n,e=>touches.delete(e.pointerId));
        canvas.addEventListener("pointermove",e=>{const last=touches.get(e.pointerId);if(!last)return;
        const a=e.clientX-last[0],b=e.clientY-last[1];touches.set(e.pointerId,[e.clientX,e.clientY]);
        if(touches.size===2){const[p,q]=[...touches.values()],now=Math.hypot(p[0]-q[0],p[1]-q[1]);
        if(spread)near(spread/Math.max(1,now));spread=now;}
        else if(e.shiftKey||e.buttons===4)move(a,b);else turn(a*0.006,b*0.006);});
        canvas.addEventListener("wheel",e=>{if(document.activeElement!==canvas&&!e.ctrlKey)return;e.preventDefault();near(Math.exp(e.deltaY*0.001));},{passive:false});
        canvas.addEventListener("keydown",e=>{const k={ArrowLeft:()=>turn(-0.1,0),ArrowRight:()=>turn(0.1,0),
        ArrowUp:()=>turn(0,0.1),ArrowDown:()=>turn(0,-0.1),"+":()=>near(0.85),"=":()=>near(0.85),"-":()=>near(1.18),
        c:()=>{s.cut=!s.cut;change();},"0":()=>{s={...start};change();}}[e.key];if(k){e.preventDefault();k();}});
        new ResizeObserver(()=>draw(false)).observe(canvas);draw(false);}));
        """
}
