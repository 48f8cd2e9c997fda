// Deletes a connector after the person has seen what goes with it and typed its name.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { deleteCcPair, previewCcPairDeletion } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, DeletionPreview } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

export function DeleteConnector({ pair, onClose }: { pair: CCPairFullInfo; onClose: () => void }) {
  const t = textsOf('admin.connector.delete')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const label = pairLabel(pair)
  const effect = useQuery({
    queryKey: ['pair', pair.id, 'deletion'],
    queryFn: ({ signal }) => previewCcPairDeletion(api, { cc_pair_id: pair.id, signal }),
  })
  const remove = useMutation({
    mutationFn: () =>
      deleteCcPair(api, { body: { connector_id: pair.connector.id, credential_id: pair.credential.id } }),
    onSuccess: async () => {
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'connectors', id: undefined } })
      await queryClient.invalidateQueries()
    },
  })
  const isNamed = typed.trim() === label.trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isNamed) remove.mutate()
  }
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="long-text">{t.rich('help', { name: () => <bdi>{label}</bdi> })}</p>
        {effect.isPending && <LoadingSkeleton lines={3} />}
        {effect.isError && <ErrorAlert error={effect.error} retry={() => void effect.refetch()} />}
        {effect.data !== undefined && <Effects pair={pair} effect={effect.data} />}
        <TextInput
          label={t('type_name')}
          description={<bdi>{label}</bdi>}
          dir="auto"
          maxLength={500}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
        {remove.isError && <ErrorAlert error={remove.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" color="red" loading={remove.isPending} disabled={!isNamed || effect.data === undefined}>
            {t('submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Effects({ pair, effect }: { pair: CCPairFullInfo; effect: DeletionPreview }) {
  const t = textsOf('admin.connector.delete')
  const credential = pair.credential.name ?? String(pair.credential.id)
  return (
    <ul className="connector-effects">
      <li>{t('documents', { documents: effect.documents, chunks: effect.chunks })}</li>
      {effect.shared_documents > 0 && <li>{t('shared', { documents: effect.shared_documents })}</li>}
      <li>{effect.deletes_connector ? t('configuration_goes') : t('configuration_stays')}</li>
      {pair.credential.id !== 0 && <li>{t('credential', { credential, others: effect.credential_other_pairs })}</li>}
    </ul>
  )
}
