// The import rules. The table is in ARCHITECTURE.md, so that text and rule cannot differ.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/**
 * Packages for several rooms: every room has schemas, three rooms parse HTML, without state, and two read TAR
 * (docs/decisions/0130).
 */
const SHARED_PACKAGES = new Set(['zod', 'htmlparser2', 'modern-tar'])
const isChooser = (file: string) => file === 'main.ts' || file.startsWith('app/')
const MAX_FILES_IN_FOLDER = 15

const table = /```rooms\n.*\n([^`]+)```/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))![1]!
const words = (cell = '') => cell.split(/\s+/).filter(Boolean)
const rooms = new Map(
  table
    .trim()
    .split('\n')
    .map((row) => {
      const [room = '', uses, doors] = row.split('|').map((cell) => cell.trim())
      return [room, { uses: words(uses), doors: words(doors) }]
    }),
)

/** Entry files of a room: none means every file, `name` permits a file, `!name` forbids it, `folder/*` means its files. */
const isOpen = (doors: string[], name: string) => {
  const isNamed = (it: string) => (it.endsWith('/*') ? name.startsWith(it.slice(0, -1)) : it === name)
  const closed = doors.filter((it) => it.startsWith('!')).map((it) => it.slice(1))
  return closed.length === doors.length ? !closed.some(isNamed) : doors.some(isNamed)
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.(?:test|fixture)\./.test(file),
)
const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0]! : '')
const STATIC_IMPORT = /^(?:import|export)\s+(?:[\w\s{},*$]*?\bfrom\s+)?['"]([^'"]+)['"]/gm
/** `import('x')`, also as a type, `new URL('./x.ts', import.meta.url)` of a worker, `createRequire(…)('x')`. */
const OTHER_IMPORT =
  /\bimport\(['"]([^'"]+)['"]\)|new URL\(['"](\.[^'"]+\.ts)['"], import\.meta\.url\)|createRequire\([^)]*\)\(['"]([^'"]+)['"]\)/g
function specifiers(file: string): string[] {
  const text = readFileSync(join('src', file), 'utf8')
  return [...text.matchAll(STATIC_IMPORT), ...text.matchAll(OTHER_IMPORT)].map((it) => it[1] ?? it[2] ?? it[3]!)
}
const imports = new Map(
  files.map((file) => [
    file,
    specifiers(file)
      .filter((it) => it.startsWith('.'))
      .map((it) => normalize(join(dirname(file), it))),
  ]),
)

test('every room of src/ is in the table', () => {
  for (const room of new Set(files.map(roomOf).filter(Boolean)))
    assert.ok(rooms.has(room), `${room}/ is not in the table`)
})

test('every room and every entry file of the table exists', () => {
  for (const [room, { uses, doors }] of rooms) {
    assert.ok(existsSync(join('src', room)), `there is no room ${room}/`)
    for (const it of uses) assert.ok(rooms.has(it), `${room} may import ${it}, which is no room`)
    for (const door of doors) {
      const path = join('src', room, door.replace(/^!/, ''))
      const isThere = path.endsWith('/*') ? existsSync(path.slice(0, -2)) : existsSync(`${path}.ts`)
      assert.ok(isThere, `${room} has the door ${door}, which does not exist`)
    }
  }
})

test('no folder holds more than fifteen source files', () => {
  for (const [folder, inFolder] of Map.groupBy(files, dirname)) {
    assert.ok(inFolder.length <= MAX_FILES_IN_FOLDER, `src/${folder} holds ${inFolder.length} files`)
  }
})

test('no connector imports another', () => {
  const folderOf = (file: string) => /^connectors\/([^/]+)\//.exec(file)?.[1]
  const sources = new Set(files.filter((it) => it.endsWith('/index.ts')).map(folderOf))
  assert.ok(sources.size > 8)
  for (const [file, targets] of imports)
    for (const target of targets) {
      const [from, to] = [folderOf(file), folderOf(target)]
      const isOther = from !== undefined && to !== undefined && from !== to && sources.has(to)
      assert.ok(!isOther, `${file} imports ${target} of another source`)
    }
})

test('every import is allowed by the table', () => {
  for (const [file, targets] of imports)
    for (const target of targets) {
      const [from, to] = [roomOf(file), roomOf(target)]
      assert.ok(existsSync(join('src', target)), `${file} imports ${target}, which is not a file`)
      if (from === to || isChooser(file) || (from === '' && to === 'domain')) continue
      assert.ok(rooms.get(from)?.uses.includes(to), `${file} may not import ${target}`)
      const name = target.slice(to.length + 1).replace(/\.tsx?$/, '')
      assert.ok(isOpen(rooms.get(to)!.doors, name), `${file} enters ${to}/ by ${name}, which is no door of it`)
    }
})

/** A path in an import, a `new URL`, a `createRequire` or the arguments of a command. */
const PROGRAM = /['"`]((?:\.\.?|bench|docs|test|web)\/[^'"`\n]*\.[cm]?[jt]sx?)['"`]/g
/** The imports and commands of a file in src/ that lead outside src/. */
function programsOutside(file: string, text: string): string[] {
  const named = [...text.matchAll(PROGRAM), ...text.matchAll(STATIC_IMPORT), ...text.matchAll(OTHER_IMPORT)].map(
    (it) => it[1] ?? it[2] ?? it[3]!,
  )
  return named.filter((it) => {
    const isRelative = it.startsWith('.')
    return isRelative ? normalize(join(dirname(file), it)).startsWith('..') : /^(?:bench|docs|test|web)\//.test(it)
  })
}

test('every way out of src/ is seen', () => {
  for (const text of [
    "import { a } from '../../bench/a.ts'",
    "import '../../web/dist/pages'",
    "type A = import('../../test/a.ts').A",
    "await import('../../package.json')",
    "new Worker(new URL('../../bench/a.ts', import.meta.url))",
    "createRequire(import.meta.url)('../../docs/a.cjs')",
    "spawn(process.execPath, [join(import.meta.dirname, '../../bench/a.mjs')])",
    "fork('bench/a.ts')",
  ])
    assert.equal(new Set(programsOutside('app/b.ts', text)).size, 1, text)
  assert.deepEqual(programsOutside('app/b.ts', "import '../a.ts'; new URL('./c.ts', import.meta.url)"), [])
})

test('the program imports and runs nothing outside src/', () => {
  for (const file of files) assert.deepEqual(programsOutside(file, readFileSync(join('src', file), 'utf8')), [], file)
})

test('there are no import cycles, not even for types', () => {
  const done = new Set<string>()
  const visit = (file: string, path: string[]) => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(' -> ')}`)
    if (done.has(file)) return
    for (const target of imports.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
})

test('a route gets the services that it names, so only the server knows them all', () => {
  const imports = /import (?:type )?\{[^}]*\bServices\b[^}]*\} from '[^']*\/services\.ts'/
  const knowing = files.filter((file) => file.startsWith('api/') && imports.test(readFileSync(`src/${file}`, 'utf8')))
  assert.deepEqual(knowing.sort(), ['api/route.ts', 'api/server.ts'])
})

test('every npm package is imported by one room', () => {
  const doors = new Map<string, string>()
  for (const file of files.filter((it) => roomOf(it)))
    for (const specifier of specifiers(file)) {
      const it = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')
      if (it.startsWith('.') || it.startsWith('node:') || SHARED_PACKAGES.has(it)) continue
      const door = doors.get(it) ?? roomOf(file)
      assert.equal(roomOf(file), door, `${it} is imported by ${door}/ and by ${file}`)
      doors.set(it, door)
    }
})

const pages = readdirSync('web/src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))

test('the pages import nothing of the program except its client', () => {
  assert.ok(pages.length > 20)
  for (const file of pages)
    for (const [, it = ''] of readFileSync(join('web/src', file), 'utf8').matchAll(
      /(?:\bfrom|\bimport\(?)\s*'([^']+)'/g,
    )) {
      assert.ok(!it.startsWith('node:'), `web/src/${file} imports ${it}`)
      if (!it.startsWith('.')) continue
      const target = normalize(join('web/src', dirname(file), it))
      assert.ok(/^(?:web\/src|src\/client)\//.test(target), `web/src/${file} imports ${target}`)
      assert.ok(existsSync(target), `web/src/${file} imports ${target}, which is not a file`)
    }
})

test('the pages insert text into the document only as text', () => {
  for (const file of pages)
    assert.doesNotMatch(
      readFileSync(join('web/src', file), 'utf8'),
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
      file,
    )
})

test('the program does not import the packages of the pages', () => {
  for (const file of files)
    for (const it of specifiers(file)) assert.doesNotMatch(it, /^(?:react|@mantine|@tanstack)\b/, file)
})
