/** From most to least rights. */
export const ROLE_LABELS = {
  admin: 'Administrator',
  global_curator: 'Curator of all groups',
  curator: 'Curator',
  basic: 'Basic',
  limited: 'Limited',
}
