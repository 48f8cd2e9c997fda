// Explains why a password is too easy to guess. There are no rules about kinds of characters, because they lead people
// to passwords that are easy to guess: https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver
import { createRequire } from 'node:module'
import { MAX_PASSWORD_LENGTH } from './passwords.ts'

/** In code points. */
export const MIN_PASSWORD_LENGTH = 12
/** The number of digits and signs that people add to a common password: a year, a sign, "123456". */
const MAX_ADDED = 6

/** Null if the password may be used. The first call takes 25 ms, because it reads the list of passwords. */
export function explainWeakPassword(
  password: string,
  { email, name }: { email: string; name: string | null },
): string | null {
  const length = [...password.normalize('NFC')].length
  if (length < MIN_PASSWORD_LENGTH) {
    return `The password has ${length} characters and needs at least ${MIN_PASSWORD_LENGTH}. Choose a longer one; several words are easy to remember.`
  }
  if (length > MAX_PASSWORD_LENGTH) {
    return `The password has ${length} characters and may have at most ${MAX_PASSWORD_LENGTH}. Choose a shorter one.`
  }
  const text = password.normalize('NFKC').toLowerCase()
  // Has at least six characters.
  const core = withoutAdditions(text)
  if ([text, core].some(isRepetition)) {
    return 'The password repeats a short part. Choose one without repetitions.'
  }
  if ([text, core].some(isSequence)) {
    return 'The password is a sequence of letters, digits or keys. Choose one whose characters do not follow an order.'
  }
  const personal = personalTexts(email, name)
  if ([text, core].some((it) => personal.has(fold(it)))) {
    return 'The password is your e-mail address or your name. Choose one that has nothing to do with them.'
  }
  commonPasswords ??= new Set(loadDictionaries().dictionary['passwords-common'])
  if (commonPasswords.has(text)) {
    return 'The password is one of the most common passwords. Choose another one; several unrelated words are hard to guess.'
  }
  if (commonPasswords.has(core)) {
    return 'The password is a common password with a few digits or signs added. Choose another one; several unrelated words are hard to guess.'
  }
  return null
}

/** Whether the text repeats a part that would be too short as a password. The last repetition may be cut off. */
function isRepetition(text: string): boolean {
  const longest = Math.min(MIN_PASSWORD_LENGTH - 1, Math.floor(text.length / 2))
  for (let period = 1; period <= longest; period++) if (text.startsWith(text.slice(period))) return true
  return false
}

/** Each goes on from its start after its end: the alphabet, and the rows of three keyboards. */
const SEQUENCES = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789',
  '1234567890qwertyuiopasdfghjklzxcvbnm',
  '1234567890qwertzuiopasdfghjklyxcvbnm',
  '1234567890azertyuiopqsdfghjklmwxcvbn',
]

function isSequence(text: string): boolean {
  const reversed = [...text].reverse().join('')
  return SEQUENCES.some((sequence) => {
    const repeated = sequence.repeat(Math.ceil(text.length / sequence.length) + 1)
    return repeated.includes(text) || repeated.includes(reversed)
  })
}

/** The text without the digits and signs at its ends; the text itself if there are too many of them. */
function withoutAdditions(text: string): string {
  const characters = [...text]
  const isLetter = (it: string) => /\p{L}/u.test(it)
  const kept = characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1)
  return characters.length - kept.length > MAX_ADDED ? text : kept.join('')
}

/** The result does not depend on case, spaces and signs. */
const fold = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join('')

function personalTexts(email: string, name: string | null): Set<string> {
  const words = (name ?? '').split(' ')
  const texts = [email, email.slice(0, email.lastIndexOf('@')), words.join(''), words.reverse().join('')]
  const folded = new Set(texts.flatMap((it) => [fold(it), fold(withoutAdditions(it))]))
  folded.delete('')
  return folded
}

/** Loaded on first use: a start does not need the list. */
let commonPasswords: ReadonlySet<string> | undefined
const loadDictionaries = (): Pick<typeof import('@zxcvbn-ts/language-common'), 'dictionary'> =>
  createRequire(import.meta.url)('@zxcvbn-ts/language-common')
