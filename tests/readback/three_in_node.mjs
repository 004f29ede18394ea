// SPDX-License-Identifier: MIT
// three.js under Node: its loaders as they are, on the few things that a browser would give them (fetch of files, web
// workers from blobs).
import { resolveObjectURL } from 'node:buffer'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker as Thread } from 'node:worker_threads'

// The worker's script sees a browser's worker and no Node, whose own way of loading files a browser does not take.
const workerScript = text => `
  const { parentPort } = require('node:worker_threads')
  globalThis.self = globalThis
  self.location = { href: '' }
  self.importScripts = () => { throw new Error('importScripts') }
  self.postMessage = (message, transfer) => parentPort.postMessage(message, transfer)
  self.addEventListener = (type, listener) => parentPort.on(type, data => listener({ data }));
  (function (process, require, module, exports, __filename, __dirname) {\n${text}\n})()`

class WebWorker {
  constructor (url) {
    this.listeners = []
    this.thread = resolveObjectURL(url).text().then(text => {
      const thread = new Thread(workerScript(text), { eval: true })
      thread.on('message', data => this.listeners.forEach(listener => listener({ data })))
      return thread
    })
  }

  addEventListener (type, listener) { if (type === 'message') this.listeners.push(listener) }
  postMessage (message, transfer) { this.thread.then(thread => thread.postMessage(message, transfer)) }
  terminate () { this.thread.then(thread => thread.terminate()) }
}

const fetchOfBrowser = globalThis.fetch
globalThis.self = globalThis
globalThis.ProgressEvent = class {}
globalThis.Worker = WebWorker
globalThis.fetch = async (request, options) => {
  const url = typeof request === 'string' ? request : request.url
  return url.startsWith('file:') ? new Response(readFileSync(new URL(url))) : fetchOfBrowser(request, options)
}

/// A module of three.js by its path within the package.
export const fromThree = (modules, file) => import(pathToFileURL(path.join(path.resolve(modules), 'three', file)))

/// KTX2Loader on a graphics card without any compressed format, so that it gives RGBA. To be disposed of.
export async function ktx2Loader (modules) {
  const { KTX2Loader } = await fromThree(modules, 'examples/jsm/loaders/KTX2Loader.js')
  return new KTX2Loader().detectSupport({ extensions: { has: () => false } })
}
