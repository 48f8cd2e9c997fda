import { language } from '../../text/language.ts'

const FRACTION_DIGITS = 3
const score = new Intl.NumberFormat(language, {
  minimumFractionDigits: FRACTION_DIGITS,
  maximumFractionDigits: FRACTION_DIGITS,
})

export const formatScore = (it: number): string => score.format(it)
