import { createFirstAdminLink } from '../../client/operations.ts'
import { defineCommand, SERVICE_OPTIONS } from '../command.ts'

export const firstAdmin = defineCommand({
  name: 'first-admin',
  summary: 'Prints a one-time link that makes an administrator.',
  usage: '[options]',
  positionals: (given) => (given.length === 0 ? given : undefined),
  options: SERVICE_OPTIONS,
  help: `The person who opens the link within an hour gets an account as an administrator. A person who has an account gets
a new password and that role. The link replaces the one before. The command needs the administrator key.

  pharos first-admin`,
  async run(context, { values }) {
    const { api, url } = context.connect(values)
    const { link } = await createFirstAdminLink(api, { signal: context.signal })
    const absolute = link.startsWith('/') ? url + link : link
    context.terminal.print(values.json === true ? JSON.stringify({ link: absolute }) : absolute)
    return 0
  },
})
