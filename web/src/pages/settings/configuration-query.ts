import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getConfiguration, previewRetention } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { RETENTION_NAMES, SETTING_KINDS } from './setting-fields.ts'
import type { SettingTexts } from './setting-values.ts'

export const configurationQuery = queryOptions({
  queryKey: ['configuration'],
  queryFn: ({ signal }) => getConfiguration(api, { signal }),
})

/** Counts what would go with the days in the form; days that the API would refuse are left out. */
export function retentionQuery(texts: SettingTexts) {
  const days = Object.fromEntries(
    RETENTION_NAMES.map((name) => [name, daysOf(texts[name], SETTING_KINDS[name])] as const).filter(
      ([, it]) => it !== undefined,
    ),
  )
  return queryOptions({
    queryKey: ['configuration', 'retention', days],
    queryFn: ({ signal }) => previewRetention(api, { ...days, signal }),
    placeholderData: keepPreviousData,
  })
}

/** An empty field is the default, which the service knows. */
function daysOf(text: string, { max, isWhole }: { max: number; isWhole: boolean }): number | null | undefined {
  if (text.trim() === '') return null
  const days = Number(text)
  return days >= 0 && days <= max && (!isWhole || Number.isInteger(days)) ? days : undefined
}
