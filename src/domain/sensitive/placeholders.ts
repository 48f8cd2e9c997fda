// Values that documentation writes where a secret belongs.
import { entropyOf } from './characters.ts'

const PLACEHOLDER =
  /change.?me|example|placeholder|your|xxxx|\*\*\*|passw|passphrase|secret|token|dummy|sample|redacted|masked|foobar|replace|insert|\.\.\.|…|•|123456|abcdef|s3cr3t|p@ss|qwert/i
const VARIABLE = /^[$%<[({@&*#]|\$\{|\{\{|\$\(|[(){}]/

/** For values of assignments and passwords in URLs. */
export const isPlaceholder = (value: string): boolean => VARIABLE.test(value) || PLACEHOLDER.test(value)

const MIN_TOKEN_ENTROPY = 3

/** For bodies of tokens with a known prefix: a random one of this length repeats few characters. */
export const isTokenPlaceholder = (body: string): boolean =>
  /example|xxxx|your|placeholder|redacted|0000000|abcdefgh|12345678/i.test(body) || entropyOf(body) < MIN_TOKEN_ENTROPY
