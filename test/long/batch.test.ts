// A batch may take longer than other requests: its time limit applies to silence, not to the total.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { documentOf, start } from '../api/setup.ts'

/** Every other request is aborted after 60 s; the server checks every 30 s. */
const DURATION_MS = 95_000

test('a batch that takes longer than 90 seconds is not aborted', { timeout: 3 * DURATION_MS }, async () => {
  const { server } = await start()
  const sent = request(`${server.url}/service-api/ingestion/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/x-ndjson' },
  })
  const answer = new Promise<string>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const pieces: Buffer[] = []
      try {
        for await (const piece of response) pieces.push(piece)
        resolve(Buffer.concat(pieces).toString())
      } catch (error) {
        reject(error)
      }
    })
  })
  const end = performance.now() + DURATION_MS
  let lines = 0
  for (; performance.now() < end; lines++) {
    sent.write(`${JSON.stringify({ document: documentOf('patient', { id: `patient ${lines}` }) })}\n`)
    await Promise.race([delay(1_000), answer])
  }
  sent.end()
  assert.deepEqual(JSON.parse((await answer).split('\n').at(-2)!), { done: true, lines, accepted: lines, failed: 0 })
})
