// Which files of the packages nothing reads: they are removed after an installation.
import fs from 'node:fs'
import { join } from 'node:path'
import { remove } from './attempt.mjs'

/** Node does not run TypeScript below node_modules, and source maps are for debuggers. */
const NEVER_RUN = /\.(?:[cm]?ts|map)$/

/** Removes what is for other platforms, and the headers and manuals of Node. */
export function pruneForeign(modules) {
  for (const folder of ['include', 'share', 'CHANGELOG.md']) {
    for (const name of list(modules).filter((it) => /^node-(?:bin-)?(?:linux|darwin|win)-/.test(it))) {
      remove(join(modules, name, folder))
    }
  }
  const runtimes = join(modules, 'onnxruntime-node/bin/napi-v6')
  const platforms = list(runtimes)
  if (!platforms.includes(process.platform)) return
  for (const it of platforms) if (it !== process.platform) remove(join(runtimes, it))
  const own = join(runtimes, process.platform)
  for (const it of list(own)) if (it !== process.arch) remove(join(own, it))
}

/** Removes the files that only compilers and debuggers read. */
export function pruneSources(folder) {
  for (const it of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, it.name)
    if (it.isDirectory()) pruneSources(path)
    else if (it.isFile() && NEVER_RUN.test(it.name)) fs.unlinkSync(path)
  }
}

function list(folder) {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : []
}
