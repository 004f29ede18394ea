// SPDX-License-Identifier: MIT
// A KTX2 through the transcoder that three.js's KTX2Loader runs, to RGBA.
// Usage: node transcode.mjs NODE_MODULES IN.ktx2 OUT.rgba ; writes every level's pixels one after the other and prints
// one JSON line; exit 1 when the file does not load.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [modules, input, output] = process.argv.slice(2)
const folder = path.join(path.resolve(modules), 'three/examples/jsm/libs/basis')
const require = createRequire(path.join(folder, 'x.js'))

/// As KTX2Loader's worker starts it. The file is a script, which Node takes for a module or not by the package it lies in.
async function transcoder () {
  const module = { exports: {} }
  const script = readFileSync(path.join(folder, 'basis_transcoder.js'), 'utf8')
  new Function('module', 'exports', 'require', '__filename', '__dirname', script + '\nmodule.exports = BASIS;')(
    module, module.exports, require, path.join(folder, 'basis_transcoder.js'), folder)
  const basis = await module.exports({ wasmBinary: readFileSync(path.join(folder, 'basis_transcoder.wasm')) })
  basis.initializeBasis()
  return basis
}

const RGBA32 = 13 // basist::transcoder_texture_format::cTFRGBA32
const basis = await transcoder()
const file = new basis.KTX2File(new Uint8Array(readFileSync(input)))
if (!file.isValid() || !file.startTranscoding()) {
  console.error('the transcoder does not take the file')
  process.exit(1)
}
const pixels = []
for (let level = 0; level < file.getLevels(); ++level) {
  const size = file.getImageTranscodedSizeInBytes(level, 0, 0, RGBA32)
  const rgba = new Uint8Array(size)
  if (!file.transcodeImage(rgba, level, 0, 0, RGBA32, 0, -1, -1)) {
    console.error(`level ${level} does not transcode`)
    process.exit(1)
  }
  pixels.push(rgba)
}
writeFileSync(output, Buffer.concat(pixels))
console.log(JSON.stringify({ width: file.getWidth(), height: file.getHeight(), levels: file.getLevels(), uastc: file.isUASTC(), alpha: !!file.getHasAlpha() }))
