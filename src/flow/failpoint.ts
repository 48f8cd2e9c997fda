const killProcess = (): void => void process.kill(process.pid, 'SIGKILL')

/**
 * For crash tests: kills the process when the step of the setting, `name:nth`, is passed for the nth time. A caller may
 * pass a step several times at once.
 */
export function createFailpoint(setting: string | null, kill = killProcess): (name: string, times?: number) => void {
  const [wanted, nth] = setting?.split(':') ?? []
  let count = 0
  return (name, times = 1) => {
    if (name !== wanted) return
    count += times
    if (count >= Number(nth)) kill()
  }
}
