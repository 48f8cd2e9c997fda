/** For tests: kills the process when the named step is reached for the nth time. */
export function createFailpoint(setting: string | null): (name: string) => void {
  const [wanted, nth] = setting?.split(':') ?? []
  let count = 0
  return (name) => {
    if (name === wanted && ++count === Number(nth)) process.kill(process.pid, 'SIGKILL')
  }
}
