import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getUserGroup, listCcPairs, updateUserGroup } from '../../../../src/client/operations.ts'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { saveVersion } from '../../parts/save-version.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { changedRows, TheirChanges } from '../../parts/their-changes.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadGroups } from './groups-query.ts'

interface Choice {
  id: number
  label: string
  description: string
}

/** Offers the private connectors that the person manages. Other connectors that name the group go on naming it. */
export function ChooseConnectors({ group, onClose }: { group: UserGroup; onClose: () => void }) {
  const t = textsOf('admin.groups.choosing')
  const { chosen, toggle, save, theirs } = useChoice(group, onClose)
  const pairs = useQuery({
    queryKey: ['groups', 'pairs'],
    queryFn: ({ signal }) => listCcPairs(api, { signal }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const choices = pairs.data
    ?.filter((it) => it.access_type === 'private')
    .map((it): Choice => {
      const others = it.groups.map(String).filter((name) => name !== group.name)
      return {
        id: it.cc_pair_id,
        label: pairLabel({ id: it.cc_pair_id, name: it.name }),
        description: describe(sourceLabel(it.connector.source), others),
      }
    })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="dimmed">{t('help')}</p>
        {pairs.isError && <ErrorAlert error={pairs.error} retry={() => void pairs.refetch()} />}
        {pairs.isPending && <LoadingSkeleton />}
        {choices !== undefined && <Choices choices={choices} chosen={chosen} onToggle={toggle} />}
        <TheirChanges rows={theirs} />
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
    </Dialog>
  )
}

/** `seen`: the group that the person has seen. `theirs`: what another person changed since the dialog was opened. */
function useChoice(group: UserGroup, onSaved: () => void) {
  const [seen, setSeen] = useState(group)
  const [chosen, setChosen] = useState<readonly number[]>(() => idsOf(group))
  const [theirs, setTheirs] = useState<readonly DifferenceRow[]>([])
  const reload = useReloadGroups()
  const save = useMutation({
    mutationFn: () =>
      saveVersion({
        seen,
        save: ({ id, version }) =>
          updateUserGroup(api, { user_group_id: id, body: { cc_pair_ids: [...chosen], expected_version: version } }),
        read: () => getUserGroup(api, { user_group_id: group.id }),
        isSame: (one, other) => differencesOf(one, other).length === 0,
      }),
    onSuccess: async (result) => {
      await reload()
      if (result.state === 'saved') return onSaved()
      setTheirs(differencesOf(seen, result.current))
      setChosen(mergeChoice(idsOf(seen), chosen, idsOf(result.current)))
      setSeen(result.current)
    },
  })
  const toggle = (id: number) =>
    setChosen((before) => (before.includes(id) ? before.filter((it) => it !== id) : [...before, id]))
  return { chosen, toggle, save, theirs }
}

const idsOf = ({ cc_pairs }: UserGroup): number[] => cc_pairs.map((it) => it.id)

/** The stored choice, with the additions of the person and without their removals. */
function mergeChoice(seen: readonly number[], mine: readonly number[], current: readonly number[]): number[] {
  const removed = seen.filter((it) => !mine.includes(it))
  const added = mine.filter((it) => !seen.includes(it))
  return [...new Set([...current.filter((it) => !removed.includes(it)), ...added])]
}

function differencesOf(before: UserGroup, after: UserGroup): DifferenceRow[] {
  const words = ({ cc_pairs }: UserGroup) => cc_pairs.map(pairLabel).join('\n')
  const label = textsOf('admin.groups')('connectors')
  return changedRows([{ name: 'connectors', label, before: words(before), after: words(after) }])
}

const describe = (source: string, others: readonly string[]): string =>
  others.length === 0 ? source : textsOf('admin.groups.choosing')('also_open_to', { source, groups: others.join(', ') })

/** From this number on, a field filters the list. */
const MANY = 8

interface ChoicesProps {
  choices: readonly Choice[]
  chosen: readonly number[]
  onToggle: (id: number) => void
}

function Choices({ choices, chosen, onToggle }: ChoicesProps) {
  const t = textsOf('admin.groups.choosing')
  const [text, setText] = useState('')
  if (choices.length === 0) return <p>{t('none')}</p>
  const part = text.trim().toLowerCase()
  const shown = choices.filter((it) => it.label.toLowerCase().includes(part))
  return (
    <>
      {choices.length > MANY && (
        <TextInput
          aria-label={t('filter')}
          placeholder={textsOf('parts')('name')}
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <fieldset className="group-choices">
        <legend className="sr-only">{textsOf('admin.groups')('connectors')}</legend>
        {shown.map((it) => (
          <Checkbox
            key={it.id}
            label={<bdi>{it.label}</bdi>}
            description={it.description}
            checked={chosen.includes(it.id)}
            onChange={() => onToggle(it.id)}
          />
        ))}
        {shown.length === 0 && <p className="dimmed">{t('no_match')}</p>}
      </fieldset>
    </>
  )
}
