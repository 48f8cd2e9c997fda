// Codes that replace the second factor, each once, when the authenticator app is lost.
import { randomInt } from 'node:crypto'
import { hashSecret } from '../keys/key-format.ts'

export const RECOVERY_CODES = 10
/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_LENGTH = 4

/** Four groups of four characters: 79 random bits. */
export const createRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, createRecoveryCode)

const createRecoveryCode = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-')

/** Spaces, hyphens and capitals do not matter. The codes are random, so a fast hash suffices. */
export const hashRecoveryCode = (code: string): string => hashSecret(code.replaceAll(/[\s-]/g, '').toLowerCase())
