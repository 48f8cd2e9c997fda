// The entry point: starts the service, prints the help or runs one command.
import { exitWithError } from './app/exit-with-error.ts'
import { runCliCommand } from './app/run-cli-command.ts'
import { serve } from './app/serve.ts'
import { commandOverview } from './cli/run.ts'
import { settingsHelp } from './config.ts'

async function main(): Promise<void> {
  // New files are readable by the user of the service only, whatever the mode of their folder.
  process.umask(0o077)
  const [first, ...rest] = process.argv.slice(2)
  const isHelp = first === '--help' || first === '-h' || (first === 'serve' && rest.length > 0)
  if (isHelp) {
    process.stdout.write(`${commandOverview()}\n\n${settingsHelp()}\n`)
    return
  }
  // `npm run pharos` without a command passes "--" alone.
  if (first === '--') return runCliCommand(process.env, rest)
  if (first !== undefined && first !== 'serve') return runCliCommand(process.env, [first, ...rest])
  await serve(process.env)
}

main().catch((error: unknown) => exitWithError(error, process.env))
