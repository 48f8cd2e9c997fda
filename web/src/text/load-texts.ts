// Loads the file of the chosen language. The texts of the administration are a part of their own, so that the search
// page stays light: vite.config.ts divides the file.
import { language } from './language.ts'
import { addTexts } from './texts.ts'

type Part = Parameters<typeof addTexts>[0]
type Files = Record<string, () => Promise<Part>>

const everyone: Files = import.meta.glob<Part>('./*.json', { query: '?part=everyone', import: 'default' })
const admin: Files = import.meta.glob<Part>('./*.json', { query: '?part=admin', import: 'default' })

const load = async (files: Files): Promise<void> => addTexts((await files[`./${language}.json`]?.()) ?? {})

export const loadTexts = (): Promise<void> => load(everyone)

let adminTexts: Promise<void> | undefined
/** Loads them once; a failure is tried again the next time. */
export function loadAdminTexts(): Promise<void> {
  adminTexts ??= load(admin).catch((error: unknown) => {
    adminTexts = undefined
    throw error
  })
  return adminTexts
}
