/// The picture of the map: a ring of points, the way, and the camera, by WebGL 2.
enum LiveScene {
    static let script = """
        "use strict";
        const makeScene=canvas=>{
        const most=800000,gl=canvas.getContext("webgl2",{antialias:true,preserveDrawingBuffer:true});
        let count=0,next=0,way=[],camera=null,waiting=false,follows=true;
        const start={turn:0.7,up:0.5,far:5,at:[0,0,0]};let s={...start},faces=false;
        const scene={count:()=>count,wayLength:()=>way.length,works:!!gl};
        if(!gl)return{...scene,add(){},step(){},clear(){},draw(){}};
        const make=(type,source)=>{const r=gl.createShader(type);gl.shaderSource(r,source);gl.compileShader(r);return r;};
        const program=gl.createProgram();
        gl.attachShader(program,make(gl.VERTEX_SHADER,`#version 300 es
        in vec3 p;in vec4 c;uniform float turn,up,far,aspect,size;uniform vec3 at;out vec4 colour;
        void main(){vec3 q=p-at;float st=sin(turn),ct=cos(turn),su=sin(up),cu=cos(up);
        float r=q.x*ct-q.y*st,a=q.x*st+q.y*ct,h=q.z*cu+a*su,z=far+a*cu-q.z*su;
        gl_Position=vec4(r*2.2/aspect,h*2.2,z-0.05,z);gl_PointSize=clamp(size/max(z,0.05),1.0,8.0);colour=c;}`));
        gl.attachShader(program,make(gl.FRAGMENT_SHADER,`#version 300 es
        precision mediump float;in vec4 colour;out vec4 o;void main(){o=vec4(colour.rgb,1.0);}`));
        gl.linkProgram(program);gl.useProgram(program);
        const u={};for(const n of["turn","up","far","aspect","size","at"])u[n]=gl.getUniformLocation(program,n);
        const p=gl.getAttribLocation(program,"p"),c=gl.getAttribLocation(program,"c");
        const layout=bytes=>{const array=gl.createVertexArray(),buffer=gl.createBuffer();gl.bindVertexArray(array);
        gl.bindBuffer(gl.ARRAY_BUFFER,buffer);gl.bufferData(gl.ARRAY_BUFFER,bytes,gl.DYNAMIC_DRAW);
        gl.enableVertexAttribArray(p);gl.vertexAttribPointer(p,3,gl.FLOAT,false,16,0);
        gl.enableVertexAttribArray(c);gl.vertexAttribPointer(c,4,gl.UNSIGNED_BYTE,true,16,12);return{array,buffer};};
        const points=layout(16*most),lines=layout(16*20000);
        gl.enable(gl.DEPTH_TEST);gl.clearColor(0.078,0.094,0.114,1);
        const vertex=(view,i,q,rgb)=>{for(let k=0;k<3;k++)view.setFloat32(16*i+4*k,q[k],true);
        view.setUint32(16*i+12,rgb,true);};
        const draw=()=>{waiting=false;const w=canvas.clientWidth,h=canvas.clientHeight,r=window.devicePixelRatio||1;
        if(canvas.width!==Math.round(w*r)||canvas.height!==Math.round(h*r)){canvas.width=Math.round(w*r);
        canvas.height=Math.round(h*r);}
        gl.viewport(0,0,canvas.width,canvas.height);gl.clear(gl.COLOR_BUFFER_BIT|gl.DEPTH_BUFFER_BIT);
        if(follows&&camera)s.at=camera.slice();
        gl.uniform1f(u.turn,s.turn);gl.uniform1f(u.up,s.up);gl.uniform1f(u.far,s.far);gl.uniform3fv(u.at,s.at);
        gl.uniform1f(u.aspect,canvas.width/Math.max(1,canvas.height));gl.uniform1f(u.size,0.035*canvas.height);
        gl.bindVertexArray(points.array);gl.drawArrays(gl.POINTS,0,count);
        const step=Math.max(1,Math.ceil(way.length/19990)),shown=way.filter((_,i)=>i%step===0||i===way.length-1);
        const view=new DataView(new ArrayBuffer(16*Math.max(1,shown.length)));
        shown.forEach((q,i)=>vertex(view,i,q,0x33ccff));
        gl.bindVertexArray(lines.array);gl.bindBuffer(gl.ARRAY_BUFFER,lines.buffer);
        gl.bufferSubData(gl.ARRAY_BUFFER,0,view);gl.drawArrays(gl.LINE_STRIP,0,shown.length);
        if(camera){const one=new DataView(new ArrayBuffer(16));vertex(one,0,camera,0x3050ff);
        gl.uniform1f(u.size,0.2*canvas.height);gl.bufferSubData(gl.ARRAY_BUFFER,0,one);gl.drawArrays(gl.POINTS,0,1);}
        canvas.dataset.points=count;canvas.dataset.way=way.length;};
        const change=()=>{if(!waiting){waiting=true;requestAnimationFrame(draw);}};
        const turn=(a,b)=>{s.turn+=a;s.up=Math.max(-1.55,Math.min(1.55,s.up+b));change();};
        const near=f=>{s.far=Math.max(0.2,Math.min(2000,s.far*f));change();};
        const move=(a,b)=>{const k=s.far/500;follows=false;s.at=[s.at[0]-a*Math.cos(s.turn)*k,
        s.at[1]+a*Math.sin(s.turn)*k,s.at[2]+b*k];change();};
        const touches=new Map();let spread=0;
        canvas.addEventListener("pointerdown",e=>{canvas.setPointerCapture(e.pointerId);
        touches.set(e.pointerId,[e.clientX,e.clientY]);spread=0;});
        for(const n of["pointerup","pointercancel"])canvas.addEventListener(n,e=>touches.delete(e.pointerId));
        canvas.addEventListener("pointermove",e=>{const last=touches.get(e.pointerId);if(!last)return;
        const a=e.clientX-last[0],b=e.clientY-last[1];touches.set(e.pointerId,[e.clientX,e.clientY]);
        if(touches.size===2){const[g,q]=[...touches.values()],now=Math.hypot(g[0]-q[0],g[1]-q[1]);
        if(spread)near(spread/Math.max(1,now));spread=now;}
        else if(e.shiftKey||e.buttons===4)move(a,b);else turn(a*0.006,b*0.006);});
        canvas.addEventListener("wheel",e=>{e.preventDefault();near(Math.exp(e.deltaY*0.001));},{passive:false});
        const clear=()=>{count=next=0;way=[];change();};
        canvas.addEventListener("keydown",e=>{const k={ArrowLeft:()=>turn(-0.1,0),ArrowRight:()=>turn(0.1,0),
        ArrowUp:()=>turn(0,0.1),ArrowDown:()=>turn(0,-0.1),"+":()=>near(0.85),"=":()=>near(0.85),"-":()=>near(1.18),
        f:()=>{follows=!follows;change();},x:clear,"0":()=>{s={...start};follows=true;change();}}[e.key];
        if(k){e.preventDefault();k();}});
        new ResizeObserver(change).observe(canvas);
        return{...scene,clear,draw:change,
        // Interleaved vertices of 16 bytes; the oldest points make room.
        add(bytes){const n=Math.min(most,bytes.byteLength/16|0);if(!n)return;
        gl.bindBuffer(gl.ARRAY_BUFFER,points.buffer);const first=Math.min(n,most-next);
        gl.bufferSubData(gl.ARRAY_BUFFER,16*next,new Uint8Array(bytes,0,16*first));
        if(n>first)gl.bufferSubData(gl.ARRAY_BUFFER,0,new Uint8Array(bytes,16*first,16*(n-first)));
        next=(next+n)%most;count=Math.min(most,count+n);change();},
        step(q,ahead,jumps){if(jumps)way=[];if(!faces){faces=true;s.turn=start.turn=Math.atan2(ahead[0],ahead[1]);}
        const last=way[way.length-1];camera=q;
        if(!last||Math.hypot(q[0]-last[0],q[1]-last[1],q[2]-last[2])>0.01)way.push(q);
        if(way.length>200000)way=way.filter((_,i)=>i%2===0);change();}};};
        """
}
