import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { renameCcPair } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function RenameConnector({ pair, onClose }: { pair: CCPairFullInfo; onClose: () => void }) {
  const t = textsOf('admin.connector.rename')
  const queryClient = useQueryClient()
  const [name, setName] = useState(pair.name)
  const rename = useMutation({
    mutationFn: () => renameCcPair(api, { cc_pair_id: pair.id, new_name: name.trim() }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') rename.mutate()
  }
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('name')}
          description={t('help')}
          dir="auto"
          maxLength={500}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
        />
        {rename.isError && <ErrorAlert error={rename.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={rename.isPending} disabled={name.trim() === ''}>
            {t('submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
