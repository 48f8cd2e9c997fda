// The button for light and dark colours of a person who is signed in. The account keeps the choice.
import { useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { ColorSchemeButton, NO_STYLE_ELEMENT } from '../parts/color-scheme-button.tsx'
import { useSavePreferences } from '../save-preferences.ts'
import { isPerson, useMe } from '../session.ts'

export function ThemeButton() {
  const me = useMe()
  const save = useSavePreferences()
  const { setColorScheme } = useMantineColorScheme(NO_STYLE_ELEMENT)
  const theme = me?.preferences.theme_preference ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice of the account changes the colours.
  useEffect(() => {
    if (theme !== null) setColorScheme(theme === 'system' ? 'auto' : theme)
  }, [theme])
  if (!isPerson(me)) return <ColorSchemeButton />
  return <ColorSchemeButton onChoose={(theme_preference) => save.mutate({ theme_preference })} />
}
