// How often a connector reads its source, and how often it deletes what the source no longer has.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { setCcPairProperty } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { intervalText } from './interval-text.ts'

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
const CHOICES = {
  refresh_frequency: [300, 900, HOUR_S, 6 * HOUR_S, DAY_S, 7 * DAY_S],
  pruning_frequency: [HOUR_S, 6 * HOUR_S, DAY_S, 7 * DAY_S, 30 * DAY_S],
} as const

interface Schedule {
  refresh_frequency: number | null
  pruning_frequency: number | null
}

export function ChooseSchedule({ pair, onClose }: { pair: CCPairFullInfo; onClose: () => void }) {
  const t = textsOf('admin.connector.schedule')
  const { refresh_freq, prune_freq } = pair.connector
  const before: Schedule = { refresh_frequency: refresh_freq, pruning_frequency: prune_freq }
  const [schedule, setSchedule] = useState(before)
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () => saveSchedule(pair.id, before, schedule),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const names = ['refresh_frequency', 'pruning_frequency'] as const
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {names.map((name) => (
          <NativeSelect
            key={name}
            label={t(`${name}.label`)}
            description={t(`${name}.help`)}
            value={schedule[name] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setSchedule({ ...schedule, [name]: value === '' ? null : Number(value) })
            }
            data={choicesOf(name, before[name])}
          />
        ))}
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

/** The present value is a choice, too, even if it is an unusual one. */
function choicesOf(name: keyof typeof CHOICES, present: number | null): { value: string; label: string }[] {
  const isNever = present === null || present === 0
  const seconds = isNever ? CHOICES[name] : [...new Set([...CHOICES[name], present])].sort((a, b) => a - b)
  const never = isNever ? [{ value: present === null ? '' : '0', label: intervalText(null) }] : []
  return [...never, ...seconds.map((it) => ({ value: String(it), label: intervalText(it) }))]
}

async function saveSchedule(cc_pair_id: number, before: Schedule, after: Schedule): Promise<void> {
  for (const name of ['refresh_frequency', 'pruning_frequency'] as const) {
    const value = after[name]
    if (value !== null && value !== before[name])
      await setCcPairProperty(api, { cc_pair_id, body: { name, value: String(value) } })
  }
}
