import { NativeSelect } from '@mantine/core'
import { isLanguage, LANGUAGES, type Language, nameOfLanguage } from '../text/language.ts'
import { textsOf } from '../text/texts.ts'

export const LanguageSelect = ({ value, onChange }: { value: Language; onChange: (language: Language) => void }) => (
  <NativeSelect
    size="xs"
    aria-label={textsOf('parts')('language')}
    value={value}
    onChange={({ currentTarget: { value: chosen } }) => isLanguage(chosen) && onChange(chosen)}
    data={LANGUAGES.map((it) => ({ value: it, label: nameOfLanguage(it) }))}
  />
)
