import { Badge } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteSecretKey } from '../../../../src/client/operations.ts'
import type { SecretKeyState, SecretKeys } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { type Column, EndButton, RecordTable } from '../../parts/record-table.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

/** The newest key is first. */
export function KeyTable({ keys: { keys, is_rotating } }: { keys: SecretKeys }) {
  const t = textsOf('admin.secret_keys.table')
  const [asked, setAsked] = useState<SecretKeyState | null>(null)
  return (
    <div className="card">
      <RecordTable
        label={textsOf('admin.secret_keys')('title')}
        rows={keys.toReversed()}
        keyOf={(it) => it.kid}
        columns={keyColumns()}
        action={(it) =>
          it.origin === 'file' && !it.is_newest && it.secrets === 0 && !is_rotating ? (
            <EndButton
              label={textsOf('parts')('delete')}
              longLabel={t('delete_of', { key: it.kid })}
              onClick={() => setAsked(it)}
            />
          ) : (
            <span className="small dimmed">{whyItStays(it)}</span>
          )
        }
      />
      {asked !== null && <DeleteKey secretKey={asked} onClose={() => setAsked(null)} />}
    </div>
  )
}

function keyColumns(): Column<SecretKeyState>[] {
  const t = textsOf('admin.secret_keys.table')
  return [
    { label: t('key'), cell: (it) => <code>{it.kid}</code> },
    {
      label: t('use'),
      cell: (it) => (
        <Badge color={it.is_newest ? 'green' : 'gray'} variant="light" tt="none" miw="max-content">
          {it.is_newest ? t('newest') : t('older')}
        </Badge>
      ),
    },
    { label: t('origin'), cell: (it) => t(`origins.${it.origin ?? 'elsewhere'}`), className: 'long-text' },
    { label: t('secrets'), cell: (it) => formatCount(it.secrets), className: 'number' },
  ]
}

function whyItStays({ origin, is_newest, secrets }: SecretKeyState): string {
  const t = textsOf('admin.secret_keys.table')
  if (is_newest) return ''
  if (secrets > 0) return t('in_use')
  return origin === 'SECRET_KEY_PREVIOUS' ? t('in_settings') : ''
}

function DeleteKey({ secretKey: { kid }, onClose }: { secretKey: SecretKeyState; onClose: () => void }) {
  const t = textsOf('admin.secret_keys.deletion')
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteSecretKey(api, { kid }),
    onSuccess: (keys) => {
      queryClient.setQueryData(['secret-keys'], keys)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('title')}
      action={t('confirm')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('help', { key: () => <code>{kid}</code>, code: (text) => <code>{text}</code> })}
    </ConfirmDialog>
  )
}
