// SPDX-License-Identifier: MIT
// A KTX2 through three.js's KTX2Loader, to RGBA.
// Usage: node ktx2.mjs NODE_MODULES IN.ktx2 OUT.rgba ; writes every level's pixels one after the other and prints one
// JSON line; exit 1 when the file does not load.
import { readFileSync, writeFileSync } from 'node:fs'
import { fromThree, ktx2Loader } from './three_in_node.mjs'

const [modules, input, output] = process.argv.slice(2)
const three = await fromThree(modules, 'build/three.module.js')
const loader = await ktx2Loader(modules)
const bytes = readFileSync(input)
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
try {
  const texture = await new Promise((resolve, reject) => loader.parse(data, resolve, reject))
  if (texture.format !== three.RGBAFormat) throw new Error(`three.js gave format ${texture.format} instead of RGBA`)
  writeFileSync(output, Buffer.concat(texture.mipmaps.map(level => level.data)))
  const { width, height } = texture.mipmaps[0]
  console.log(JSON.stringify({ width, height, levels: texture.mipmaps.length, srgb: texture.colorSpace === three.SRGBColorSpace }))
} catch (error) {
  console.error(`KTX2Loader does not take the file: ${error?.message ?? error}`)
  process.exitCode = 1
} finally {
  loader.dispose()
}
