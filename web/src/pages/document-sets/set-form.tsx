// A dialog that creates or changes a document set. If another person changed the set meanwhile, it says so and shows theirs.
import { Alert, Button, Radio, Textarea, TextInput } from '@mantine/core'
import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { createDocumentSet, listDocumentSets, updateDocumentSet } from '../../../../src/client/operations.ts'
import type { DocumentSetSummary, UserAddress } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ShareFields } from '../../parts/share-fields.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { addressesQuery, useReloadSets } from './document-sets-query.ts'
import { PairChoice } from './pair-choice.tsx'
import { changedFields, mergeChanges, NEW_SET, type SetField, type SetValues, valuesOf } from './set-values.ts'

interface Props {
  /** Absent for a new one. */
  set?: DocumentSetSummary
  onClose: () => void
}

export function SetForm({ set, onClose }: Props) {
  const t = textsOf('admin.document_sets')
  const isNamed = set !== undefined && set.users.length > 0
  const addresses = useQuery({ ...addressesQuery, ...(!isNamed && { queryFn: skipToken }) })
  return (
    <Dialog title={set === undefined ? t('new') : t('edit')} isWide onClose={onClose}>
      {isNamed && addresses.isPending && <LoadingSkeleton lines={6} />}
      {isNamed && addresses.isError && <ErrorAlert error={addresses.error} retry={() => void addresses.refetch()} />}
      {(!isNamed || addresses.data !== undefined) && (
        <Form set={set} addresses={addresses.data ?? []} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface FormProps {
  set: DocumentSetSummary | undefined
  addresses: readonly UserAddress[]
  onClose: () => void
}

function Form({ set, addresses, onClose }: FormProps) {
  const t = textsOf('admin.document_sets')
  const { values, change, save, theirs } = useSetForm(set, addresses, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={textsOf('parts')('name')}
        description={t('name_help')}
        value={values.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        maxLength={500}
        dir="auto"
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <Textarea
        label={t('fields.description')}
        value={values.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        maxLength={100_000}
        dir="auto"
        minRows={2}
        maxRows={6}
        autosize
      />
      <PairChoice
        chosen={values.cc_pair_ids}
        known={set?.cc_pair_summaries ?? []}
        onChange={(cc_pair_ids) => change({ cc_pair_ids })}
      />
      <Access values={values} change={change} />
      {theirs.length > 0 && (
        <Alert color="yellow" variant="light" role="alert" icon={<Icon name="alert" />} title={t('conflict')}>
          {t('conflict_help', { fields: listText(theirs.map((it) => t(`fields.${it}`))) })}
        </Alert>
      )}
      {save.isError && !isConflict(save.error) && <ErrorAlert error={save.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={values.cc_pair_ids.length === 0}>
          {set === undefined ? t('create') : textsOf('parts')('save')}
        </Button>
      </div>
    </form>
  )
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.error_code === 'DOCUMENT_SET_CHANGED'

function useSetForm(set: DocumentSetSummary | undefined, addresses: readonly UserAddress[], onClose: () => void) {
  const [base, setBase] = useState(set)
  const initial = (it: DocumentSetSummary | undefined) => (it === undefined ? NEW_SET : valuesOf(it, addresses))
  const [values, setValues] = useState<SetValues>(() => initial(set))
  const [theirs, setTheirs] = useState<readonly SetField[]>([])
  const reload = useReloadSets()
  const adopt = (current: DocumentSetSummary) => {
    setTheirs(changedFields(initial(base), initial(current)))
    setValues(mergeChanges(initial(base), values, initial(current)))
    setBase(current)
  }
  const save = useMutation({
    mutationFn: async () => {
      try {
        return await saveSet(base, values)
      } catch (error) {
        const current = isConflict(error) ? await findSet(base) : undefined
        if (current === undefined) throw error
        if (changedFields(initial(base), initial(current)).length === 0) return saveSet(current, values)
        adopt(current)
        throw error
      }
    },
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const change = (part: Partial<SetValues>) => setValues((before) => ({ ...before, ...part }))
  return { values, change, save, theirs }
}

/** The set as it is now. */
async function findSet(set: DocumentSetSummary | undefined): Promise<DocumentSetSummary | undefined> {
  const sets = await listDocumentSets(api, { get_editable: true })
  return sets.find((it) => it.id === set?.id)
}

async function saveSet(base: DocumentSetSummary | undefined, values: SetValues): Promise<unknown> {
  const { readers, name, cc_pair_ids, ...rest } = values
  const body = {
    ...rest,
    name: name.trim(),
    cc_pair_ids: [...cc_pair_ids],
    users: readers.people.map((it) => it.id),
    groups: [...readers.groups],
  }
  if (base === undefined) return createDocumentSet(api, { body })
  return updateDocumentSet(api, { body: { ...body, id: base.id, expected_version: base.version } })
}

function Access({ values, change }: { values: SetValues; change: (part: Partial<SetValues>) => void }) {
  const t = textsOf('admin.document_sets')
  return (
    <>
      <Radio.Group
        label={t('open_to')}
        description={t('open_to_help')}
        value={values.is_public ? 'public' : 'private'}
        onChange={(value) => change({ is_public: value === 'public' })}
      >
        <div className="set-access">
          <Radio value="public" label={t('everybody')} />
          <Radio value="private" label={t('chosen')} />
        </div>
      </Radio.Group>
      {!values.is_public && <ShareFields readers={values.readers} onChange={(readers) => change({ readers })} />}
    </>
  )
}
