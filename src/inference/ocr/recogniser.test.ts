import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createTextRecogniser, explainMissingRecogniser, type GreyPicture, RecognitionError } from './recogniser.ts'

const { signal } = new AbortController()
/** Drawn with DejaVu and Liberation, 22 to 30 pixels high. */
const LINES = [
  'Übersicht der Öffnungszeiten',
  'Die Bücherei schließt am Freitag früher, außer im März.',
  'Le café où nous étions déjà passés était fermé à Noël.',
  'El niño comió piñones y pidió más azúcar mañana.',
  'Zażółć gęślą jaźń, a potem wróć do domu.',
  'Příliš žluťoučký kůň úpěl ďábelské ódy.',
  'Invoice 2024-117: total 1,482.50 due by 31 May',
  'São necessárias três informações até amanhã.',
]
const page: GreyPicture = {
  width: 800,
  height: 470,
  pixels: new Uint8Array(gunzipSync(readFileSync(join(import.meta.dirname, 'sample-page.gz')))),
}
const blank: GreyPicture = { width: 64, height: 64, pixels: new Uint8Array(64 * 64).fill(255) }

const recogniser = createTextRecogniser()
after(() => recogniser.close())

for (const [name, picture] of [
  ['a page', page],
  ['a page that is turned by 3 degrees', turn(page, 3)],
  ['a page that is upside down', { ...page, pixels: page.pixels.toReversed() }],
  ['a page that lies on its side', turn(page, 90)],
] as const) {
  test(`${name} in seven languages is read in order`, async () => {
    const { text, confidence } = await recogniser.recognise(picture, signal)
    const lines = text.split('\n').filter(Boolean)
    assert.deepEqual(lines.map(firstLetters), LINES.map(firstLetters))
    assert.ok(shareOfWords(text) >= 0.95, `${shareOfWords(text)} of the words in ${text}`)
    assert.ok(confidence > 0.95 && confidence <= 1, `${confidence}`)
  })
}

test('a picture without text has none', async () => {
  assert.deepEqual(await recogniser.recognise(blank, signal), { text: '', confidence: 1 })
})

test('a picture of one pixel has no text', async () => {
  const picture = { width: 1, height: 1, pixels: Uint8Array.of(0) }
  assert.deepEqual(await recogniser.recognise(picture, signal), { text: '', confidence: 1 })
})

test('a picture whose sides do not fit its pixels is refused', async () => {
  for (const picture of [
    { width: 0, height: 0, pixels: new Uint8Array() },
    { width: 3, height: 2, pixels: new Uint8Array(5) },
    { width: -2, height: -2, pixels: new Uint8Array(4) },
    { width: 1.5, height: 2, pixels: new Uint8Array(3) },
  ])
    await assert.rejects(recogniser.recognise(picture, signal), { name: 'RecognitionError', message: /damaged/ })
})

test('a picture of too many pixels is refused', async () => {
  const picture = { width: 40_001, height: 1_000, pixels: new Uint8Array(40_001_000) }
  await assert.rejects(recogniser.recognise(picture, signal), { message: /41 million pixels/ })
})

test('an aborted picture rejects with the reason, and the next one is read', async () => {
  const reason = new Error('enough')
  await assert.rejects(recogniser.recognise(page, AbortSignal.abort(reason)), reason)
  const stop = new AbortController()
  const aborted = recogniser.recognise(page, stop.signal)
  const next = recogniser.recognise(blank, signal)
  // The first picture has been sent then.
  setImmediate(() => stop.abort(reason))
  await assert.rejects(aborted, reason)
  assert.equal((await next).text, '')
})

test('a picture that needs too much memory fails, and says so', async () => {
  const small = createTextRecogniser({ memoryBytes: 1 << 20 })
  try {
    await assert.rejects(small.recognise(page, signal), { name: 'RecognitionError', message: /too much memory/ })
  } finally {
    await small.close()
  }
})

for (const [limit, message] of [
  [{ timeoutMs: 1 }, /in 0.001 seconds/],
  [{ processorMs: 1 }, /too much processor time/],
] as const)
  test(`a picture that takes longer than ${JSON.stringify(limit)} fails, and says so`, async () => {
    const impatient = createTextRecogniser(limit)
    try {
      await assert.rejects(impatient.recognise(page, signal), { name: 'RecognitionError', message })
    } finally {
      await impatient.close()
    }
  })

test('a process is replaced after its pictures, and when it was killed or idle', async () => {
  const children: ChildProcess[] = []
  // Node publishes `{ process }` there.
  const remember = (started: unknown) => void children.push((started as { process: ChildProcess }).process)
  subscribe('child_process', remember)
  const frugal = createTextRecogniser({ picturesPerProcess: 2 })
  const idle = createTextRecogniser({ idleMs: 1 })
  try {
    for (const count of [1, 1, 2]) {
      await frugal.recognise(blank, signal)
      assert.equal(children.length, count)
    }
    children[1]!.kill('SIGKILL')
    await once(children[1]!, 'exit')
    assert.equal((await frugal.recognise(blank, signal)).text, '')
    assert.equal(children.length, 3)
    await idle.recognise(blank, signal)
    await once(children[3]!, 'exit')
    await idle.recognise(blank, signal)
    assert.equal(children.length, 5)
  } finally {
    unsubscribe('child_process', remember)
    await Promise.all([frugal.close(), idle.close()])
  }
})

test('closing ends the pictures that are read and that wait, and later ones', async () => {
  const closed = createTextRecogniser()
  const pictures = [page, page].map((it) => assert.rejects(closed.recognise(it, signal), RecognitionError))
  await closed.close()
  await Promise.all(pictures)
  await assert.rejects(closed.recognise(page, signal), { name: 'RecognitionError', message: /closed/ })
})

test('a system without a runtime library is named', () => {
  assert.equal(explainMissingRecogniser(process), null)
  assert.match(explainMissingRecogniser({ platform: 'aix', arch: 'ppc64' }) ?? '', /no library for aix on ppc64/)
})

const firstLetters = (line: string) => line.slice(0, 5)

function shareOfWords(text: string): number {
  const read = new Set(text.split(/\s/))
  const words = LINES.join(' ').split(' ')
  return words.filter((it) => read.has(it)).length / words.length
}

/** Clockwise, on white, with the nearest four pixels mixed. */
function turn({ width, height, pixels }: GreyPicture, degrees: number): GreyPicture {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const newWidth = Math.ceil(width * Math.abs(cos) + height * Math.abs(sin))
  const newHeight = Math.ceil(width * Math.abs(sin) + height * Math.abs(cos))
  const at = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? 255 : (pixels[y * width + x] ?? 255)
  const turned = new Uint8Array(newWidth * newHeight)
  for (let place = 0; place < turned.length; place++) {
    const across = (place % newWidth) - (newWidth - 1) / 2
    const down = Math.floor(place / newWidth) - (newHeight - 1) / 2
    const x = across * cos + down * sin + (width - 1) / 2
    const y = down * cos - across * sin + (height - 1) / 2
    const [left, top] = [Math.floor(x), Math.floor(y)]
    const upper = at(left, top) * (left + 1 - x) + at(left + 1, top) * (x - left)
    const lower = at(left, top + 1) * (left + 1 - x) + at(left + 1, top + 1) * (x - left)
    turned[place] = Math.round(upper * (top + 1 - y) + lower * (y - top))
  }
  return { width: newWidth, height: newHeight, pixels: turned }
}
