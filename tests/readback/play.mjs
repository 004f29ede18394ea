// SPDX-License-Identifier: MIT
// Plays the first animation of a GLB with three.js's mixer and says what moved.
// Usage: node play.mjs NODE_MODULES FILE ; one JSON line: {"seconds", "shapes": {"mesh.target": largest influence},
// "bones": {"name": largest turn from the first frame in degrees}}.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, file] = process.argv.slice(2)
const from = file => import(pathToFileURL(path.join(path.resolve(modules), file)))
globalThis.self = globalThis
globalThis.ProgressEvent = class {}
const three = await from('three/build/three.module.js')
const { GLTFLoader } = await from('three/examples/jsm/loaders/GLTFLoader.js')
const loader = new GLTFLoader()
loader.register(() => ({ name: 'no-pictures', loadTexture: () => Promise.resolve(new three.Texture()) }))
const bytes = readFileSync(file)
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
const gltf = await new Promise((resolve, reject) => loader.parse(data, '', resolve, reject))
const clip = gltf.animations[0]
const mixer = new three.AnimationMixer(gltf.scene)
mixer.clipAction(clip).play()
mixer.setTime(0)
const first = new Map()
gltf.scene.traverse(object => { if (object.isBone) first.set(object, object.quaternion.clone()) })
const shapes = {}
const bones = {}
for (let t = 0; t < clip.duration; t += 1 / 30) {
  mixer.setTime(t)
  gltf.scene.traverse(object => {
    if (object.morphTargetInfluences)
      for (const [name, index] of Object.entries(object.morphTargetDictionary)) {
        const key = `${object.name}.${name}`
        shapes[key] = Math.max(shapes[key] ?? 0, object.morphTargetInfluences[index])
      }
    const was = first.get(object)
    if (was) bones[object.name] = Math.max(bones[object.name] ?? 0, was.angleTo(object.quaternion) * 180 / Math.PI)
  })
}
console.log(JSON.stringify({ seconds: clip.duration, shapes, bones }))
