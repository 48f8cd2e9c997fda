// The two groups that follow from the role of people. They open no documents and are not in the record.

/** Groups of the record have ids from 1. */
export const ADMIN_GROUP = { id: -1, name: 'Admin' } as const
export const BASIC_GROUP = { id: -2, name: 'Basic' } as const

export const findDefaultGroup = (id: number): { id: number; name: string } | undefined =>
  [ADMIN_GROUP, BASIC_GROUP].find((it) => it.id === id)

/** No other group has one of these names, in any case. */
export const isDefaultGroupName = (name: string): boolean =>
  [ADMIN_GROUP, BASIC_GROUP].some((it) => it.name.toLowerCase() === name.trim().toLowerCase())
