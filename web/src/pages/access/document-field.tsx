import { TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId } from 'react'
import { searchAsAdmin } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

const MIN_TYPED = 2
/** The longest id of a document, and the longest query of the suggestions. */
const MAX_ID = 2_000
const MAX_QUERY = 200

/** The id of a document. Words of its title suggest ids of documents that the administrator may read. */
export function DocumentField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = textsOf('admin.access')
  const id = useId()
  const typed = useDeferredValue(value.trim().slice(0, MAX_QUERY))
  const documents = useQuery({
    queryKey: ['documents', 'suggested', typed],
    queryFn: ({ signal }) => searchAsAdmin(api, { body: { query: typed, filters: {} }, signal }),
    enabled: typed.length >= MIN_TYPED,
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <TextInput
        label={t('document')}
        description={t('document_help')}
        list={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        maxLength={MAX_ID}
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <datalist id={id}>
        {documents.data?.documents.map((it) => (
          <option key={it.document_id} value={it.document_id} label={it.semantic_identifier} />
        ))}
      </datalist>
    </>
  )
}
