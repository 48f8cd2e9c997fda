import { textsOf } from '../../text/texts.ts'

/** From most to least rights. */
export const ROLES = ['admin', 'global_curator', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

export const isRole = (text: string): text is Role => ROLES.some((it) => it === text)

export const roleLabel = (role: Role): string => textsOf('roles')(role)

/** For a select. */
export const roleChoices = (roles: readonly Role[]) => roles.map((value) => ({ value, label: roleLabel(value) }))
