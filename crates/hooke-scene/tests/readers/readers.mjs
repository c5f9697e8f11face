// Validates Hooke's GLB exports with the Khronos validator and plays them in three.js.
//
// Usage: node readers.mjs FOLDER [EXPECTED.json]
//
// FOLDER is what `cargo run --example export_sample -- FOLDER` wrote; the expected numbers
// default to FOLDER/expected.json. Prints one line per check; exits with 1 if any fails.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AnimationMixer, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import validator from 'gltf-validator';

const SINGLE = 1e-6;
const MAX_FRAMES = 250;
let failures = 0;

function check(what, passed, detail = '') {
  if (!passed) failures += 1;
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
}

async function validate(bytes) {
  const report = await validator.validateBytes(bytes, { maxIssues: 100 });
  // Texture coordinates are there for the user's texture, which the file does not have.
  const issues = report.issues.messages.filter(
    ({ code, pointer }) => !(code === 'UNUSED_OBJECT' && pointer.endsWith('TEXCOORD_0')),
  );
  check('gltf-validator issues', issues.length === 0, issues.length === 0 ? 0 : JSON.stringify(issues));
}

/** Moves the animation to each key and compares every vertex. */
async function play(bytes, want) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const gltf = await new GLTFLoader().parseAsync(buffer, '');
  let mesh;
  gltf.scene.traverse((object) => {
    if (object.geometry) mesh = object;
  });
  const clip = gltf.animations[0];
  const frames = Math.min(want.times.length, MAX_FRAMES);
  const last = want.times.length - 1;
  check('three.js duration', Math.abs(clip.duration - want.times[last]) < SINGLE, clip.duration);
  const mixer = new AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  const found = new Vector3();
  let worst = 0;
  // The last key would wrap around to the first.
  for (let key = 0; key < frames - 1; key += 1) {
    const frame = Math.floor((key * last) / (frames - 1));
    mixer.setTime(want.times[frame]);
    for (let i = 0; i < want.positions[frame].length; i += 1) {
      if (mesh.isMesh) {
        mesh.getVertexPosition(i, found);
      } else {
        morphed(mesh, i, found);
      }
      const [x, y, z] = want.positions[frame][i];
      worst = Math.max(worst, found.distanceTo(new Vector3(x, y, z)));
    }
  }
  check('three.js positions at every key', worst < 1e-5, `largest error ${worst.toExponential(1)}`);
}

/** Lines and points lack `getVertexPosition`; the sum is the same. */
function morphed(object, i, found) {
  const { position } = object.geometry.attributes;
  const targets = object.geometry.morphAttributes.position;
  found.fromBufferAttribute(position, i);
  object.morphTargetInfluences.forEach((weight, t) => {
    found.addScaledVector(new Vector3().fromBufferAttribute(targets[t], i), weight);
  });
}

const [folder, expected = join(folder, 'expected.json')] = process.argv.slice(2);
for (const want of JSON.parse(readFileSync(expected, 'utf8'))) {
  console.log(`-- ${want.name}`);
  const bytes = new Uint8Array(readFileSync(join(folder, `${want.name}.glb`)));
  await validate(bytes);
  await play(bytes, want);
}
console.log(`${failures} checks failed`);
process.exit(failures > 0 ? 1 : 0);
