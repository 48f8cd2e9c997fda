import { Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { updateToolStatus } from '../../../../src/client/operations.ts'
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { toolText } from './tool-text.ts'
import { useReloadTools } from './tools-queries.ts'

/** Models call a tool only while it is switched on. */
export function ToolSwitch({ tool }: { tool: ToolSnapshot }) {
  const t = textsOf('admin.tools')
  const reload = useReloadTools()
  const isOn = tool.enabled ?? true
  const toggle = useMutation({
    mutationFn: () => updateToolStatus(api, { body: { tool_ids: [tool.id], enabled: !isOn } }),
    onSettled: reload,
  })
  return (
    <>
      <Switch
        label={isOn ? t('on') : t('off')}
        aria-label={t('switch', { name: toolText(tool).name })}
        checked={toggle.isPending ? !isOn : isOn}
        disabled={toggle.isPending}
        onChange={() => toggle.mutate()}
      />
      {toggle.isError && <ErrorAlert error={toggle.error} />}
    </>
  )
}
