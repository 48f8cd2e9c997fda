/** After sysexits.h, so that scripts can tell what to do about it. */
export const EXIT = {
  worse: 1,
  usage: 64,
  data: 65,
  noInput: 66,
  unavailable: 69,
  software: 70,
  cannotCreate: 73,
  ioError: 74,
  tryAgain: 75,
  noPermission: 77,
  config: 78,
  interrupted: 130,
} as const

export type ExitCode = 0 | (typeof EXIT)[keyof typeof EXIT]

export const EXIT_HELP = `Exit codes:
  0    done                                 1    eval: the ranking is worse than asked for
  64   wrong arguments                      74   the disk failed under a write
  65   documents or a backup are not right  75   in use, or not now: try again later
  66   there is no such file or record      77   the key is missing, or may not do that
  69   the service cannot be reached        78   a setting or a server cannot be used
  70   an error of the program              130  stopped by Ctrl-C
  73   a file is there already`
