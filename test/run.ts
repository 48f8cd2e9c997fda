// Runs the tests: npm test [-- PATTERN… --name TEXT --suite core|crash|browser|pages|servers|long --install --no-skips --times --pages --require NAME]
// A pattern is a part of a file's path; without `--suite` it chooses among the core, crash and browser tests. `--install` lets tests install the system packages they need, as in CI. Packages
// that `--require` names (test/needs.ts) must be present. Other missing packages skip their tests, with the reason.
// `--pages` lists the operations that pages called, for test/e2e/page-operations.txt.
// `--shots DIR` writes pictures of the pages (suite pages).
// `--times` lists the processor time of every file, not only of the longest.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { recordedRows, unconfirmedRows } from './e2e/page-requests.ts'
import { NEED_NAMES } from './needs.ts'
import { measureFiles } from './processor-time.ts'
import { concise, type Tally } from './run-report.ts'
import { groupUnitTests } from './unit-groups.ts'

/** Ends a test that hangs. It does not measure speed: a busy machine may take ten times as long as an idle one. */
const TEST_TIMEOUT_MS = 900_000
/** Tests often wait for a disk, a timer or a browser. */
const PER_CORE = 3
const LONGEST_TIMES = 12
// Long files come first, so that the short ones fill the gaps at the end.
const FOLDERS = [
  'test/crash',
  'test/contract',
  'test/e2e',
  'test/cli',
  'test/engine',
  'test/extract',
  'test',
  'bench',
  'src',
]

const isLong = (file: string) => file.startsWith('test/long/') || file.endsWith('.long.test.ts')
const isForServers = (file: string) => file.startsWith('test/servers/') && !isLong(file)
const isForBrowser = (file: string) => file.startsWith('test/e2e/') && !isLong(file)
/** They kill the program, cut its power, fill its disk and damage its files. */
const isCrash = (file: string) => file.startsWith('test/crash/') && !isLong(file)
/** They look at every page in every view. */
const isOfPages = (file: string) => file.startsWith('test/pages/') && !isLong(file)
const isCore = (file: string) =>
  [isLong, isForServers, isForBrowser, isOfPages, isCrash].every((isOther) => !isOther(file))
const SUITES: Record<string, (file: string) => boolean> = {
  core: isCore,
  crash: isCrash,
  browser: isForBrowser,
  pages: isOfPages,
  servers: isForServers,
  long: isLong,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string' },
    name: { type: 'string', multiple: true, default: [] },
    install: { type: 'boolean', default: false },
    'no-skips': { type: 'boolean', default: false },
    times: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    shots: { type: 'string', default: '' },
    require: { type: 'string', multiple: true, default: [] },
  },
})
const isCi = !['', '0', 'false'].includes(process.env.CI ?? '')
if (values.install || isCi) process.env.TEST_INSTALL = '1'

const unknown = values.require.find((it) => !NEED_NAMES.includes(it))
if (unknown !== undefined) {
  process.stderr.write(`No test needs ${unknown}, only ${NEED_NAMES.join(', ')}.\n`)
  process.exit(1)
}
process.env.TEST_SHOTS = values.shots === '' ? '' : resolve(values.shots)
process.env.TEST_REQUIRE = values.require.join(',')

const { suite = 'core' } = values
const inSuite = SUITES[suite]
if (inSuite === undefined) {
  process.stderr.write(`There is no suite ${suite}, only ${Object.keys(SUITES).join(', ')}.\n`)
  process.exit(1)
}
const isChosen = (file: string) =>
  positionals.length === 0 ? inSuite(file) : isInChosenSuite(file) && positionals.some((it) => file.includes(it))
const files = [...new Set(FOLDERS.flatMap(testFiles))].filter(isChosen)
if (files.length === 0) {
  process.stderr.write(`No test file of the suite ${suite} matches ${positionals.join(' ') || 'anything'}.\n`)
  process.exit(1)
}

/** Only a run of all browser tests can tell which operations the pages use. */
const isWhole = suite === 'browser' && positionals.length === 0 && values.name.length === 0
const requestsFolder = mkdtempSync(join(tmpdir(), 'pharos-page-requests-'))
process.env.TEST_PAGE_REQUESTS = requestsFolder

const tally: Tally = { ran: 0, isSuccess: false, skips: [] }
const concurrency = PER_CORE * availableParallelism()
const timesOfFiles = measureFiles()
const events = run({
  files: groupUnitTests(files, concurrency),
  concurrency,
  execArgv: ['--import', new URL('processor-time.ts', import.meta.url).href],
  timeout: TEST_TIMEOUT_MS,
  testNamePatterns: values.name.map((name) => new RegExp(name)),
  signal: stopSignal(),
})
const isVerbose = positionals.length > 0
await pipeline(events, concise(tally, isVerbose), new spec(), process.stdout, { end: false })
process.stdout.write(`\n${timesOfFiles(values.times ? files.length : LONGEST_TIMES)}`)
const problem = problemOf(tally)
if (values.pages) process.stdout.write(`\n${recordedRows(requestsFolder).join('\n')}\n`)
rmSync(requestsFolder, { recursive: true, force: true })
if (problem !== undefined) process.stderr.write(`\n${problem}\n`)
process.exitCode = problem === undefined ? 0 : 1

function isInChosenSuite(file: string): boolean {
  return inSuite!(file) || (values.suite === undefined && (isForBrowser(file) || isCrash(file)))
}

function testFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .sort()
}

function problemOf({ isSuccess, ran, skips }: Tally): string | undefined {
  if (!isSuccess) return 'Some tests failed.'
  if (ran === 0) return 'No test ran.'
  const unconfirmed = isWhole ? unconfirmedRows(requestsFolder) : []
  // Without Chromium they are skipped.
  if (unconfirmed.length > 0 && skips.length === 0)
    return `No browser test made the page send the request:\n${unconfirmed.join('\n')}`
  if (values['no-skips'] && skips.length > 0) return `${skips.length} tests were skipped, and none may be.`
  return undefined
}

/** A signal, or the end of the starter, ends the test files that run. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  process.on('disconnect', () => stop.abort())
  process.channel?.unref()
  return stop.signal
}
