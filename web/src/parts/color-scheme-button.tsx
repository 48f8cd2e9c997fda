import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { textsOf } from '../text/texts.ts'
import { Icon } from './icon.tsx'

/** Disabling transitions would insert a style element, which the content security policy forbids. */
export const NO_STYLE_ELEMENT = { keepTransitions: true }

/** `onChoose` keeps the choice with the account of the person. */
export function ColorSchemeButton({ onChoose }: { onChoose?: (scheme: 'light' | 'dark') => void }) {
  const t = textsOf('parts')
  const { setColorScheme } = useMantineColorScheme(NO_STYLE_ELEMENT)
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t(isDark ? 'use_light_colours' : 'use_dark_colours')}
      onClick={() => {
        const scheme = isDark ? 'light' : 'dark'
        setColorScheme(scheme)
        onChoose?.(scheme)
      }}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </ActionIcon>
  )
}
