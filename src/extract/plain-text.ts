import { decodeText } from './decode-text.ts'
import type { Reader } from './reading.ts'

/** YAML too: its keys and comments are words as they stand. */
export const readPlainText: Reader = ({ bytes, charset, section }) => section({ text: decodeText(bytes, [charset]) })
