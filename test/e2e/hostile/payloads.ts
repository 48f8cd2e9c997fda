// Texts for every field that a stranger can fill. Each one that runs sets `window.ran` and opens a dialog.
import { hostileTexts } from '../hostile-answers.ts'

export const COUNT = 200
const RUN = 'alert(window.ran=1)'
const MORE = [
  `{{${RUN}}} \${${RUN}} <%= ${RUN} %> #{${RUN}} [[${RUN}]] {% ${RUN} %}`,
  `';${RUN};//" onfocus=${RUN} autofocus tabindex=0 x="`,
  '\u202ecod.exe\u202c \u2067right\u2069 <bdo dir=rtl>turned</bdo>',
  `wide${'w'.repeat(170)}`,
  '</title></style></textarea><body style="position:fixed;width:9999px;background:red">',
]

/** `canary` is a URL that nobody may call. The texts have no control characters, which the API rejects. */
export function createPayloads(canary: string) {
  const texts = [...MORE, ...hostileTexts(canary, COUNT - MORE.length)].map((it) =>
    it
      .replaceAll('alert(1)', RUN)
      .replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '')
      .slice(0, 6_000)
      .toWellFormed(),
  )
  return {
    textAt: (at: number) => texts[at % COUNT]!,
    /** Short enough for a name of any kind, and unique. */
    nameAt: (at: number) =>
      `${texts[at % COUNT]!.slice(0, 170)} ${at}`
        .replaceAll(/\s{1,100}/g, ' ')
        .trim()
        .slice(0, 6_000)
        .toWellFormed(),
  }
}
