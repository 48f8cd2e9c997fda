import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areNearDuplicates, bandsOf, decodeSignature, encodeSignature, likeness } from './signature.ts'
import { createTextSigner, SIGNATURE_VALUES } from './text-signer.ts'

function sign(text: string, title = 'Title'): Uint16Array {
  const signer = createTextSigner()
  signer.add(text)
  return signer.sign(title) ?? assert.fail('no words')
}
const wordsOf = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `word${from + at}`)
const textOf = (count: number, from = 0) => wordsOf(count, from).join(' ')
/** Every nth word is another one. */
const changed = (count: number, every: number) =>
  wordsOf(count)
    .map((it, at) => (at % every === every - 1 ? `new${at}` : it))
    .join(' ')

test('the likeness is about the share of common shingles', () => {
  for (const common of [500, 800, 950]) {
    const [one, other] = [sign(textOf(1_000)), sign(textOf(1_000, 1_000 - common))]
    const share = (common - 3) / (2 * 997 - (common - 3))
    assert.ok(Math.abs(likeness(one, other) - share) < 0.12, `${common}: ${likeness(one, other)} ${share}`)
  }
})

test('spaces, capitals and signs do not count, in texts of any length', () => {
  for (const count of [1, 20, 60, 2_000]) {
    const text = textOf(count)
    assert.deepEqual(sign(text.toUpperCase().replaceAll(' ', ',\n  ')), sign(text))
  }
})

test('parts that are added one by one are one text', () => {
  const signer = createTextSigner()
  for (const word of wordsOf(300)) signer.add(word)
  assert.deepEqual(signer.sign('Title'), sign(textOf(300)))
})

test('one changed word of a thousand leaves a near duplicate, every twentieth does not', () => {
  const original = sign(textOf(1_000))
  assert.ok(areNearDuplicates(original, sign(changed(1_000, 900))))
  assert.ok(!areNearDuplicates(original, sign(changed(1_000, 20))))
})

test('texts with different titles must be more alike', () => {
  const text = changed(1_000, 130)
  assert.ok(areNearDuplicates(sign(textOf(1_000), 'Leave'), sign(text, ' LEAVE ')))
  assert.ok(!areNearDuplicates(sign(textOf(1_000), 'Leave'), sign(text, 'Travel')))
})

test('short texts are near duplicates only if they and their titles are equal', () => {
  assert.ok(areNearDuplicates(sign('Call 4711', 'Help'), sign('call  4711.', 'help')))
  assert.ok(!areNearDuplicates(sign('Call 4711', 'Help'), sign('Call 4712', 'Help')))
  assert.ok(!areNearDuplicates(sign('Call 4711', 'Help'), sign('Call 4711', 'Fire')))
  assert.ok(!areNearDuplicates(sign(textOf(49)), sign(changed(49, 49))))
})

test('a letter of a script without spaces is a word', () => {
  const text = '山川草木日月星辰春夏秋冬東西南北'.repeat(2) + '一二三四五六七八九十百千万上下左右前後内外'.repeat(20)
  assert.ok(areNearDuplicates(sign(text), sign(`${text}終`)))
  assert.ok(!areNearDuplicates(sign('山川'), sign('川山')))
  assert.ok(!areNearDuplicates(sign('\u{20000}'), sign('\u{20001}')))
})

test('a text without words has no signature', () => {
  const signer = createTextSigner()
  signer.add(' … — \u0301 ')
  assert.equal(signer.sign('Title'), null)
})

test('a signature is stored and read again', () => {
  const signature = sign(textOf(70))
  assert.deepEqual(decodeSignature(encodeSignature(signature)), signature)
})

test('near duplicates share a band, and unlike texts none', () => {
  const bands = new Set(bandsOf(sign(textOf(1_000))))
  assert.ok(bandsOf(sign(changed(1_000, 200))).some((it) => bands.has(it)))
  assert.ok(bandsOf(sign(textOf(1_000, 5_000))).every((it) => !bands.has(it)))
  assert.ok([...bands].every((it) => Number.isSafeInteger(it) && it >= 0 && it < 2 ** 48))
})

test('a text of 8 MB that is hostile is signed in linear time', () => {
  const started = performance.now()
  for (const text of ['\u0301'.repeat(4_000_000), 'a b '.repeat(2_000_000), '\ud800'.repeat(2_000_000)]) {
    const signer = createTextSigner()
    for (let at = 0; at < text.length; at += 100_000) signer.add(text.slice(at, at + 100_000))
    const signature = signer.sign('')
    assert.ok(signature === null || signature.length > SIGNATURE_VALUES)
  }
  assert.ok(performance.now() - started < 20_000)
})
