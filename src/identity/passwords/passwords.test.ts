import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ComputeTag, createTagComputer } from './compute-tag.ts'
import { createPasswords, MAX_PASSWORD_LENGTH, needsRehash } from './passwords.ts'

const { hash, matches } = createPasswords()

/** From the tests of the reference implementation: https://github.com/P-H-C/phc-winner-argon2/blob/master/src/test.c */
const REFERENCE = [
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
]

test('a password matches its own hash and no other', async () => {
  const stored = await hash('correct horse battery')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.deepEqual(
    [await matches('correct horse battery', stored), await matches('Correct horse', stored)],
    [true, false],
  )
})

test('a hash is computed in a thread of low priority', { skip: process.platform !== 'linux' }, async () => {
  await hash('correct horse battery')
  const niceOf = (thread: string) =>
    readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]
  assert.ok(readdirSync('/proc/self/task').some((it) => niceOf(it) === '10'))
  assert.equal(niceOf(String(process.pid)), '0')
})

test('a computation that argon2 refuses fails alone', async () => {
  const compute = createTagComputer()
  const parameters = { message: 'x', nonce: Buffer.alloc(8), parallelism: 1, tagLength: 32, memory: 8, passes: 1 }
  await assert.rejects(compute({ ...parameters, nonce: Buffer.alloc(1) }), /nonce/)
  assert.equal((await compute(parameters)).length, 32)
})

test('two hashes of one password differ', async () => {
  assert.notEqual(await hash('correct horse battery'), await hash('correct horse battery'))
})

for (const stored of REFERENCE) {
  test(`the hash of the reference implementation matches: ${stored.slice(0, 30)}`, async () => {
    assert.deepEqual([await matches('password', stored), await matches('passwore', stored)], [true, false])
  })
}

test('the composed and the decomposed form of a letter are the same password', async () => {
  assert.equal(await matches('mu\u0308nchen im sommer', await hash('m\u00fcnchen im sommer')), true)
})

/** Computes the cheapest tag and notes what it was asked for. */
function recordComputations() {
  const asked: Parameters<ComputeTag>[0][] = []
  const computeTag: ComputeTag = async (parameters) => {
    asked.push(parameters)
    return Buffer.alloc(parameters.tagLength)
  }
  return { asked, passwords: createPasswords({ computeTag }) }
}

test('an unknown person costs the same computation as a known one, and matches nothing', async () => {
  const { asked, passwords } = recordComputations()
  const stored = await passwords.hash('correct horse battery')
  await passwords.matches('a guess', stored)
  // The tag of the substitute is the tag that this computation returns, so only the absence makes it false.
  assert.equal(await passwords.matches('a guess', null), false)
  const cost = asked.map(({ memory, passes, parallelism, tagLength }) => [memory, passes, parallelism, tagLength])
  assert.deepEqual(
    cost,
    Array.from({ length: 3 }, () => [19_456, 2, 1, 32]),
  )
})

test('a password of the greatest length is accepted, and a longer one is refused before any computation', async () => {
  const { asked, passwords } = recordComputations()
  const refused = { code: 'INVALID_INPUT', message: /longer than 1000 characters/ }
  await passwords.hash('x'.repeat(MAX_PASSWORD_LENGTH))
  await passwords.hash('😀'.repeat(MAX_PASSWORD_LENGTH))
  await passwords.hash('u\u0308'.repeat(MAX_PASSWORD_LENGTH))
  for (const text of ['x', '😀', 'u\u0308']) {
    await assert.rejects(passwords.hash(text.repeat(MAX_PASSWORD_LENGTH + 1)), refused)
  }
  await assert.rejects(passwords.matches('x'.repeat(10_000_000), null), refused)
  assert.equal(asked.length, 3)
})

const VALID = REFERENCE[1]!
for (const [what, stored] of [
  ['empty', ''],
  ['of another function', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'],
  ['of argon2i', VALID.replace('argon2id', 'argon2i')],
  ['of another version', VALID.replace('v=19', 'v=16')],
  ['with more than 1 GiB', VALID.replace('m=256', 'm=1048577')],
  ['with too little memory', VALID.replace('m=256', 'm=7')],
  ['with 11 passes', VALID.replace('t=2', 't=11')],
  ['with five lanes', VALID.replace('p=1', 'p=5')],
  ['with no pass', VALID.replace('t=2', 't=0')],
  ['with a number in another form', VALID.replace('m=256', 'm=0256')],
  ['with a short salt', VALID.replace('c29tZXNhbHQ', 'c29tZXM')],
  ['with a short tag', VALID.slice(0, -25)],
  ['with bits after the last byte', VALID.replace(/4$/, '5')],
  ['with padding', `${VALID}=`],
  ['with a line end', `${VALID}\n`],
] as const) {
  test(`a stored hash ${what} is an error that does not show it`, async () => {
    const isPlain = ({ message }: Error) => /cannot be read/.test(message) && !message.includes('$')
    await assert.rejects(matches('password', stored), isPlain)
    assert.throws(() => needsRehash(stored), isPlain)
  })
}

test('a hash of other parameters needs a new one', async () => {
  const present = await recordComputations().passwords.hash('correct horse battery')
  const olds = [
    ['m=19456', 'm=9216'],
    ['t=2', 't=1'],
    ['p=1', 'p=2'],
  ] as const
  assert.deepEqual([present, ...olds.map(([from, to]) => present.replace(from, to))].map(needsRehash), [
    false,
    true,
    true,
    true,
  ])
})

test('one computation runs at a time, the waiting line is bounded, and it empties', async () => {
  const gates: PromiseWithResolvers<Buffer>[] = []
  const computeTag: ComputeTag = () => {
    const gate = Promise.withResolvers<Buffer>()
    gates.push(gate)
    return gate.promise
  }
  const passwords = createPasswords({ computeTag, maxWaiting: 2 })
  const results = [1, 2, 3].map((it) => passwords.matches(`password ${it}`, null))
  await nextTurn()
  assert.equal(gates.length, 1)
  await assert.rejects(passwords.hash('one too many'), {
    code: 'SERVICE_UNAVAILABLE',
    message: /^Too many people are signing in/,
  })
  gates[0]!.reject(new Error('refused'))
  await assert.rejects(results[0]!, /refused/)
  for (const at of [1, 2]) {
    await nextTurn()
    assert.equal(gates.length, at + 1)
    gates[at]!.resolve(Buffer.alloc(32))
  }
  assert.deepEqual(await Promise.all(results.slice(1)), [false, false])
  const next = passwords.matches('after them', null)
  await nextTurn()
  gates[3]!.resolve(Buffer.alloc(32))
  assert.equal(await next, false)
})
