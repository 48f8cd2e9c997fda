// Builds the pages into web/dist, once for each state of their sources. Also imported by start.mjs, on any Node ≥ 18.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const web = dirname(fileURLToPath(import.meta.url))
const root = dirname(web)
const dist = join(web, 'dist')
const STAMP = '.stamp'
/** Smaller files gain too little from compression. */
const PACKED_FROM = 1_024
const PACKED = new Set(['.html', '.js', '.css', '.svg'])

export const isBuilt = () => {
  try {
    return fs.readFileSync(join(dist, STAMP), 'utf8') === stampOfSources()
  } catch {
    return false
  }
}

/** Concurrent builds use separate folders. The last one to end wins, with the same result. */
export async function build() {
  const { build: buildWithVite } = await import('vite')
  const stamp = stampOfSources()
  const fresh = join(web, `.dist-${process.pid}`)
  try {
    await buildWithVite({
      configFile: join(web, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    })
    await Promise.all(filesIn(fresh).map((it) => pack(join(fresh, it))))
    fs.writeFileSync(join(fresh, STAMP), stamp)
    swap(fresh)
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
  }
}

function swap(fresh) {
  const old = join(web, `.dist-old-${process.pid}`)
  for (let tries = 0; ; tries += 1) {
    if (fs.existsSync(dist)) fs.renameSync(dist, old)
    try {
      fs.renameSync(fresh, dist)
      break
    } catch (error) {
      // Another build has just put its result there.
      if (tries > 3) throw error
      fs.rmSync(old, { recursive: true, force: true })
    }
  }
  fs.rmSync(old, { recursive: true, force: true })
}

async function pack(file) {
  const bytes = fs.readFileSync(file)
  if (bytes.length < PACKED_FROM || !PACKED.has(extname(file))) return
  const quality = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, quality), promisify(gzip)(bytes, { level: 9 })])
  fs.writeFileSync(`${file}.br`, br)
  fs.writeFileSync(`${file}.gz`, gz)
}

/** Includes the lock file, which determines the packages, and the client, which is generated beside the server. */
function stampOfSources() {
  const hash = createHash('sha256')
  const folders = [join(web, 'src'), join(web, 'public'), join(root, 'src/client')]
  const files = folders.flatMap((folder) => filesIn(folder).map((it) => join(folder, it)))
  const single = ['web/index.html', 'web/vite.config.ts', 'web/build.mjs', 'package-lock.json']
  for (const file of [...files, ...single.map((it) => join(root, it))]) {
    hash.update(file.slice(root.length)).update('\0').update(fs.readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function filesIn(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .flatMap((it) => (it.isDirectory() ? filesIn(join(folder, it.name)).map((name) => join(it.name, name)) : [it.name]))
    .sort()
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url && !isBuilt()) await build()
