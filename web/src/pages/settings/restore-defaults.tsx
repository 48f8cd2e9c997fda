// Sets every setting back to its default, after it has shown which ones change.
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { replaceSettings } from '../../../../src/client/operations.ts'
import type { Configuration } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { Retention } from './retention.tsx'
import { SettingDifferences } from './setting-differences.tsx'
import { differencesOf, textsOfSettings } from './setting-values.ts'

export function RestoreDefaults({ configuration }: { configuration: Configuration }) {
  const t = textsOf('admin.settings')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {t('restore')}
      </Button>
      {isOpen && <RestoreDialog configuration={configuration} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function RestoreDialog({ configuration, onClose }: { configuration: Configuration; onClose: () => void }) {
  const t = textsOf('admin.settings')
  const queryClient = useQueryClient()
  const { settings, default_settings, settings_version: expected_version } = configuration
  const defaults = textsOfSettings(default_settings)
  const differences = differencesOf(textsOfSettings(settings), defaults, defaults)
  const readAgain = () => queryClient.invalidateQueries()
  const restore = useMutation({
    mutationFn: () => replaceSettings(api, { body: { expected_version } }),
    onSuccess: async () => {
      await readAgain()
      onClose()
    },
    // The dialog then shows the difference to the settings that another person has saved.
    onError: readAgain,
  })
  return (
    <Dialog title={t('restore_title')} isWide onClose={onClose}>
      <div className="stack">
        {differences.length === 0 ? (
          <p>{t('all_default')}</p>
        ) : (
          <SettingDifferences
            label={t('restore_title')}
            beforeLabel={t('now')}
            afterLabel={t('then')}
            differences={differences}
          />
        )}
        {differences.length > 0 && <Retention texts={defaults} />}
        {restore.isError && <ErrorAlert error={restore.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button
            color="red"
            loading={restore.isPending}
            disabled={differences.length === 0}
            onClick={() => restore.mutate()}
          >
            {t('restore_confirm')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
