// The entry point: starts the service, prints the help or runs one command.
import { exitWithError } from './app/exit-with-error.ts'

async function main(): Promise<void> {
  // New files are readable by the user of the service only, whatever the mode of their folder.
  process.umask(0o077)
  const [first, ...rest] = process.argv.slice(2)
  const isHelp = first === '--help' || first === '-h' || (first === 'serve' && rest.length > 0)
  if (isHelp) {
    const { commandOverview } = await import('./cli/run.ts')
    const { settingsHelp } = await import('./config.ts')
    process.stdout.write(`${commandOverview()}\n\n${settingsHelp()}\n`)
    return
  }
  // `npm run pharos` without a command passes "--" alone.
  const command = first === '--' ? rest : first !== undefined && first !== 'serve' ? [first, ...rest] : null
  // A command loads no code of the service, and the service no code of the commands: loading takes most of a start.
  if (command !== null) await (await import('./app/run-cli-command.ts')).runCliCommand(process.env, command)
  else await (await import('./app/serve.ts')).serve(process.env)
}

main().catch((error: unknown) => exitWithError(error, process.env))
