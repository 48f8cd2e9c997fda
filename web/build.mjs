// Puts the pages into web/dist, once for each state of their sources: from web/pages.json, or built if the sources changed.
// With --pack it builds them and writes web/pages.json. Also imported by start.mjs, on any Node ≥ 18.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const web = dirname(fileURLToPath(import.meta.url))
const root = dirname(web)
const dist = join(web, 'dist')
const packed = join(web, 'pages.json')
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

/** Returns true if web/pages.json was built from these sources. */
export const isPacked = () => readPacked()?.stamp === stampOfSources()

/** Writes the pages of web/pages.json to web/dist. */
export function unpack() {
  const { stamp, files } = readPacked()
  return publish(stamp, (fresh) => {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(dirname(join(fresh, name)), { recursive: true })
      fs.writeFileSync(join(fresh, name), text)
    }
  })
}

export async function build() {
  const { build: buildWithVite } = await import('vite')
  const configFile = join(web, 'vite.config.ts')
  return publish(stampOfSources(), (fresh) =>
    buildWithVite({ configFile, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } }),
  )
}

/** Concurrent builds use separate folders. The last one to end wins, with the same result. */
async function publish(stamp, fill) {
  const fresh = join(web, `.dist-${process.pid}`)
  try {
    await fill(fresh)
    await Promise.all(filesIn(fresh).map((it) => compress(join(fresh, it))))
    fs.writeFileSync(join(fresh, STAMP), stamp)
    swap(fresh)
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
  }
}

function readPacked() {
  return fs.existsSync(packed) ? JSON.parse(fs.readFileSync(packed, 'utf8')) : undefined
}

/** One line for each file, so that Git stores what changed. */
function pack() {
  const names = filesIn(dist).filter((it) => it !== STAMP && !/\.(?:br|gz)$/.test(it))
  const files = Object.fromEntries(
    names.map((it) => [it.replaceAll('\\', '/'), fs.readFileSync(join(dist, it), 'utf8')]),
  )
  fs.writeFileSync(packed, `${JSON.stringify({ stamp: stampOfSources(), files }, null, 1)}\n`)
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

async function compress(file) {
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

async function main(isForPacking) {
  if (isForPacking) {
    await build()
    pack()
    return
  }
  if (!isBuilt()) await (isPacked() ? unpack() : build())
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  await main(process.argv[2] === '--pack')
}
