import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { emptyTrash } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { textsOf } from '../../text/texts.ts'

export function EmptyTrash({ onDone }: { onDone: (notice: string) => void }) {
  const t = textsOf('admin.trash')
  const [isAsking, setIsAsking] = useState(false)
  const queryClient = useQueryClient()
  const empty = useMutation({
    mutationFn: () => emptyTrash(api, { body: { all: true } }),
    onSuccess: async ({ deleted }) => {
      onDone(t('emptied', { count: deleted }))
      setIsAsking(false)
      await queryClient.invalidateQueries({ queryKey: ['trash'] })
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => setIsAsking(true)}>
        {t('empty')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('empty_title')}
          action={t('empty')}
          isPending={empty.isPending}
          error={empty.error}
          onConfirm={() => empty.mutate()}
          onClose={() => setIsAsking(false)}
        >
          {t('empty_help')}
        </ConfirmDialog>
      )}
    </>
  )
}
