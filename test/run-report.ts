// Prints one line for a file that passes, all output of failures, and at the end the skipped tests with their reasons.
import { basename, relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

export interface Tally {
  ran: number
  isSuccess: boolean
  skips: { name: string; file: string; reason: string }[]
}

const NO_TEST = { nesting: 0, testNumber: 0, testId: 0, parentId: 0, tags: [] }

type Reporter = (events: AsyncIterable<TestEvent>) => AsyncIterable<TestEvent>
type Of<Type extends TestEvent['type']> = Extract<TestEvent, { type: Type }>['data']

/** Filters the events of the `spec` reporter to those that people read, and counts into `tally`. */
export const concise = (tally: Tally, isVerbose: boolean): Reporter =>
  async function* (events) {
    // `spec` prints the suites around a failure from their start events, so these events wait for the first failure.
    const waiting: TestEvent[] = []
    for await (const event of events) {
      if (event.type === 'test:pass' && event.data.skip !== undefined) tally.skips.push(skipOf(event.data))
      if (event.type === 'test:summary') yield* summary(tally, event.data)
      else if (event.type === 'test:diagnostic' && event.data.message.startsWith('tests '))
        yield* [...skips(tally), event]
      else if (isVerbose) yield event
      else if (event.type === 'test:start') waiting[event.data.nesting] = event
      else if (event.type === 'test:fail') yield* [...waiting.splice(0).filter(Boolean), event]
      else if (event.type === 'test:pass') waiting.splice(event.data.nesting)
      else yield event
    }
  }

function* summary(tally: Tally, { file, counts, duration_ms, success }: Of<'test:summary'>): Generator<TestEvent> {
  if (file === undefined) {
    tally.isSuccess = success
    return
  }
  // The sum of all files is not used, because it counts a file without a test as one test.
  tally.ran += counts.tests - counts.skipped
  const path = relative('', file)
  // A group of unit tests is a temporary file (test/unit-groups.ts).
  const name = `${path.startsWith('..') ? basename(path) : path}: ${counts.passed} of ${counts.tests}`
  if (!success) yield diagnostic(`✖ ${name}`)
  else yield { type: 'test:pass', data: { ...NO_TEST, name, details: { duration_ms: Math.round(duration_ms) } } }
}

function* skips({ skips }: Tally): Generator<TestEvent> {
  if (skips.length === 0) return
  yield diagnostic(`Skipped ${skips.length}:`)
  for (const { name, file, reason } of skips) yield diagnostic(`  ${file} "${name}": ${reason}`)
}

function skipOf({ name, file, skip }: Of<'test:pass'>): Tally['skips'][number] {
  return {
    name,
    file: file === undefined ? '' : relative('', file),
    reason: typeof skip === 'string' ? skip : 'no reason',
  }
}

const diagnostic = (message: string): TestEvent => ({
  type: 'test:diagnostic',
  data: { nesting: 0, message, level: 'info' },
})
