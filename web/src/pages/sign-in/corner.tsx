// The corner of the pages for people who are not signed in: language and colours.
import { ColorSchemeButton } from '../../parts/color-scheme-button.tsx'
import { LanguageSelect } from '../../parts/language-select.tsx'
import { chooseLanguage, language } from '../../text/language.ts'

export const Corner = () => (
  <div className="row sign-in-corner">
    <LanguageSelect
      value={language}
      onChange={(chosen) => {
        chooseLanguage(chosen)
        window.location.reload()
      }}
    />
    <ColorSchemeButton />
  </div>
)
