// SPDX-License-Identifier: MIT
// What three-vrm's own spring bones do when the bone above a chain turns at once.
// Usage: node vrm_springs.mjs NODE_MODULES FILE.vrm DEGREES ROOT... ; ROOT: name of a chain's first bone.
// One JSON line a spring joint: {"root", "bone", "swing": [degrees, one a frame of 1/60 s], "held": degrees}, swing being the
// angle between the bone and where the turn alone would have it, without colliders; held what is left of it at last with them.
// The turn is about the character's own left-right axis.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, file, degrees, ...roots] = process.argv.slice(2)
const from = file => import(pathToFileURL(path.join(path.resolve(modules), file)))
globalThis.self = globalThis
globalThis.ProgressEvent = class {}
const three = await from('three/build/three.module.js')
const { GLTFLoader } = await from('three/examples/jsm/loaders/GLTFLoader.js')
const { VRMLoaderPlugin } = await from('@pixiv/three-vrm/lib/three-vrm.module.js')
const SETTLE = 240
const FRAMES = 240
const STEP = 1 / 60

const bytes = readFileSync(file)
const loader = new GLTFLoader()
loader.register(() => ({ name: 'no-pictures', loadTexture: () => Promise.resolve(new three.Texture()) }))
loader.register(parser => new VRMLoaderPlugin(parser))
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
const gltf = await new Promise((resolve, reject) => loader.parse(data, '', resolve, reject))
const vrm = gltf.userData.vrm
const manager = vrm.springBoneManager
// VRM 0 faces -Z: its own left is -X.
const left = new three.Vector3(vrm.meta.metaVersion === '0' ? -1 : 1, 0, 0)
const joints = [...(manager?.joints ?? [])]
const rest = joints.map(joint => joint.bone.quaternion.clone())

const place = object => new three.Vector3().setFromMatrixPosition(object.matrixWorld)
const tail = joint => joint.bone.localToWorld(joint.initialLocalChildPosition.clone())
// Spring bones do not update their own matrices.
const turnTo = quaternions => joints.forEach((joint, i) => { joint.bone.quaternion.copy(quaternions[i]); joint.bone.updateMatrix() })
const direction = joint => tail(joint).sub(place(joint.bone)).normalize()

gltf.scene.updateMatrixWorld(true)
/// The swing of each joint of a chain, frame by frame after its anchor turned.
function swingAfterTurn (under, anchor) {
  const was = anchor.quaternion.clone()
  manager.reset()
  for (let i = 0; i < SETTLE; ++i) { manager.update(STEP); gltf.scene.updateMatrixWorld(true) }
  const parentTurn = anchor.parent.getWorldQuaternion(new three.Quaternion())
  const turn = new three.Quaternion().setFromAxisAngle(left, Number(degrees) * Math.PI / 180)
  anchor.quaternion.copy(parentTurn.clone().invert().multiply(turn).multiply(parentTurn).multiply(was))
  const settled = joints.map(joint => joint.bone.quaternion.clone())
  turnTo(rest)
  gltf.scene.updateMatrixWorld(true)
  const wanted = under.map(direction)
  turnTo(settled)
  gltf.scene.updateMatrixWorld(true)
  const swings = under.map(() => [])
  for (let i = 0; i < FRAMES; ++i) {
    manager.update(STEP)
    gltf.scene.updateMatrixWorld(true)
    under.forEach((joint, k) => swings[k].push(Number((direction(joint).angleTo(wanted[k]) * 180 / Math.PI).toFixed(4))))
  }
  anchor.quaternion.copy(was)
  turnTo(rest)
  gltf.scene.updateMatrixWorld(true)
  return swings
}

gltf.scene.updateMatrixWorld(true)
const groups = joints.map(joint => joint.colliderGroups)
for (const root of roots) {
  const first = joints.find(joint => joint.bone.name === root || joint.bone.userData.name === root)
  if (!first) continue
  const below = joint => { for (let at = joint.bone; at; at = at.parent) if (at === first.bone) return true; return false }
  const under = joints.filter(below)
  const held = swingAfterTurn(under, first.bone.parent)
  joints.forEach(joint => { joint.colliderGroups = [] })
  const swings = swingAfterTurn(under, first.bone.parent)
  joints.forEach((joint, i) => { joint.colliderGroups = groups[i] })
  under.forEach((joint, k) => console.log(JSON.stringify({ root, bone: joint.bone.userData.name ?? joint.bone.name, swing: swings[k], held: held[k].at(-1) })))
}
