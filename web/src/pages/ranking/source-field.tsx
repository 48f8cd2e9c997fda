// The name of a source on the wire, with those of the index as suggestions.
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { listIndexedSources } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

/** The longest name that the API takes. */
const MAX_NAME = 2_000

export function SourceField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = textsOf('admin.ranking')
  const id = useId()
  const sources = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => listIndexedSources(api, { signal }),
    staleTime: 60_000,
  })
  return (
    <>
      <TextInput
        label={t('source')}
        description={t('source_help')}
        list={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        maxLength={MAX_NAME}
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <datalist id={id}>
        {sources.data?.sources.map((it) => (
          <option key={it} value={it} label={sourceLabel(it)} />
        ))}
      </datalist>
    </>
  )
}
