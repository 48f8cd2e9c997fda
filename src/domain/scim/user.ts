// Users and groups as a directory describes them by SCIM.

export interface ScimEmail {
  value: string
  type: string | null
  primary: boolean
}

export interface ScimUserContent {
  userName: string
  externalId: string | null
  displayName: string | null
  name: { formatted: string | null; givenName: string | null; familyName: string | null }
  emails: readonly ScimEmail[]
  active: boolean
}

/** A step of a change of a group. Members are ids of people. */
export type ScimGroupChange =
  | { kind: 'name'; name: string }
  | { kind: 'externalId'; externalId: string | null }
  | { kind: 'add' | 'remove' | 'replace'; members: readonly string[] }
