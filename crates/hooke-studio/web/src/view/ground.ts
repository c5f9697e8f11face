// A checkered floor that fades into the distance and takes shadows.

import { Color, Mesh, MeshStandardMaterial, PlaneGeometry } from "three";
import type { Backdrop } from "./colors";

export class Ground {
  readonly mesh: Mesh<PlaneGeometry, MeshStandardMaterial>;
  private readonly uniforms = {
    tile: { value: 0.25 },
    reach: { value: 4 },
    even: { value: new Color() },
    odd: { value: new Color() },
    far: { value: new Color() },
  };

  constructor() {
    const material = new MeshStandardMaterial({ roughness: 1, metalness: 0 });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vGroundPosition;")
        .replace(
          "#include <project_vertex>",
          "#include <project_vertex>\nvGroundPosition = (modelMatrix * vec4(transformed, 1.0)).xyz;",
        );
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "#include <common>",
          `#include <common>
          varying vec3 vGroundPosition;
          uniform float tile; uniform float reach;
          uniform vec3 even; uniform vec3 odd; uniform vec3 far;`,
        )
        .replace(
          "#include <color_fragment>",
          `vec2 cell = vGroundPosition.xz / tile;
          vec2 blur = max(fwidth(cell), 1e-5);
          vec2 wave = clamp((abs(fract(cell * 0.5) - 0.5) - 0.25) / blur * 2.0, -0.5, 0.5);
          float flatness = clamp(1.0 - max(blur.x, blur.y), 0.0, 1.0);
          float checker = 0.5 - 2.0 * wave.x * wave.y * flatness;
          diffuseColor.rgb = mix(even, odd, checker);`,
        )
        .replace(
          "#include <opaque_fragment>",
          `#include <opaque_fragment>
          float distant = smoothstep(0.25, 1.0, length(vGroundPosition.xz) / reach);
          gl_FragColor.rgb = mix(gl_FragColor.rgb, far, distant);`,
        );
    };
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.rotation.x = -Math.PI / 2;
    this.mesh.receiveShadow = true;
  }

  /** Fits the floor to a scene of this size (m), at this height (m). */
  fit(size: number, height: number): void {
    this.uniforms.tile.value = roundLength(size / 4);
    this.uniforms.reach.value = 9 * size;
    this.mesh.scale.setScalar(40 * size);
    this.mesh.position.y = height;
  }

  paint(backdrop: Backdrop): void {
    this.uniforms.even.value.set(backdrop.ground[0]);
    this.uniforms.odd.value.set(backdrop.ground[1]);
    this.uniforms.far.value.set(backdrop.background);
  }
}

function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(length, 1e-6)));
  return ([5, 2, 1].find((factor) => factor * power <= length) ?? 1) * power;
}
