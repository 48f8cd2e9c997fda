// The context of a command, made from the environment.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { CommandError } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { EXIT } from '../cli/exit-code.ts'
import { createTerminal } from '../cli/terminal.ts'
import { createApiClient } from '../client/api.ts'
import { ConfigError, readClientConfig, readDataConfig } from '../config.ts'
import { version } from '../process/version.ts'

export function createCommandContext(env: NodeJS.ProcessEnv, signal: AbortSignal): CommandContext {
  const { NO_COLOR, XDG_STATE_HOME, INIT_CWD } = env
  const clock = () => performance.now()
  return {
    terminal: createTerminal({ out: process.stdout, error: process.stderr, hasColors: !NO_COLOR, clock }),
    connect(given) {
      const { url, key, ownUrl, ownKey } = readClientConfig(env)
      const address = given.url ?? url
      // The administrator's key of this machine is not sent to another one.
      const secret = given.key ?? key ?? (address === null ? ownKey : null)
      if (address !== null && !/^https?:/.test(address))
        throw new ConfigError(`PHAROS_URL or --url must be http://… or https://…, not ${address}.`)
      if (address !== null && secret === null)
        throw new CommandError(EXIT.noPermission, `There is no key for ${address}. Set PHAROS_API_KEY, or give --key.`)
      return {
        url: address ?? ownUrl,
        isDefault: address === null,
        // biome-ignore lint/style/noRestrictedGlobals: the person at the terminal names the address, nobody else can.
        api: createApiClient({ url: address ?? ownUrl, ...(secret !== null && { key: secret }), fetch }),
      }
    },
    version: version(),
    async openOffline() {
      const { createOfflineOperations } = await import('./offline/offline-operations.ts')
      return createOfflineOperations(() => readDataConfig(env), signal)
    },
    signal,
    stateDir: join(XDG_STATE_HOME || join(homedir(), '.local/state'), 'pharos'),
    get stdin() {
      return process.stdin
    },
    // npm starts scripts in the folder of the package.
    pathOf: (name) => resolve(INIT_CWD ?? '.', name),
    clock,
    now: Date.now,
  }
}
