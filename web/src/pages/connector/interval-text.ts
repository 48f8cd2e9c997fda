import { textsOf } from '../../text/texts.ts'

const SPANS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const

/** "every 6 hours"; 0 and null are never. */
export function intervalText(seconds: number | null): string {
  const t = textsOf('admin.connector.config')
  if (seconds === null || seconds === 0) return t('never')
  const [unit, size] = SPANS.find(([, it]) => seconds % it === 0) ?? SPANS[3]
  return t(`every.${unit}`, { count: seconds / size })
}
