// Meshes of MuJoCo's primitive shapes. A mesh is a list of triangles: [x, y, z, nx, ny, nz] per corner, in the shape's
// own frame, with its size built in.

const AROUND = 40; // corners of a circle
const QUARTER = 10; // steps from a pole to the equator

// A surface of revolution about z. `profile` lists [radius, z, normal's radius, normal's z] from the bottom up.
function revolve(profile) {
  const corner = ([r, z, nr, nz], i) => {
    const angle = (2 * Math.PI * i) / AROUND;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [r * c, r * s, z, nr * c, nr * s, nz];
  };
  const mesh = [];
  for (let k = 0; k + 1 < profile.length; k++) {
    for (let i = 0; i < AROUND; i++) {
      const [a, b] = [corner(profile[k], i), corner(profile[k], i + 1)];
      const [c, d] = [corner(profile[k + 1], i + 1), corner(profile[k + 1], i)];
      mesh.push(a, b, c, a, c, d);
    }
  }
  return mesh;
}

// The profile of half a sphere, moved to z = side * half. `side` is -1 for the lower half and 1 for the upper one.
function halfSphere(radius, half, side) {
  const rows = [];
  for (let k = 0; k <= QUARTER; k++) {
    const angle = (Math.PI / 2) * (side < 0 ? k / QUARTER - 1 : k / QUARTER);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    rows.push([radius * c, radius * s + side * half, c, s]);
  }
  return rows;
}

function capsule([radius, half]) {
  return revolve([...halfSphere(radius, half, -1), ...halfSphere(radius, half, 1)]);
}

function cylinder([radius, half]) {
  const edge = (z, nr, nz) => [radius, z, nr, nz];
  const middle = (z, nz) => [0, z, 0, nz];
  const [bottom, top] = [-half, half];
  return [
    ...revolve([middle(bottom, -1), edge(bottom, 0, -1)]),
    ...revolve([edge(bottom, 1, 0), edge(top, 1, 0)]),
    ...revolve([edge(top, 0, 1), middle(top, 1)]),
  ];
}

// A stretched sphere. Its normals shrink along the axes in which it is stretched.
function ellipsoid([x, y, z]) {
  return capsule([1, 0]).map(([px, py, pz, nx, ny, nz]) => {
    const normal = [nx / x, ny / y, nz / z];
    const length = Math.hypot(...normal);
    return [px * x, py * y, pz * z, ...normal.map((n) => n / length)];
  });
}

function box([x, y, z]) {
  const mesh = [];
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      const corner = (u, v) => {
        const point = [0, 0, 0];
        const normal = [0, 0, 0];
        point[axis] = normal[axis] = side;
        point[(axis + 1) % 3] = u * side;
        point[(axis + 2) % 3] = v;
        return [point[0] * x, point[1] * y, point[2] * z, ...normal];
      };
      const [a, b, c, d] = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
      mesh.push(a, b, c, a, c, d);
    }
  }
  return mesh;
}

const MESHES = { capsule, cylinder, ellipsoid, box, sphere: ([radius]) => capsule([radius, 0]) };

// Rotates v by the quaternion (w, x, y, z).
function turn([w, x, y, z], [a, b, c]) {
  const [p, q, r] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p];
}

// All shapes in one list of corners: position and normal in the body's frame, color, index of the body.
const CORNER = 10;
function bake(shapes) {
  const corners = [];
  for (const shape of shapes) {
    const color = shape.rgba.slice(0, 3);
    for (const corner of MESHES[shape.kind](shape.size)) {
      const at = turn(shape.quat, corner.slice(0, 3)).map((x, i) => x + shape.pos[i]);
      corners.push(...at, ...turn(shape.quat, corner.slice(3)), ...color, shape.body);
    }
  }
  return new Float32Array(corners);
}
