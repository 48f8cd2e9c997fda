// Decides who else may use an agent.
import { Button, Checkbox } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getPersona, sharePersona } from '../../../../src/client/operations.ts'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Readers, ShareFields } from '../../parts/share-fields.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadAgents } from './agents-query.ts'

interface Props {
  agent: Pick<MinimalPersonaSnapshot, 'id' | 'name'>
  onClose: () => void
}

/** Opens with what is stored now, not with what a list showed. */
export function ShareAgent({ agent: { id, name }, onClose }: Props) {
  const stored = useQuery({
    queryKey: ['agents', 'shared', id],
    queryFn: ({ signal }) => getPersona(api, { persona_id: id, signal }),
    gcTime: 0,
  })
  return (
    <Dialog title={textsOf('agents.share')('title', { name })} onClose={onClose}>
      {stored.isError && <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />}
      {stored.isPending && <LoadingSkeleton lines={4} />}
      {stored.data !== undefined && <ShareForm agent={stored.data} onClose={onClose} />}
    </Dialog>
  )
}

const readersOf = ({ users, groups }: MinimalPersonaSnapshot): Readers => ({
  people: users,
  groups: groups.map(String),
})

/** A key that acts for nobody has no address: it is named by its id. */
const nameOf = ({ id, email }: { id: string; email: string }): string => (email.endsWith('@key.invalid') ? id : email)

function ShareForm({ agent, onClose }: { agent: MinimalPersonaSnapshot; onClose: () => void }) {
  const t = textsOf('agents.share')
  const [isPublic, setPublic] = useState(agent.is_public)
  const [readers, setReaders] = useState(() => readersOf(agent))
  const reload = useReloadAgents()
  const save = useMutation({
    mutationFn: () => {
      const body = { is_public: isPublic, user_ids: readers.people.map(nameOf), group_ids: [...readers.groups] }
      return sharePersona(api, { persona_id: agent.id, body })
    },
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p className="dimmed">{t('help')}</p>
      <Checkbox
        label={t('everybody')}
        checked={isPublic}
        onChange={(event) => setPublic(event.currentTarget.checked)}
      />
      {!isPublic && <ShareFields readers={readers} onChange={setReaders} />}
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {textsOf('parts')('save')}
        </Button>
      </div>
    </form>
  )
}
