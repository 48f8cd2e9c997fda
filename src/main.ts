// The entry point: starts the service, prints the help or runs one command.
import { exitWithError } from './app/exit-with-error.ts'

async function main(): Promise<void> {
  // New files are readable by the user of the service only, whatever the mode of their folder.
  process.umask(0o077)
  const [first, ...rest] = process.argv.slice(2)
  const isHelp = first === '--help' || first === '-h' || (first === 'serve' && rest.length > 0)
  if (isHelp) {
    const { commandOverview } = await import('./cli/run.ts')
    const { settingsHelp } = await import('./setting-definitions.ts')
    process.stdout.write(`${commandOverview()}\n\n${settingsHelp()}\n`)
    return
  }
  // Loading takes most of a start, so a command loads no code of the service, and the service none of the commands.
  if (first === undefined || first === 'serve') {
    const { serve } = await import('./app/serve.ts')
    return serve(process.env)
  }
  const { runCliCommand } = await import('./app/run-cli-command.ts')
  // `npm run pharos` without a command passes "--" alone.
  await runCliCommand(process.env, first === '--' ? rest : [first, ...rest])
}

main().catch((error: unknown) => exitWithError(error, process.env))
