import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { explainWeakPassword, MIN_PASSWORD_LENGTH } from './password-policy.ts'
import { MAX_PASSWORD_LENGTH } from './passwords.ts'

const ADA = { email: 'ada.lovelace99@example.com', name: 'Ada Lovelace' }

for (const password of [
  'correct horse battery staple',
  'vT9#qm!2LwzX',
  'violet-harbour-73-quilt',
  'ada likes long walks',
  // A common word with more added than people add.
  'dragon8391047263',
  // Twelve characters that repeat a password of twelve.
  'vT9#qm!2LwzXvT9#qm!2LwzX',
  'münchen im sommer',
  '私は毎朝七時に起きて走ります',
  '😀🐢🎈🍋🚲🌧🔑🧀🦊🎻🧭🪁',
]) {
  test(`"${password}" may be used`, () => assert.equal(explainWeakPassword(password, ADA), null))
}

const WEAK: Record<string, readonly string[]> = {
  'too short': ['', 'vT9#qm!2Lwz', '😀🐢🎈🍋🚲🌧🔑🧀🦊🎻🧭', 'u\u0308bungsheft'],
  'too long': ['vT9#qm!2LwzX'.repeat(84)],
  'repeats a short part': [
    'aaaaaaaaaaaa',
    'AaAaAaAaAaAa',
    'monkeymonkey',
    'abcabcabcabcab',
    '😀😀😀😀😀😀😀😀😀😀😀😀',
  ],
  'is a sequence': [
    'abcdefghijkl',
    'UVWXYZabcdef',
    'lkjihgfedcba',
    '890123456789',
    '098765432109',
    'qwertyuiopas',
    '1234567890qwertz',
    'azertyuiopqs',
    'abcdef123456',
  ],
  'is your e-mail address or your name': [
    'ada.lovelace99@example.com',
    'Ada.Lovelace99',
    'adalovelace99',
    'ada lovelace',
    'Lovelace, Ada',
    'AdaLovelace1815!',
  ],
  'is one of the most common passwords': ['1qaz2wsx3edc', 'Password1234', 'Unbelievable', 'Ｐassword１２３４'],
  'is a common password with a few digits or signs added': [
    'password2024',
    'Sunshine99!!!',
    '!!p@ssw0rd!!',
    'administrator1',
  ],
}
const PHRASES: Record<string, RegExp> = { 'too short': /needs at least 12\./, 'too long': /may have at most 1000\./ }
for (const [fault, passwords] of Object.entries(WEAK)) {
  for (const password of passwords) {
    test(`"${password.slice(0, 30)}" is refused: ${fault}`, () => {
      const reason = explainWeakPassword(password, ADA) ?? 'accepted'
      assert.match(reason, PHRASES[fault] ?? new RegExp(RegExp.escape(fault)))
      assert.match(reason, /\. Choose [^.]+\.$/)
    })
  }
}

test('the bounds themselves are allowed', () => {
  const characters = Array.from({ length: MAX_PASSWORD_LENGTH }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((at * 7) % 5_003)),
  )
  for (const length of [MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH]) {
    assert.equal(explainWeakPassword(characters.slice(0, length).join(''), ADA), null)
  }
})

test('a person without a name or with an empty one may use any good password', () => {
  for (const name of [null, '', ' ']) {
    assert.equal(explainWeakPassword('!#%&/()=?+*-_:;', { email: '@example.com', name }), null)
  }
})

test('importing the policy does not load the list', () => {
  const file = pathToFileURL(`${import.meta.dirname}/password-policy.ts`).href
  const script = `
    import { createRequire } from 'node:module'
    const { explainWeakPassword } = await import('${file}')
    const isLoaded = () => Object.keys(createRequire('${file}').cache).some((it) => it.includes('zxcvbn'))
    const before = isLoaded()
    explainWeakPassword('correct horse battery staple', { email: 'a@b.test', name: null })
    console.log(before, isLoaded())`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.equal(printed.trim(), 'false true')
})
