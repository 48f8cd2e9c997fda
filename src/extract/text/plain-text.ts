import type { FormatReader } from '../reader.ts'
import { decodeText } from './decode-text.ts'

/** Also reads YAML, whose keys and comments are useful text. */
export const readPlainText: FormatReader = ({ bytes, charset, section }) =>
  section({ text: decodeText(bytes, [charset]) })
