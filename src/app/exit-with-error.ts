import { EXIT } from '../cli/exit-code.ts'
import { ConfigError, readAddress, readDataConfig } from '../config.ts'
import { describeStartFailure } from '../process/start-failure.ts'

/** Prints why the program cannot start, and ends the process with the exit code for that reason. */
export function exitWithError(error: unknown, env: NodeJS.ProcessEnv): never {
  const { code, message } =
    error instanceof ConfigError
      ? { code: EXIT.config, message: error.message }
      : describeStartFailure(error, readStartConfig(env))
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

/** Undefined if the settings themselves are invalid. */
function readStartConfig(env: NodeJS.ProcessEnv) {
  try {
    return { ...readDataConfig(env), ...readAddress(env) }
  } catch {
    return undefined
  }
}
