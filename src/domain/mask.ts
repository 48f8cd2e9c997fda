const SHORTEST_SHOWN = 14

/** How a secret is shown after the moment it was set: its ends, or nothing of it when it is short. */
export const mask = (secret: string): string =>
  secret.length < SHORTEST_SHOWN ? '•'.repeat(12) : `${secret.slice(0, 4)}...${secret.slice(-4)}`
