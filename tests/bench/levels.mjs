#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Our levels beside those of other simplifiers at the same triangle counts (docs/PERFORMANCE.md, "Levels").
//
//   tests/bench/levels.mjs HELIXAVATAR NODE_MODULES WORK CHARACTER...
//
// HELIXAVATAR: the program. NODE_MODULES: a folder with gltfpack and @gltf-transform/cli; Debian's gltfpack is looked for
// in PATH. WORK: where bodies are kept; what is there already from another run is taken as it is. Each CHARACTER is
// conformed once at full detail; every simplifier starts from that file. A simplifier stops where it likes: ours is asked
// for the count that it reached, and both are measured by `lod --measure` against the full body. Markdown on stdout.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const [program, modules, work, ...characters] = process.argv.slice(2)
if (!characters.length) {
  console.error('tests/bench/levels.mjs HELIXAVATAR NODE_MODULES WORK CHARACTER...')
  process.exit(2)
}
const TARGETS = [30000, 15000, 10000, 5000, 1500]
const bin = name => resolve(modules, '.bin', name)
const SIMPLIFIERS = [
  ['gltfpack 1.3 -sv', (from, to, ratio) => run(bin('gltfpack'), ['-i', from, '-o', to, '-si', ratio, '-sv', '-noq', '-kn', '-km'])],
  ['gltfpack 1.3 -sv -sa', (from, to, ratio) => run(bin('gltfpack'), ['-i', from, '-o', to, '-si', ratio, '-sv', '-sa', '-noq', '-kn', '-km'])],
  ['gltfpack 0.18', (from, to, ratio) => run('gltfpack', ['-i', from, '-o', to, '-si', ratio, '-noq', '-kn', '-km'])],
  ['gltf-transform', (from, to, ratio) => run(bin('gltf-transform'), ['simplify', from, to, '--ratio', ratio, '--error', '1'])]
]
const METRICS = [['RMS mm', m => m.rest.rmsMm, 3], ['normals °', m => m.normalDegrees, 2], ['outline %', m => 100 * m.silhouette, 2]]

function run (file, args) {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 })
  } catch (e) {
    if (e.status === 1 && e.stdout) return e.stdout // written, and judged over a gate
    throw e
  }
}

function kept (path, make) {
  if (!existsSync(path)) make(path)
  return path
}

function measured (file, against) {
  return JSON.parse(kept(file + '.json', to => writeFileSync(to, run(program, ['lod', file, '--measure', '--against', against, '--format', 'json']))) && readFileSync(file + '.json', 'utf8')).levels
}

/// What a simplifier makes of the body at a ratio; null when nobody can read it.
function theirs (index, full, name, triangles, target) {
  const to = join(work, `${name}.${index}.${target}.glb`)
  kept(to, path => SIMPLIFIERS[index][1](full, path, (target / triangles).toFixed(5)))
  try {
    return measured(to, full)[0]
  } catch (e) {
    console.error(`${name}, ${SIMPLIFIERS[index][0]} at ${target}: its file cannot be read: ${(e.stderr ?? e.message).split('\n')[0]}`)
    return null
  }
}

function ours (full, name, counts) {
  const to = join(work, `${name}.ours.${counts.join('-')}.glb`)
  kept(to, path => run(program, ['lod', full, '-o', path, '--no-split-face', '--lod-tris', counts.join(','), '-q']))
  return measured(to, full)
}

const rows = []
mkdirSync(work, { recursive: true })
for (const character of characters) {
  const name = basename(character).replace(/\.[^.]*$/, '')
  const full = kept(join(work, `${name}.full.glb`), to =>
    run(program, ['import', character, '-o', to, '--lod-tris', '1000000000', '--no-ktx2', '--atlas=never', '--no-split-face', '-q']))
  const triangles = measured(full, full)[0].triangles
  const cells = SIMPLIFIERS.flatMap(([tool], index) => TARGETS.filter(t => t < 0.95 * triangles)
    .map(target => ({ index, tool, target, their: theirs(index, full, name, triangles, target) })))
    .filter(cell => cell.their)
    // -sa only where -sv alone stays off the target: elsewhere it makes the same file.
    .filter((cell, _, all) => cell.index !== 1 || Math.abs(all.find(c => c.index === 0 && c.target === cell.target).their.triangles - cell.target) > 0.02 * cell.target)
  const counts = [...new Set(cells.map(c => c.their.triangles))].filter(n => n < triangles).sort((a, b) => b - a)
  const our = new Map()
  for (let i = 0; i < counts.length; i += 4) ours(full, name, counts.slice(i, i + 4)).forEach((m, k) => our.set(counts[i + k], m))
  for (const cell of cells) {
    const mine = our.get(cell.their.triangles)
    if (!mine) continue
    const values = METRICS.map(([, of]) => [of(mine), of(cell.their)])
    rows.push({ name, ...cell, mine, values })
  }
}

const cells = rows.flatMap(r => r.values.map(([a, b], i) => ({ tool: r.tool, metric: METRICS[i][0], name: r.name, target: r.target, ratio: b > 0 ? a / b : a > 0 ? Infinity : 1 })))
const percent = list => `${(100 * list.filter(c => c.ratio <= 1).length / list.length).toFixed(0)} % of ${list.length}`
console.log('| against | cells where ours is lower or equal | over 10 % worse |\n| --- | --- | --- |')
for (const [tool] of SIMPLIFIERS) {
  const list = cells.filter(c => c.tool === tool)
  if (list.length) console.log(`| ${tool} | ${percent(list)} | ${list.filter(c => c.ratio > 1.1).length} |`)
}
console.log(`| all | ${percent(cells)} | ${cells.filter(c => c.ratio > 1.1).length} |\n`)
console.log(`| body | against | asked | reached | ${METRICS.map(m => `${m[0]}, ours | theirs`).join(' | ')} |\n|${' --- |'.repeat(4 + 2 * METRICS.length)}`)
for (const r of rows) {
  const show = r.values.flatMap(([a, b], i) => [a, b].map((v, side) => {
    const text = v.toFixed(METRICS[i][2])
    return side === 0 && a > b ? `**${text}**` : text
  }))
  console.log(`| ${r.name} | ${r.tool} | ${r.target} | ${r.their.triangles} | ${show.join(' | ')} |`)
}
