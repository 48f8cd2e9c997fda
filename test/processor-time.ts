// How much processor time does each test file take, with the programs that it starts? Each file's process imports this module.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Linux counts in these ticks a second on every machine. */
const TICKS_PER_SECOND = 100

interface FileTime {
  file: string
  seconds: number
}

// A test file may start programs with its own flags and environment; they are not test files.
if (isMainThread && process.env.TEST_TIMES !== undefined && process.env.TEST_RUN === String(process.ppid)) {
  const folder = process.env.TEST_TIMES
  process.on('exit', () => {
    const time: FileTime = { file: process.argv[1] ?? '', seconds: secondsOfThisProcess() }
    writeFileSync(join(folder, String(process.pid)), JSON.stringify(time))
  })
}

/** The time of this process and of its children that ended. Only Linux tells the second part. */
function secondsOfThisProcess(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name of the process, in parentheses, may hold spaces. Fields 14 to 17 are the times.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

/** The files of the run that starts after this call tell their times. The returned function makes the report after the run. */
export function measureFiles(): (longest: number) => string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-test-times-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  Object.assign(process.env, { TEST_TIMES: folder, TEST_RUN: String(process.pid) })
  return (longest) => {
    const times = readdirSync(folder).map((it) => JSON.parse(readFileSync(join(folder, it), 'utf8')) as FileTime)
    return report(times, longest)
  }
}

function report(times: FileTime[], longest: number): string {
  const sorted = times.toSorted((one, other) => other.seconds - one.seconds)
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0)
  const lines = sorted
    .slice(0, longest)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s ${nameOf(file)}`)
  return [`Processor time: ${total.toFixed(0)} s in ${times.length} files. The longest:`, ...lines, ''].join('\n')
}

function nameOf(file: string): string {
  const path = relative('', file)
  return path.startsWith('..') ? basename(path) : path
}
