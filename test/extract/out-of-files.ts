// Extracts a PDF while the process has few file descriptors left, or none. Exits with an error if an expectation fails.
import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { createExtractor } from '../../src/extract/extract.ts'
import { pdf } from './pdf-writer.ts'

const bytes = pdf([{ text: 'snowdrop' }])
const taken: number[] = []

function takeAllBut(count: number): void {
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'))
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'EMFILE')
  }
  release(count)
}

function release(count: number): void {
  for (const file of taken.splice(0, count)) closeSync(file)
}

let refused = 0
for (let free = 0; free < 12; free++) {
  const extractor = createExtractor({ processes: 1 })
  const extract = () =>
    extractor.extract({ source: { bytes }, file_name: 'a.pdf', signal: AbortSignal.timeout(60_000) })
  takeAllBut(free)
  const code = await extract().then(
    ({ sections }) => sections[0]?.text,
    (error) => error.code,
  )
  assert.ok(code === 'snowdrop' || code === 'OUT_OF_FILES', `with ${free} descriptors: ${code}`)
  if (code === 'OUT_OF_FILES') refused++
  release(Infinity)
  assert.equal((await extract()).sections[0]?.text, 'snowdrop')
  await extractor.close()
}
assert.ok(refused > 0 && refused < 12, `refused ${refused} times`)
process.exit(0)
