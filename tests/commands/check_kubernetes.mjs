// SPDX-License-Identifier: MIT
// Validates manifests against the schemas that the npm package kubernetes-models makes of Kubernetes' own OpenAPI
// description. Usage: node check_kubernetes.mjs NODE_MODULES FILE... ; one line a fault; exit 1 when a file has any.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const [modules, ...files] = process.argv.slice(2)
const require = createRequire(join(resolve(modules), 'package.json'))
const YAML = require('yaml')

/// The value, with every member noted that somebody reads. The API server refuses members that it does not know, the
/// schemas do not speak of them: what a schema never reads is none of its own.
function watched (value, at, read) {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get (target, key) {
      if (typeof key === 'string' && Object.hasOwn(target, key)) read.add(`${at}/${key}`)
      return watched(target[key], `${at}/${String(key)}`, read)
    }
  })
}

function members (value, at = '') {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [`${at}/${key}`, ...members(inner, `${at}/${key}`)])
}

function faults (manifest) {
  const { apiVersion, kind } = manifest
  let schema
  try {
    const group = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
    const name = `IoK8sApi${[...group, kind].map(word => word[0].toUpperCase() + word.slice(1)).join('')}`
    schema = require(join(resolve(modules), 'kubernetes-models', '_schemas', `${name}.js`)).validate
  } catch (error) {
    return [`no such kind: ${apiVersion} ${kind}`]
  }
  const read = new Set()
  const valid = schema(watched(manifest, '', read))
  const wrong = valid ? [] : schema.errors.map(fault => `${fault.instancePath} must meet ${fault.keyword} ${JSON.stringify(fault.params)}`)
  return [...wrong, ...members(manifest).filter(member => !read.has(member)).map(member => `${member} is not a member`)]
}

let count = 0
for (const file of files) {
  for (const document of YAML.parseAllDocuments(readFileSync(file, 'utf8'))) {
    const list = document.errors.length ? document.errors.map(error => error.message) : faults(document.toJS())
    for (const fault of list) console.log(`${file}: ${fault}`)
    count += list.length
  }
}
process.exit(count ? 1 : 0)
