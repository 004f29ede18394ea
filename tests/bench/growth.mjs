#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// How the time of each command grows with triangles, textures, morph targets and files, beside gltfpack in the same run
// (docs/PERFORMANCE.md, "Growth").
//
//   tests/bench/growth.mjs HELIXAVATAR HELIXAVATAR-SAMPLE WORK [triangles|textures|morphs|files]...
//
// Times are user plus system, of all processes of a command, the least of three runs: what others do on the machine
// shows least there. Beside a time stands the exponent from the row before: start-up makes it too small in the first
// rows, so the last step is what is held against n log n. Exit code 1 when one of ours grows faster.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { deflateSync } from 'node:zlib'

const [program, sample, workName, ...chosen] = process.argv.slice(2)
if (!workName) {
  console.error('tests/bench/growth.mjs HELIXAVATAR HELIXAVATAR-SAMPLE WORK [triangles|textures|morphs|files]...')
  process.exit(2)
}
const work = resolve(workName)
const RUNS = 3
const TOLERANCE = 1.25 // of noise, over the growth of n log n
mkdirSync(work, { recursive: true })

// --- one command's time

/// User and system seconds of a shell line and all that it starts.
function seconds (line) {
  let least = Infinity
  const script = `TIMEFORMAT='%U %S'; time { ${line}; } >/dev/null 2>error.log; exit $?`
  for (let i = 0; i < RUNS; ++i) {
    const shell = spawnSync('bash', ['-c', script], { cwd: work, encoding: 'utf8' })
    if (shell.status > 1) throw new Error(`${line}: ended with ${shell.status}\n${readFileSync(join(work, 'error.log'), 'utf8')}`)
    const times = shell.stderr.trim().split('\n').pop().split(' ').map(Number)
    if (times.length !== 2 || times.some(Number.isNaN)) throw new Error(`${line}: ${shell.stderr}`)
    least = Math.min(least, times[0] + times[1])
    if (least > 20) break
  }
  return least
}

function kept (name, make) {
  if (!existsSync(join(work, name))) make(join(work, name))
  return name
}

function run (file, args) {
  const ended = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (ended.status !== 0 && ended.status !== 1) throw new Error(`${file} ${args.join(' ')}: ${ended.stderr}`)
}

const character = (name, ...options) => kept(name, to => run(sample, [to, ...options]))
const avatar = (name, ...options) => character(name, '--family', 'helix', '--pose', 'canonical', '--lods', '3', '--face-mesh', ...options)

// --- GLBs with more of something than the builder makes

function read (name) {
  const bytes = readFileSync(join(work, name))
  const length = bytes.readUInt32LE(12)
  return { json: JSON.parse(bytes.subarray(20, 20 + length)), parts: [bytes.subarray(28 + length)], bytes: bytes.length - 28 - length }
}

/// Appends bytes to the BIN chunk and gives their buffer view.
function add (glb, bytes) {
  const view = { buffer: 0, byteOffset: glb.bytes, byteLength: bytes.length }
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - bytes.length % 4) % 4)])
  glb.parts.push(padded)
  glb.bytes += padded.length
  return glb.json.bufferViews.push(view) - 1
}

function write (path, glb) {
  glb.json.buffers[0].byteLength = glb.bytes
  let json = Buffer.from(JSON.stringify(glb.json))
  json = Buffer.concat([json, Buffer.alloc((4 - json.length % 4) % 4, ' ')])
  const head = Buffer.alloc(28)
  head.write('glTF', 0)
  const total = 28 + json.length + glb.bytes
  for (const [at, value] of [[4, 2], [8, total], [12, json.length], [16, 0x4E4F534A]]) head.writeUInt32LE(value, at)
  head.writeUInt32LE(glb.bytes, 20)
  head.writeUInt32LE(0x004E4942, 24)
  writeFileSync(path, Buffer.concat([head.subarray(0, 20), json, head.subarray(20), ...glb.parts]))
}

function crc32 (bytes) {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; ++bit) crc = crc >>> 1 ^ (crc & 1 ? 0xEDB88320 : 0)
  }
  return ~crc >>> 0
}

function png (edge, seed) {
  const rows = Buffer.alloc(edge * (1 + 3 * edge))
  for (let y = 0, at = 0; y < edge; ++y) {
    ++at
    for (let x = 0; x < 3 * edge; ++x) rows[at++] = (x * 7 + y * 13 + seed * 29 + (x * y >> 4)) & 255
  }
  const chunk = (type, data) => {
    const out = Buffer.alloc(12 + data.length)
    out.writeUInt32BE(data.length, 0)
    out.write(type, 4)
    data.copy(out, 8)
    out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length)
    return out
  }
  const size = Buffer.alloc(13)
  size.writeUInt32BE(edge, 0)
  size.writeUInt32BE(edge, 4)
  size.set([8, 2], 8)
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', size), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

/// Every material gets a base colour of its own.
function withTextures (from, path, edge) {
  const glb = read(from)
  glb.json.images = []
  glb.json.textures = []
  glb.json.materials.forEach((material, i) => {
    glb.json.images.push({ mimeType: 'image/png', bufferView: add(glb, png(edge, i)), name: `picture ${i}` })
    glb.json.textures.push({ source: i })
    material.pbrMetallicRoughness.baseColorTexture = { index: i }
    delete material.normalTexture
  })
  write(path, glb)
}

/// Every primitive gets `count` shapes: first those that a face of Ready Player Me has, then some that no channel needs.
function withMorphs (from, path, count) {
  const face = read(character('face.glb', '--triangles', '1000', '--texture', '16', '--face', 'ready_player_me'))
  const known = face.json.meshes[0].extras.targetNames
  const glb = read(from)
  for (const mesh of glb.json.meshes) {
    for (const primitive of mesh.primitives) {
      const of = glb.json.accessors[primitive.attributes.POSITION]
      primitive.targets = Array.from({ length: count }, (_, shape) => {
        const deltas = new Float32Array(of.count * 3)
        const min = [Infinity, Infinity, Infinity]
        const max = [-Infinity, -Infinity, -Infinity]
        for (let i = 0; i < deltas.length; ++i) {
          deltas[i] = 0.001 * Math.sin(i * 0.01 + shape)
          min[i % 3] = Math.min(min[i % 3], deltas[i])
          max[i % 3] = Math.max(max[i % 3], deltas[i])
        }
        const bufferView = add(glb, Buffer.from(deltas.buffer))
        return { POSITION: glb.json.accessors.push({ bufferView, componentType: 5126, count: of.count, type: 'VEC3', min, max }) - 1 }
      })
    }
    mesh.weights = Array(count).fill(0)
    mesh.extras = { targetNames: Array.from({ length: count }, (_, shape) => known[shape] ?? `shape ${shape}`) }
  }
  write(path, glb)
}

// --- the curves

const ours = (command, from, ...options) => `'${resolve(program)}' ${command} ${from} -o out.glb -q ${options.join(' ')}`
const judge = from => `'${resolve(program)}' preflight ${from} --no-project -q --format json`
const pack = (from, ratio = 0.2) => `gltfpack -i ${from} -o packed.glb -si ${ratio} -noq -kn -km`
const CURVES = {
  triangles: {
    sizes: [10000, 30000, 100000, 300000, 1000000],
    columns: ['import --no-ktx2', 'conform', 'lod', 'preflight', 'gltfpack, three levels'],
    lines: n => {
      const from = character(`t${n}.glb`, '--triangles', n, '--texture', '64')
      const made = avatar(`a${n}.glb`, '--triangles', n, '--texture', '64')
      return [ours('import', from, '--no-ktx2'), ours('conform', from), ours('lod', made), judge(made),
        [10000, 5000, 1500].map(target => pack(from, Math.min(1, target / n))).join('; ')]
    }
  },
  textures: {
    sizes: [1, 4, 16, 64],
    columns: ['import --no-ktx2 --atlas=never', 'conform', 'preflight', 'gltfpack'],
    lines: n => {
      const from = kept(`x${n}.glb`, to => withTextures(character(`m${n}.glb`, '--triangles', 20000, '--texture', '64', '--materials', n), to, 512))
      const made = kept(`xa${n}.glb`, to => withTextures(avatar(`ma${n}.glb`, '--triangles', 20000, '--texture', '64', '--materials', n), to, 512))
      return [ours('import', from, '--no-ktx2', '--atlas=never'), ours('conform', from), judge(made), pack(from)]
    }
  },
  morphs: {
    sizes: [1, 5, 20, 50, 200],
    columns: ['import --no-ktx2', 'conform', 'lod', 'preflight', 'gltfpack'],
    lines: n => {
      const from = kept(`s${n}.glb`, to => withMorphs(character('plain.glb', '--triangles', 20000, '--texture', '64'), to, n))
      const made = kept(`sa${n}.glb`, to => withMorphs(avatar('plain-avatar.glb', '--triangles', 20000, '--texture', '64'), to, n))
      return [ours('import', from, '--no-ktx2'), ours('conform', from), ours('lod', made), judge(made), pack(from)]
    }
  },
  files: {
    sizes: [1, 10, 100, 1000],
    columns: ['import --no-ktx2', 'conform', 'preflight', 'gltfpack, one by one'],
    lines: n => {
      const from = character('small.glb', '--triangles', 1000, '--texture', '16')
      const made = avatar('small-avatar.glb', '--triangles', 1000, '--texture', '16')
      const folder = (name, file) => kept(`${name}${n}`, to => {
        mkdirSync(to)
        for (let i = 0; i < n; ++i) writeFileSync(join(to, `${i}.glb`), readFileSync(join(work, file)))
      })
      const into = command => `rm -rf made; '${resolve(program)}' ${command} ${folder('f', from)} -o made/ -q`
      return [into('import --no-ktx2'), into('conform'), judge(folder('fa', made)), `for f in ${folder('f', from)}/*; do ${pack('$f')}; done`]
    }
  }
}

const growth = n => n * Math.log2(n + 1)
let faults = 0
for (const [what, { sizes, columns, lines }] of Object.entries(CURVES)) {
  if (chosen.length && !chosen.includes(what)) continue
  const times = sizes.map(n => lines(n).map(seconds))
  console.log(`| ${what} | ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length + 1)}`)
  sizes.forEach((n, row) => {
    const cells = times[row].map((time, column) => {
      const exponent = row ? Math.log(time / times[row - 1][column]) / Math.log(n / sizes[row - 1]) : null
      return `${time.toFixed(2)} s${exponent === null ? '' : `, ${exponent.toFixed(2)}`}`
    })
    console.log(`| ${n.toLocaleString('en').replaceAll(',', ' ')} | ${cells.join(' | ')} |`)
  })
  const last = sizes.length - 1
  const ratios = columns.map((column, c) => {
    const ratio = times[last][c] / times[last - 1][c] / (growth(sizes[last]) / growth(sizes[last - 1]))
    if (ratio > TOLERANCE && !column.startsWith('gltfpack')) {
      ++faults
      console.error(`${what}, ${column}: ${ratio.toFixed(2)} times as much as n log n from ${sizes[last - 1]} to ${sizes[last]}`)
    }
    return ratio.toFixed(2)
  })
  console.log(`| last step to n log n | ${ratios.join(' | ')} |\n`)
}
for (const name of readdirSync(work)) if (/^(out|packed|made)/.test(name)) rmSync(join(work, name), { recursive: true })
process.exit(faults ? 1 : 0)
