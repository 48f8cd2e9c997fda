import assert from 'node:assert/strict'
import test from 'node:test'
import { createTurnstile, type Ticket, type Turnstile } from './turnstile.ts'

const WIDE = { places: 1, placesPerKey: 1, waiting: 1_000, waitingPerKey: 1_000 }

const ticket = (turnstile: Turnstile, key: string): Ticket => {
  const entered = turnstile.enter(key)
  if (typeof entered === 'string') assert.fail(`${key} was refused: ${entered}`)
  return entered
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('as many as there are places work at once, and the next one waits for the first who leaves', async () => {
  const turnstile = createTurnstile({ ...WIDE, places: 2, placesPerKey: 2 })
  const first = ticket(turnstile, 'a')
  assert.equal(first.turn, undefined)
  assert.equal(ticket(turnstile, 'a').turn, undefined)
  const third = ticket(turnstile, 'a')
  assert.ok(third.turn)
  first.leave()
  await third.turn
})

test('a key that asks a hundred times waits behind every other key once, not a hundred times', async () => {
  const turnstile = createTurnstile(WIDE)
  const called: string[] = []
  const open = new Map([['first', ticket(turnstile, 'greedy')]])
  for (let at = 0; at < 100; at++) open.set(`greedy ${at}`, ticket(turnstile, 'greedy'))
  open.set('modest', ticket(turnstile, 'modest')).set('shy', ticket(turnstile, 'shy'))
  for (const [name, { turn }] of open) turn?.then(() => called.push(name))
  for (let turns = 0; turns < 4; turns++) {
    open.get(called.at(-1) ?? 'first')!.leave()
    await settled()
  }
  assert.deepEqual(called, ['greedy 0', 'modest', 'shy', 'greedy 1'])
})

test('one key never has all places, however long it keeps them', async () => {
  const turnstile = createTurnstile({ ...WIDE, places: 3, placesPerKey: 2 })
  const first = ticket(turnstile, 'a')
  ticket(turnstile, 'a')
  const third = ticket(turnstile, 'a')
  assert.ok(third.turn)
  assert.equal(ticket(turnstile, 'b').turn, undefined)
  first.leave()
  await third.turn
})

test('a key with its share waiting is refused, and the others are not', () => {
  const turnstile = createTurnstile({ ...WIDE, waitingPerKey: 2 })
  for (let at = 0; at < 3; at++) ticket(turnstile, 'a')
  assert.equal(turnstile.enter('a'), 'greedy')
  assert.ok(ticket(turnstile, 'b').turn)
})

test('nobody waits in a queue that is full', () => {
  const turnstile = createTurnstile({ ...WIDE, waiting: 2 })
  ticket(turnstile, 'a')
  ticket(turnstile, 'a')
  ticket(turnstile, 'b')
  assert.equal(turnstile.enter('c'), 'crowded')
})

test('who leaves before its turn is passed over, and leaving twice frees one place only', async () => {
  const turnstile = createTurnstile(WIDE)
  const first = ticket(turnstile, 'a')
  const gone = ticket(turnstile, 'a')
  const next = ticket(turnstile, 'a')
  gone.leave()
  gone.leave()
  first.leave()
  first.leave()
  await next.turn
  assert.ok(ticket(turnstile, 'a').turn)
})

test('while several keys ask, each has one place, and a second for what has waited too long', async () => {
  let nowMs = 0
  const patient = { ...WIDE, places: 4, placesPerKey: 3, patienceMs: 200 }
  const turnstile = createTurnstile(patient, () => nowMs)
  const [first, second] = [ticket(turnstile, 'greedy'), ticket(turnstile, 'greedy')]
  assert.equal(second.turn, undefined, 'alone it need not wait')
  assert.equal(ticket(turnstile, 'modest').turn, undefined)
  const [third, fourth] = [ticket(turnstile, 'greedy'), ticket(turnstile, 'greedy')]
  let began = 0
  for (const it of [third, fourth]) it.turn?.then(() => began++)
  first.leave()
  await settled()
  assert.equal(began, 0, 'it has one still')
  nowMs = 199
  second.leave()
  await settled()
  assert.equal(began, 1)
  nowMs = 200
  ticket(turnstile, 'shy').leave()
  await settled()
  assert.equal(began, 2)
})

test('a second after the others have gone, a key has its places again', () => {
  let nowMs = 0
  const turnstile = createTurnstile({ ...WIDE, places: 4, placesPerKey: 3, patienceMs: 200 }, () => nowMs)
  ticket(turnstile, 'modest').leave()
  assert.equal(ticket(turnstile, 'greedy').turn, undefined)
  nowMs = 999
  const waits = ticket(turnstile, 'greedy')
  assert.ok(waits.turn)
  waits.leave()
  nowMs = 1_000
  assert.equal(ticket(turnstile, 'greedy').turn, undefined)
})
