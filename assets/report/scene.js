// Draws one frame with WebGL2: the robot in one call, its shadow, and a checkered floor that fades into the sky.

const BODY = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 3) in float body;
uniform highp sampler2D poses; // one row per body: position, then quaternion (x, y, z, w)
uniform mat4 view, light;
out vec3 vPoint, vNormal, vColor;
out vec4 vLight;
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  vec3 at = texelFetch(poses, ivec2(0, int(body)), 0).xyz;
  vec4 q = texelFetch(poses, ivec2(1, int(body)), 0);
  vPoint = at + turn(q, position);
  vNormal = turn(q, normal);
  vColor = color;
  vLight = light * vec4(vPoint, 1.0);
  gl_Position = view * vec4(vPoint, 1.0);
}`;

const FLOOR = `#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 view, light;
uniform vec3 center;
uniform float reach;
out vec3 vPoint;
out vec4 vLight;
void main() {
  vPoint = center + vec3(corner * reach, 0.0);
  vLight = light * vec4(vPoint, 1.0);
  gl_Position = view * vec4(vPoint, 1.0);
}`;

const LIT = `
precision highp float;
uniform highp sampler2DShadow shadow;
uniform vec3 sun, eye;
in vec4 vLight;
float sunlit() {
  vec3 at = vLight.xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      sum += texture(shadow, vec3(at.xy + vec2(x, y) * 1.3 / 1024.0, at.z - 0.002));
  return sum / 9.0;
}`;

const BODY_COLOR = `#version 300 es
${LIT}
in vec3 vPoint, vNormal, vColor;
out vec4 pixel;
void main() {
  vec3 n = normalize(vNormal), toEye = normalize(eye - vPoint);
  float direct = max(dot(n, sun), 0.0) * sunlit();
  float sky = 0.5 + 0.5 * n.z;
  float shine = pow(max(dot(n, normalize(sun + toEye)), 0.0), 40.0) * direct;
  float rim = pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
  vec3 color = vColor * (0.32 + 0.33 * sky + 0.55 * direct) + 0.18 * shine + 0.08 * rim * sky;
  pixel = vec4(color, 1.0);
}`;

const FLOOR_COLOR = `#version 300 es
${LIT}
uniform vec3 light1, light2, line, far;
uniform vec2 fade;
in vec3 vPoint;
out vec4 pixel;
// Tiles of one meter, averaged where a pixel covers many of them.
float tiles(vec2 p, vec2 w) {
  vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
  return 0.5 - 0.5 * i.x * i.y;
}
void main() {
  vec2 w = max(fwidth(vPoint.xy), 1e-4);
  vec3 color = mix(light1, light2, tiles(vPoint.xy, w));
  vec2 edge = abs(fract(vPoint.xy + 0.5) - 0.5);
  vec2 near = 1.0 - smoothstep(vec2(0.008), vec2(0.008) + w, edge);
  color = mix(color, line, max(near.x, near.y) * clamp(0.04 / max(w.x, w.y), 0.0, 1.0));
  color *= 0.68 + 0.32 * sunlit();
  float distance = length(vPoint.xy - eye.xy);
  pixel = vec4(mix(color, far, smoothstep(fade.x, fade.y, distance)), 1.0);
}`;

const SHADE = `#version 300 es
precision highp float;
void main() {}`;

const SHADOW_SIZE = 1024;
const SUN = unit([-0.35, -0.5, 1.0]);
const DAY = {
  sky: [0.93, 0.955, 0.98], light1: [0.87, 0.895, 0.915], light2: [0.82, 0.845, 0.875], line: [0.94, 0.955, 0.965],
};
const NIGHT = {
  sky: [0.085, 0.1, 0.125], light1: [0.2, 0.225, 0.26], light2: [0.16, 0.185, 0.22], line: [0.27, 0.295, 0.335],
};

function unit(v) {
  const length = Math.hypot(...v);
  return v.map((x) => x / length);
}
const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// Matrices are lists of 16 numbers, column by column.
function times(a, b) {
  const out = new Array(16).fill(0);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

function lookAt(eye, target) {
  const back = unit(minus(eye, target));
  const right = unit(cross([0, 0, 1], back));
  const up = cross(back, right);
  const rows = [right, up, back];
  return [0, 1, 2, 3].flatMap((c) =>
    c < 3 ? [...rows.map((row) => row[c]), 0] : [...rows.map((row) => -dot(row, eye)), 1]);
}

function perspective(fovy, aspect, near, far) {
  const f = 1 / Math.tan((fovy * Math.PI) / 360);
  const depth = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * depth, -1, 0, 0, 2 * far * near * depth, 0];
}

function orthographic(half, near, far) {
  return [1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];
}

function program(gl, vertex, fragment) {
  const linked = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(linked, shader);
  }
  gl.linkProgram(linked);
  if (!gl.getProgramParameter(linked, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(linked));
  const at = {};
  for (let i = 0; i < gl.getProgramParameter(linked, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(linked, i);
    at[name] = gl.getUniformLocation(linked, name);
  }
  return { linked, at };
}

function vertices(gl, numbers, sizes) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
  const stride = 4 * sizes.reduce((sum, size) => sum + size);
  sizes.reduce((offset, size, i) => {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, size, gl.FLOAT, false, stride, offset);
    return offset + 4 * size;
  }, 0);
  return array;
}

// Returns draw({ poses, eye, target, fovy, night }), or throws if the browser has no WebGL2.
function scene(canvas, { shapes, floor, extent }) {
  const gl = canvas.getContext("webgl2", { antialias: true });
  if (!gl) throw new Error("it does not support WebGL2");
  const robot = program(gl, BODY, BODY_COLOR);
  const ground = program(gl, FLOOR, FLOOR_COLOR);
  const shade = program(gl, BODY, SHADE);
  const corners = bake(shapes);
  const robotArray = vertices(gl, corners, [3, 3, 3, 1]);
  const floorArray = vertices(gl, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), [2]);

  const texture = (unit, width, height, form, compare) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, form, width, height);
    const filter = compare ? gl.LINEAR : gl.NEAREST;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    if (compare) gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    return gl.getParameter(gl.TEXTURE_BINDING_2D);
  };
  const bodies = 1 + Math.max(0, ...shapes.map((shape) => shape.body));
  texture(0, 2, bodies, gl.RGBA32F);
  const depth = texture(1, SHADOW_SIZE, SHADOW_SIZE, gl.DEPTH_COMPONENT24, true);
  const shadow = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, shadow);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
  gl.enable(gl.DEPTH_TEST);

  return ({ poses, eye, target, fovy, night }) => {
    const theme = night ? NIGHT : DAY;
    const reach = 60 * extent;
    const half = 1.1 * extent;
    const away = SUN.map((x, i) => target[i] + 4 * half * x);
    const light = times(orthographic(half, 0.1 * half, 10 * half), lookAt(away, target));
    const aspect = canvas.width / canvas.height;
    const view = times(perspective(fovy, aspect, 0.02 * extent, 2 * reach), lookAt(eye, target));
    gl.activeTexture(gl.TEXTURE0);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 2, bodies, gl.RGBA, gl.FLOAT, poses);

    const use = ({ linked, at }, matrix) => {
      gl.useProgram(linked);
      gl.uniformMatrix4fv(at.view, false, matrix);
      gl.uniformMatrix4fv(at.light ?? null, false, light);
      gl.uniform1i(at.poses ?? null, 0);
      gl.uniform1i(at.shadow ?? null, 1);
      gl.uniform3fv(at.sun ?? null, SUN);
      gl.uniform3fv(at.eye ?? null, eye);
      return at;
    };
    const drawRobot = () => {
      gl.bindVertexArray(robotArray);
      gl.drawArrays(gl.TRIANGLES, 0, corners.length / CORNER);
    };

    // First what the sun sees, for the shadow.
    gl.bindFramebuffer(gl.FRAMEBUFFER, shadow);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    use(shade, light);
    drawRobot();

    // Then what the camera sees.
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...theme.sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    use(robot, view);
    drawRobot();
    if (floor === null) return;
    const at = use(ground, view);
    gl.uniform3f(at.center, target[0], target[1], floor);
    gl.uniform1f(at.reach, reach);
    gl.uniform2f(at.fade, 6 * extent, 28 * extent);
    for (const name of ["light1", "light2", "line"]) gl.uniform3fv(at[name], theme[name]);
    gl.uniform3fv(at.far, theme.sky);
    gl.bindVertexArray(floorArray);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  };
}
