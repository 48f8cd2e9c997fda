import { z } from 'zod'
import { WITHOUT_NUL, wireString } from '../../wire/schemas.ts'

/** A suggested first message of a chat. */
export const StarterMessage = z
  .object({
    name: wireString({ max: 1_000, pattern: WITHOUT_NUL }),
    message: wireString({ max: 64_000, pattern: WITHOUT_NUL }),
  })
  .meta({ id: 'StarterMessage' })
export type StarterMessage = z.infer<typeof StarterMessage>
