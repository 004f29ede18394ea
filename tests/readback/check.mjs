// SPDX-License-Identifier: MIT
// Reads avatars back with parties that are not us: the Khronos validator, three.js's GLTFLoader and its KTX2Loader.
// Usage: node check.mjs NODE_MODULES FILE... ; one JSON line a file; exit 1 when any file has an error.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fromThree, ktx2Loader } from './three_in_node.mjs'

const [modules, ...files] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(modules), 'x.js'))
const validator = require('gltf-validator')
const three = await fromThree(modules, 'build/three.module.js')
const { GLTFLoader } = await fromThree(modules, 'examples/jsm/loaders/GLTFLoader.js')
const ktx2 = await ktx2Loader(modules)

/// PNG and JPEG need a browser's canvas and are judged elsewhere; of these the loader only has to find a texture.
const noPictures = parser => ({
  name: 'no-pictures',
  loadTexture: index => parser.json.textures[index].extensions?.KHR_texture_basisu ? null : Promise.resolve(new three.Texture())
})

async function validate (bytes) {
  const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 1000 })
  return report.issues.messages.filter(m => m.severity === 0).map(m => `${m.code} ${m.pointer ?? ''}`)
}

async function load (bytes) {
  const loader = new GLTFLoader().register(noPictures).setKTX2Loader(ktx2)
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return new Promise((resolve, reject) => loader.parse(data, '', resolve, reject))
}

/// GLTFLoader draws on without a texture that does not load.
async function examineTextures (parser, errors) {
  let loaded = 0
  for (const [index, json] of (parser.json.textures ?? []).entries()) {
    if (!json.extensions?.KHR_texture_basisu) continue
    const texture = await parser.getDependency('texture', index).catch(() => null)
    const [level] = texture?.mipmaps ?? []
    if (!level || level.data.length !== 4 * level.width * level.height) errors.push(`texture ${index}: KTX2Loader does not load it`)
    else ++loaded
  }
  return loaded
}

function examineScene (scene, errors, index) {
  scene.updateMatrixWorld(true)
  const box = new three.Box3()
  const inScene = new Set()
  scene.traverse(o => inScene.add(o))
  let skinned = 0
  scene.traverse(mesh => {
    if (!mesh.isSkinnedMesh) return
    ++skinned
    const bones = mesh.skeleton.bones
    if (bones.some(b => !b)) errors.push(`scene ${index}: ${mesh.name} has an undefined bone`)
    else if (bones.some(b => !inScene.has(b))) errors.push(`scene ${index}: ${mesh.name} is bound to bones of another scene`)
    const point = new three.Vector3()
    const used = new Set(mesh.geometry.index ? mesh.geometry.index.array : [])
    for (const v of used) box.expandByPoint(mesh.localToWorld(mesh.getVertexPosition(v, point)))
  })
  if (!skinned) errors.push(`scene ${index}: no skinned mesh`)
  return { skinned, low: box.min.toArray(), high: box.max.toArray() }
}

let failed = false
for (const file of files) {
  const errors = []
  const scenes = []
  let ktx2Textures = 0
  try {
    const bytes = readFileSync(file)
    errors.push(...await validate(bytes))
    const gltf = await load(bytes)
    gltf.scenes.forEach((scene, i) => scenes.push(examineScene(scene, errors, i)))
    ktx2Textures = await examineTextures(gltf.parser, errors)
  } catch (error) {
    errors.push(String(error?.message ?? error))
  }
  failed ||= errors.length > 0
  console.log(JSON.stringify({ file: path.basename(file), errors: errors.slice(0, 20), scenes, ktx2Textures }))
}
ktx2.dispose()
process.exitCode = failed ? 1 : 0
