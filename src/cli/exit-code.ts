/** Exit codes after sysexits.h, so that scripts can react to them. */
export const EXIT = {
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
  0    success, also if nothing is found    73   the file already exists
  64   invalid arguments                    74   a write to the disk failed
  65   invalid documents or backup          75   in use or unavailable: try again later
  66   the file or the record is missing    77   the key is missing or lacks the right
  69   the service cannot be reached        78   a setting or a server cannot be used
  70   internal error                       130  stopped by Ctrl-C`
