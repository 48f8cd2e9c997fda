// The data kept about the person: a copy of it, and the parts that they delete themselves.
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteAllChatSessions, deleteRecentQueries, deleteSearchFeedback } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'

const EXPORT = '/api/user/data'
const DELETIONS = { searches: deleteRecentQueries, chats: deleteAllChatSessions, feedback: deleteSearchFeedback }
type Kind = keyof typeof DELETIONS

export function OwnData() {
  const t = textsOf('account.data')
  const me = useMe()
  const [asked, setAsked] = useState<Kind | null>(null)
  const [done, setDone] = useState<Kind | null>(null)
  const kinds = [
    ...(hasPermission(me, 'search') ? (['searches', 'feedback'] as const) : []),
    ...(hasPermission(me, 'chat') ? (['chats'] as const) : []),
  ]
  return (
    <section className="card" aria-labelledby="own-data">
      <div className="section-head">
        <h2 id="own-data">{t('title')}</h2>
        <Button component="a" variant="default" size="xs" href={EXPORT} download="pharos-data.ndjson">
          {t('export')}
        </Button>
      </div>
      <div className="stack account-body">
        <p className="dimmed">{t('export_help')}</p>
        <ul className="own-data">
          {kinds.map((kind) => (
            <li key={kind}>
              <span>{t(`kinds.${kind}.help`)}</span>
              <EndButton
                label={textsOf('parts')('delete')}
                longLabel={t(`kinds.${kind}.delete`)}
                onClick={() => setAsked(kind)}
              />
            </li>
          ))}
        </ul>
        <p className="dimmed small">{t('stays')}</p>
        <p role="status" className="sr-only">
          {done !== null && t(`kinds.${done}.deleted`)}
        </p>
      </div>
      {asked !== null && (
        <DeleteOwnData
          kind={asked}
          onClose={() => setAsked(null)}
          onDeleted={() => {
            setDone(asked)
            setAsked(null)
          }}
        />
      )}
    </section>
  )
}

interface DeleteOwnDataProps {
  kind: Kind
  onClose: () => void
  onDeleted: () => void
}

function DeleteOwnData({ kind, onClose, onDeleted }: DeleteOwnDataProps) {
  const t = textsOf('account.data')
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => DELETIONS[kind](api),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onDeleted()
    },
  })
  return (
    <Dialog title={t(`kinds.${kind}.ask`)} onClose={onClose}>
      <p>{t(`kinds.${kind}.warning`)}</p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t(`kinds.${kind}.delete`)}
        </Button>
      </div>
    </Dialog>
  )
}
